"""Waking manifests whose conditions hang on something that has changed: another manifest, or what a shop has answered.

Call it in the transaction that changes it. Each gets a key after the commit, and its clock in the row in case that the
key is lost. A row that somebody holds is not waited for, so that no two passes wait for each other: it has its key, and
is looked at again anyway (`refunds.services.manifests.syncing.RESYNC_SECONDS`).
"""

from collections.abc import Collection

from django.db.models import QuerySet

from orders import clock
from refunds.conditions import FALSE
from refunds.declared import channel_rules, policy_rules
from refunds.declared.names import TYPE as NAMES_ACCEPTED
from refunds.models import Manifest
from refunds.services.wakes import wake_manifests


def wake_channels_of(policy: str) -> None:
    """Those that name this policy."""
    _wake(_channels().filter(spec__contains={"policy": policy}))


def wake_channels(names: Collection[str]) -> None:
    """These themselves: an address of theirs wants to be told nothing more."""
    _wake(_channels().filter(name__in=names))


def wake_policies_for(channel: str) -> None:
    """Those whose selector names this channel."""
    _wake(Manifest.objects.filter(kind=policy_rules.KIND, spec__contains={"selector": {"channels": [channel]}}))


def wake_losers(row: Manifest) -> None:
    """The channels that lost a name: it may have become free."""
    lost = [{"type": NAMES_ACCEPTED, "status": FALSE}]
    _wake(_channels().filter(conditions__contains=lost).exclude(pk=row.pk))


def _channels() -> QuerySet[Manifest]:
    return Manifest.objects.filter(kind=channel_rules.KIND)


def _wake(found: QuerySet[Manifest]) -> None:
    ids = list(found.values_list("pk", flat=True))
    if not ids:
        return
    free = Manifest.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=ids)
    Manifest.objects.filter(pk__in=[row.pk for row in free.only("pk")]).update(next_reconcile_at=clock.now())
    wake_manifests(ids)
