"""What a gateway has been asked of a payment so far, over all orders that share it; not what went elsewhere."""

from datetime import datetime

from refunds.models import GatewayRefund
from refunds.records import execute
from refunds.states import MovementState

_NEVER_DONE = (MovementState.FAILED, MovementState.CANCELLED)
_LAST = """
SELECT max(coalesce(m.sent_at, m.first_sent_at)) FROM refunds_gatewayrefund m
JOIN orders_paymentshare s ON s.id = m.share_id
WHERE s.payment_id = %s AND m.target = '' AND m.id <> %s AND m.first_sent_at IS NOT NULL
"""


def refunds_of_payment(payment_id: int) -> int:
    """How many refunds of the payment there are or will be."""
    of_it = GatewayRefund.objects.filter(share__payment_id=payment_id, target="", kind="refund")
    return of_it.exclude(state__in=_NEVER_DONE).count()


def last_sent(payment_id: int, *, but: int = 0) -> datetime | None:
    """When a refund of the payment was last sent, the movement with the id `but` apart."""
    return execute(_LAST, [payment_id, but]).fetchall()[0][0]
