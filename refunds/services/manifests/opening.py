"""What a channel's manifest does to the channel itself in its own transaction, before any controller looks."""

from collections.abc import Collection
from datetime import datetime

from orders.errors import Conflict
from orders.models import Channel
from refunds.declared import channel_rules
from refunds.models import Manifest, ManifestVersion
from refunds.selectors.manifests import not_found
from refunds.services.manifest_wakes import wake_policies_for


def open_channel(slug: str) -> None:
    """It is at once seen by who declares it. It takes orders by keys of its own: were his bound to it as well, each of
    his calls would have to name a channel from now on."""
    defaults = {"name": slug, "is_default": False}
    _, is_new = Channel.objects.get_or_create(slug=slug, retired_at=None, defaults=defaults)
    if is_new:
        wake_policies_for(slug)


def hold_channels(slugs: Collection[str]) -> None:
    """None of them goes until the transaction ends: as long as a policy names a channel it stays (`channels._remove`),
    so that no policy is for the orders of whoever takes the name next."""
    if slugs:
        held = Channel.objects.select_for_update(no_key=True).filter(slug__in=slugs, retired_at=None)
        list(held.order_by("pk").values_list("pk"))


def close_channel(slug: str, at: datetime) -> None:
    """Who asks once this is committed is refused."""
    Channel.objects.filter(slug=slug, retired_at=None).update(closing_at=at)


def is_declared_by(row: Manifest, reference: str) -> bool:
    """He has declared the channel himself, maybe just now by another request: his channels were read before."""
    first = ManifestVersion.objects.filter(uid=row.uid, generation=1, applied_by=reference)
    return row.kind == channel_rules.KIND and first.exists()


def refuse_default(slug: str) -> None:
    """Raise Conflict: somewhere orders without a channel have to go."""
    if Channel.objects.filter(slug=slug, is_default=True).exists():
        raise Conflict("default_channel", "The default channel cannot be removed: orders without one go there.")


def refuse_served(slug: str) -> None:
    """Raise NotFound: a channel that nobody has declared yet is declared by its own people."""
    if Channel.objects.filter(slug=slug, retired_at=None).exists():
        raise not_found(channel_rules.KIND, slug)
