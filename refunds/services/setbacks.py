"""What is written of a sync that raised, or of one that killed its workers: in statements of their own."""

import json

from django.db import transaction

from orders import clock
from orders.locks import lock_orders
from refunds import conditions, records
from refunds.calls import retry_delay
from refunds.conditions import TRUE, Condition
from refunds.models import Refund
from refunds.selectors.facts import orders_of
from refunds.services.rows import TIMING

_POSTPONE = """
UPDATE refunds_refund SET failures = failures + 1, next_reconcile_at = refundry_now() + make_interval(secs => %s)
WHERE id = %s
"""
_STALL = """
UPDATE refunds_refund SET conditions = %s::jsonb, next_reconcile_at = refundry_now() + interval '1 hour',
    resource_version = resource_version + 1
WHERE id = %s
"""


def postpone(refund_id: int, *, failures: int) -> None:
    """A sync of the refund raised, so many times in a row: the sweep leaves it alone for the back-off."""
    records.execute(_POSTPONE, [retry_delay(failures, TIMING), refund_id])


@transaction.atomic
def mark_stalled(refund_id: int) -> None:
    """Alone it has killed several workers: say so, and look again in an hour. A pass that ends takes it back."""
    if not lock_orders(orders_of([refund_id]).values()):
        return
    refund = records.load(Refund, "id", [refund_id])[0]
    stalled = Condition("Stalled", TRUE, "WorkersDied", "Looking at this refund has ended several workers.")
    kept = [Condition(c["type"], c["status"], c["reason"], c["message"]) for c in refund.conditions]
    seen = [c for c in kept if c.type != stalled.type] + [stalled]
    merged = conditions.merge(refund.conditions, seen, generation=refund.observed_generation, now=clock.now())
    records.execute(_STALL, [json.dumps(merged), refund_id])
