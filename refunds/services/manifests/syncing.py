"""Making manifests true: one pass over one manifest, in one transaction that holds its row.

A pass finds what holds (`policies`, `channels`), and writes it where something has changed; what is the same again
writes nothing but the clock. The resource version stays: who has read the manifest can still change it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from orders import clock
from refunds import records
from refunds.conditions import merge
from refunds.declared import channel_rules, policy_rules
from refunds.models import Manifest
from refunds.services.manifests import channels, policies
from refunds.services.manifests.found import Found

#: However it was woken, each is looked at again: what it hangs on may have changed without a word.
RESYNC_SECONDS = 600.0
_POSTPONE = "UPDATE refunds_manifest SET next_reconcile_at = refundry_now() + %s, failures = %s WHERE id = %s"
_SYNCS: dict[str, Callable[[Manifest, datetime], Found]] = {
    policy_rules.KIND: policies.sync_policy,
    channel_rules.KIND: channels.sync_channel,
}


class Held(Exception):
    """Another pass is at it."""


def sync_manifest(manifest_id: int) -> float | None:
    """One pass; seconds until the next look, None where the sweep is early enough. Raises Held."""
    with transaction.atomic():
        row = _locked(manifest_id)
        if row is None:
            return None
        now = clock.now()
        found = _SYNCS[row.kind](row, now)
        if found.is_gone:
            row.delete()
            return None
        _write(row, found, now)
        return found.look_in


def postpone_manifest(manifest_id: int, *, seconds: float, failures: int) -> None:
    """A pass raised: look again later, in a statement of its own."""
    records.execute(_POSTPONE, [timedelta(seconds=seconds), failures, manifest_id])


def _locked(manifest_id: int) -> Manifest | None:
    row = Manifest.objects.select_for_update(skip_locked=True).filter(pk=manifest_id).first()
    if row is None and Manifest.objects.filter(pk=manifest_id).exists():
        raise Held(str(manifest_id))
    return row


def _write(row: Manifest, found: Found, now: datetime) -> None:
    conditions = merge(row.conditions, found.conditions, generation=row.generation, now=now)
    seen = {"conditions": conditions, "status": found.status, "observed_generation": row.generation}
    is_news = any(getattr(row, name) != value for name, value in seen.items())
    next_look = now + timedelta(seconds=RESYNC_SECONDS if found.look_in is None else found.look_in)
    written: dict[str, object] = {"next_reconcile_at": next_look, "failures": 0}
    if is_news:
        written |= seen | {"updated_at": now}
    for name, value in written.items():
        setattr(row, name, value)
    row.save(update_fields=list(written))
