"""Waking: a key into the queue after the commit, and a clock in the row in case that the key is lost."""

from collections.abc import Collection
from datetime import timedelta
from functools import partial

from django.db import transaction

from refunds import records
from refunds.states import RELEASED_STATES
from workers.wake import wake

#: However it was woken, the sweep looks at a changed refund after this at the latest.
INSURANCE = timedelta(seconds=5)

_BRING_FORWARD = """
UPDATE refunds_refund SET next_reconcile_at = least(next_reconcile_at, refundry_now() + %s)
WHERE order_id = ANY(%b::bigint[]) AND NOT state = ANY(%b::text[])
RETURNING id
"""


def wake_refunds(refund_ids: Collection[int]) -> None:
    _wake_after_commit("refunds", refund_ids)


def wake_notifications(notification_ids: Collection[int]) -> None:
    _wake_after_commit("notifications", notification_ids)


def wake_orphans(orphan_ids: Collection[int]) -> None:
    _wake_after_commit("orphans", orphan_ids)


def wake_manifests(manifest_ids: Collection[int]) -> None:
    _wake_after_commit("manifests", manifest_ids)


def wake_webhooks(delivery_ids: Collection[int]) -> None:
    _wake_after_commit("webhooks", delivery_ids)


def order_changed(order_ids: Collection[int]) -> None:
    """Call it in the transaction that changed the orders (which holds their locks): open refunds look again, and so do
    those that have paid: goods may leave, or arrive, all the same."""
    released = sorted(map(str, RELEASED_STATES))
    rows = records.execute(_BRING_FORWARD, [INSURANCE, list(order_ids), released]).fetchall()
    wake_refunds([row[0] for row in rows])


def _wake_after_commit(queue: str, ids: Collection[int]) -> None:
    if ids:
        transaction.on_commit(partial(wake, queue, [str(i) for i in ids]), robust=True)
