"""Webhooks that were given up, and a person's word that they are to be sent again: from the beginning of the schedule,
under the same identity."""

from collections.abc import Collection

from django.db import transaction

from orders.errors import Conflict, Forbidden
from orders.roles import Actor, Role
from refunds import records
from refunds.models import WebhookDelivery
from refunds.selectors.hooks import hook_by_id
from refunds.services.hooks.delivering import WRITTEN
from refunds.services.own_locks import lock_own
from refunds.services.wakes import wake_webhooks
from refunds.states import HookState

RUN_WEBHOOKS = frozenset({Role.SHOP, Role.SUPERVISOR, Role.SYSTEM})
#: So long a person waits for a row that is being looked at.
WAIT_MS = 2000
BATCH = 1000


def permit_hooks(actor: Actor) -> None:
    """Raise Forbidden unless the actor runs the webhooks."""
    if actor.role not in RUN_WEBHOOKS:
        raise Forbidden("role_forbidden", f"The role {actor.role} has nothing to do with webhooks.")


def retry_hook(delivery_id: int, *, channels: Collection[int] | None, actor: Actor) -> None:
    """Have a dead letter sent again. Conflict where it is none, or where its address is called no more."""
    permit_hooks(actor)
    hook = hook_by_id(delivery_id, channels=channels)
    if hook.endpoint.removed_at or hook.endpoint.disabled_at:
        detail = f"{hook.endpoint.url} is not called until the channel's manifest names it anew."
        raise Conflict("endpoint_closed", detail)
    if not _revive([hook.pk]):
        raise Conflict("not_dead", f"Webhook delivery {delivery_id} is not a dead letter.")


def retry_dead_hooks(channel_id: int) -> int:
    """Have all dead letters of the channel sent again, but those whose address is called no more; how many."""
    open_ones = {"endpoint__channel_id": channel_id, "endpoint__removed_at": None, "endpoint__disabled_at": None}
    dead = WebhookDelivery.objects.filter(state=HookState.DEAD, **open_ones).order_by("pk")
    revived, after = 0, 0
    while ids := list(dead.filter(pk__gt=after).values_list("pk", flat=True)[:BATCH]):
        revived, after = revived + _revive(ids), ids[-1]
    return revived


def _revive(ids: Collection[int]) -> int:
    with transaction.atomic():
        own = lock_own(WebhookDelivery, ids, wait_ms=WAIT_MS)
        rows = [row for row in own.rows.values() if row.state == HookState.DEAD]
        for row in rows:
            row.revive()
            row.failures, row.retry_at, row.next_reconcile_at, row.ended_at = 0, None, own.now, None
        records.update(WebhookDelivery, WRITTEN, rows)
        wake_webhooks([row.id for row in rows])
    return len(rows)
