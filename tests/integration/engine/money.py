"""What tests of the money share: short acts on a refund, a gateway's webhooks, and what the rows say afterwards."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

from orders import clock
from orders.models import Order, PaymentShare
from refunds.models import GatewayRefund, InboundWebhook, Incident, LedgerEntry, Notification, Refund
from refunds.services.reconcile import Outbound
from tests.factories import request
from tests.integration.engine.conftest import Engine, fact
from tests.integration.engine.returns import bought, fresh
from workers.ports import Found, Refused, Unknown

DECLINED = Refused("declined", "by the bank")
TIMED_OUT = Unknown("timed out")
ANSWERED_500 = Unknown("500", answered=True)
NOTHING = Found()
#: The entries of a refund of 10.00 that was paid.
PAID = [("reserve", 1000), ("release", 1000), ("refund", 1000)]
#: After this a gateway's "absent" is believed.
SETTLED = timedelta(seconds=16)
_events = count(1)


def asked_for(*prices: int, **fields: Any) -> Refund:
    """A refund of a whole new order."""
    [refund] = request(bought(*(prices or (1000,)), **fields)).refunds
    return refund


def only_call(engine: Engine, refund: Refund) -> Outbound:
    [out] = engine.begin(refund).calls
    assert isinstance(out, Outbound)
    return out


def only_send(engine: Engine, refund: Refund) -> Outbound:
    out = only_call(engine, refund)
    assert not out.asks
    return out


def only_ask(engine: Engine, refund: Refund) -> Outbound:
    out = only_call(engine, refund)
    assert out.asks
    return out


def gateway_holds(out: Outbound, *statuses: str, ids: str = "abc") -> Found:
    """What a look-up finds under the number: gateway refunds a, b, c in these states."""
    return Found(tuple(fact(out.movement, status, ids[i]) for i, status in enumerate(statuses)))


def webhook(refund: Refund, status: str, gateway_refund_id: str = "a", *, copies: int = 1, place: int = -1) -> None:
    """The gateway's word about the refund's latest movement, or about the one at this place, stored; copies come as
    events of their own."""
    row = list(GatewayRefund.objects.filter(refund=refund).order_by("id"))[place]
    for _ in range(copies):
        InboundWebhook.objects.create(
            account="sandbox",
            event_id=f"event-{next(_events)}",
            kind="refund.updated",
            payload=_payload(row, status, gateway_refund_id),
            refund=refund,
            received_at=clock.now(),
        )


def _payload(row: GatewayRefund, status: str, gateway_refund_id: str) -> dict[str, Any]:
    return {
        "gateway_refund_id": gateway_refund_id,
        "number": row.number,
        "status": status,
        "amount_minor": row.amount_minor,
        "currency": row.currency,
        "failure_code": "declined" if status == "failed" else "",
    }


def unapplied(refund: Refund) -> int:
    return InboundWebhook.objects.filter(refund=refund, applied_at=None).count()


def movement(refund: Refund) -> GatewayRefund:
    return GatewayRefund.objects.get(refund=refund)


def standing(refund: Refund) -> str:
    """ "refund state, movement state, call" """
    row = movement(refund)
    return f"{fresh(refund).state}, {row.state}, {row.call}"


def sums(order_or_refund: Order | Refund) -> tuple[int, int]:
    """Reserved and refunded of the order's one payment."""
    order_id = order_or_refund.order_id if isinstance(order_or_refund, Refund) else order_or_refund.pk
    share = PaymentShare.objects.get(order_id=order_id)
    return share.reserved_minor, share.refunded_minor


def entries(refund: Refund) -> list[tuple[str, int]]:
    """What the refund has booked, in order."""
    found = LedgerEntry.objects.filter(share__order_id=refund.order_id).exclude(kind="capture").order_by("id")
    return [(entry.kind, entry.amount_minor) for entry in found]


def messages(refund: Refund) -> list[str]:
    """The mails the customer is owed, in order."""
    rows = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    return [row.template for row in rows]


def incidents(refund: Refund) -> list[str]:
    return sorted(Incident.objects.filter(order_id=refund.order_id, closed_at=None).values_list("kind", flat=True))


def order_of(refund: Refund) -> Order:
    return Order.objects.get(pk=refund.order_id)


def due_at(refund: Refund) -> datetime | None:
    return fresh(refund).next_reconcile_at
