"""What a gateway has been asked of a payment so far, over all orders that share it; not what went elsewhere."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Count

from refunds.models import GatewayRefund
from refunds.records import execute
from refunds.states import MovementState

_NEVER_DONE = (MovementState.FAILED, MovementState.CANCELLED)
_LAST = """
SELECT max(coalesce(m.sent_at, m.first_sent_at)) FROM refunds_gatewayrefund m
JOIN orders_paymentshare s ON s.id = m.share_id
WHERE s.payment_id = %s AND m.target = '' AND m.id <> %s AND m.first_sent_at IS NOT NULL
"""


def refunds_of_payments(payment_ids: Collection[int]) -> dict[int, int]:
    """How many refunds of each payment there are or will be; those of which there is none are missing."""
    of_them = GatewayRefund.objects.filter(share__payment__in=payment_ids, target="", kind="refund")
    counts = of_them.exclude(state__in=_NEVER_DONE).values_list("share__payment").annotate(n=Count("id"))
    return dict(counts.order_by())


def last_sent(payment_id: int, *, but: int = 0) -> datetime | None:
    """When a refund of the payment was last sent, the movement with the id `but` apart."""
    return execute(_LAST, [payment_id, but]).fetchall()[0][0]
