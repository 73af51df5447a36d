"""Rows as the services write them, for tests of reading doors."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from orders import clock
from orders.models import Channel, Order, OrderLine, Payment, PaymentShare
from refunds.chain import Event, anchor, link
from refunds.models import GatewayRefund, Notification, PolicyVersion, Refund, RefundEvent, RefundLine

_serial = count(1)
SHEET = {
    "entries": [{"kind": "line", "label": "Mug", "amount_minor": 500, "line_id": "mug", "quantity": 1}],
    "lines": {"mug": {"amount_minor": 500, "tax_minor": 0}},
    "shipping_minor": 0,
    "shipping_tax_minor": 0,
    "total_minor": 500,
    "tax_minor": 0,
}


@dataclass
class Case:
    """A refund of one unit of a paid order, with its movement."""

    channel: Channel
    account: str = "sandbox"
    state: str = "refunding"
    order: Order = field(init=False)
    refund: Refund = field(init=False)
    movement: GatewayRefund = field(init=False)

    def __post_init__(self) -> None:
        self.order = an_order(self.channel, held=1, withheld=1, refunded_minor=500)
        self.refund = a_refund(self.order, state=self.state)
        self.movement = a_movement(self.refund, account=self.account)


def default_channel() -> Channel:
    return Channel.objects.get(is_default=True)


def a_channel() -> Channel:
    serial = next(_serial)
    return Channel.objects.create(slug=f"shop-{serial}", name=f"Shop {serial}")


def an_order(channel: Channel, **line: int) -> Order:
    now = clock.now()
    order = Order.objects.create(
        channel=channel,
        number=f"SO-{next(_serial)}",
        currency="EUR",
        total_minor=line.get("list_minor", 1000),
        ordered_at=now,
        created_at=now,
        updated_at=now,
    )
    columns = {"quantity": 2, "list_minor": 1000} | line
    OrderLine.objects.create(order=order, line_id="mug", position=0, sku="MUG-1", name="Mug", **columns)
    return order


def a_paid_order(channel: Channel, *, quantity: int = 2, unit_minor: int = 500, account: str = "sandbox") -> Order:
    """An unshipped order of mugs, paid by one payment and untouched by refunds."""
    order = an_order(channel, quantity=quantity, list_minor=quantity * unit_minor)
    payment = Payment.objects.create(
        channel=channel,
        account=account,
        reference=f"pay-{order.number}",
        currency=order.currency,
        total_minor=order.total_minor,
        allocated_minor=order.total_minor,
        captured_at=order.ordered_at,
    )
    PaymentShare.objects.create(payment=payment, order=order, captured_minor=order.total_minor)
    return order


def more_lines(order: Order, count: int) -> None:
    """Lines that cost nothing, so that what was paid still is what they cost."""
    for number in range(1, count + 1):
        OrderLine.objects.create(
            order=order, line_id=f"gift-{number}", position=number, sku="GIFT", name="Gift", quantity=1, list_minor=0
        )


def a_refund(order: Order, **columns: Any) -> Refund:
    now = clock.now()
    given = {
        "request_id": next(_serial),
        "state": "requested",
        "route": "instant",
        "requested_by": "principal:1",
        "requested_role": "shop",
        "currency": order.currency,
        "amount_minor": 500,
        "sheet": SHEET,
        "policy_version": PolicyVersion.objects.latest("generation"),
        "next_reconcile_at": now,
        "created_at": now,
        "updated_at": now,
    }
    refund = Refund.objects.create(order=order, **given | columns)
    refund.number = f"RT-{refund.pk}"
    refund.save(update_fields=["number"])
    RefundLine.objects.create(
        refund=refund, order_line=order.lines.get(), quantity=1, announced=1, amount_minor=500, tax_minor=0
    )
    return refund


def a_movement(refund: Refund, *, account: str, **columns: Any) -> GatewayRefund:
    payment = Payment.objects.create(
        channel_id=refund.order.channel_id,
        account=account,
        reference=f"pay-{next(_serial)}",
        currency="EUR",
        total_minor=1000,
        allocated_minor=1000,
    )
    share = PaymentShare.objects.create(
        payment=payment, order=refund.order, captured_minor=1000, reserved_minor=refund.amount_minor
    )
    given = {"number": f"{refund.number}-1", "amount_minor": refund.amount_minor, "currency": "EUR"}
    return GatewayRefund.objects.create(refund=refund, share=share, **given | columns)


def a_message(refund: Refund, **columns: Any) -> Notification:
    now = clock.now()
    given = {"event_seq": 1, "channel": "email", "template": "refunded", "created_at": now, "next_reconcile_at": now}
    return Notification.objects.create(refund=refund, **given | columns)


def an_event(refund: Refund, kind: str = "refund.requested", **data: Any) -> RefundEvent:
    """The next event of the refund's chain."""
    seq, head = Refund.objects.values_list("event_seq", "event_head").get(pk=refund.pk)
    event = Event(seq + 1, kind, data, "system", "system", clock.now())
    head = link(bytes(head) or anchor(refund.number), event)
    Refund.objects.filter(pk=refund.pk).update(event_seq=event.seq, event_head=head)
    return RefundEvent.objects.create(
        refund=refund,
        seq=event.seq,
        kind=kind,
        data=data,
        actor=event.actor,
        role=event.role,
        occurred_at=event.occurred_at,
        hash=head,
    )
