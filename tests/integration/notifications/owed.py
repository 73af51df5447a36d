"""Messages that are owed, as the engine leaves them behind, and the business clock to move."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from orders.clock import now
from orders.models import Channel, Order, OrderLine, Payment, PaymentShare
from refunds.models import GatewayRefund, Notification, PolicyVersion, Refund, RefundLine
from refunds.services.notifications import Claim, Providers, begin_notifications, record_deliveries
from workers.ports import Delivery

PREFIX = "RFTEST"
OPEN = Providers(["email", "sms"], lambda channel: True)


@dataclass(frozen=True)
class Case:
    order: Order
    refund: Refund

    def owe(self, template: str = "received", channel: str = "email", **more: Any) -> Notification:
        at = now()
        defaults = {"event_seq": Notification.objects.count() + 1, "created_at": at, "next_reconcile_at": at}
        return Notification.objects.create(refund=self.refund, template=template, channel=channel, **(defaults | more))


def make_case(number: str = "1001", *, movement: str = "succeeded", **customer: str) -> Case:
    """An order of two things with one refund of all of it, its money in the given state."""
    facts = {"name": "Ada", "email": f"{number}@customer.example", "phone": "+441632960001", "locale": "en"} | customer
    at = now()
    order = Order.objects.create(
        channel=Channel.objects.get(is_default=True),
        number=number,
        currency="EUR",
        total_minor=3000,
        ordered_at=at,
        created_at=at,
        updated_at=at,
        **{f"customer_{name}": value for name, value in facts.items()},
    )
    refund = make_refund(order)
    payment = Payment.objects.create(
        channel=order.channel, account="sandbox", reference=f"pay-{number}", currency="EUR", total_minor=3000
    )
    share = PaymentShare.objects.create(payment=payment, order=order, captured_minor=3000)
    GatewayRefund.objects.create(
        refund=refund, share=share, number=f"{refund.number}-1", state=movement, amount_minor=3000, currency="EUR"
    )
    return Case(order, refund)


def make_refund(order: Order, *, request_id: int = 0) -> Refund:
    at = now()
    refund = Refund.objects.create(
        order=order,
        request_id=request_id,
        number=f"{PREFIX}-new",
        route="instant",
        requested_by="system",
        requested_role="system",
        currency="EUR",
        amount_minor=3000,
        policy_version=PolicyVersion.objects.latest("generation"),
        next_reconcile_at=at,
        created_at=at,
        updated_at=at,
    )
    refund.number, refund.request_id = f"{PREFIX}-{refund.id}", request_id or refund.id
    refund.save(update_fields=["number", "request_id"])
    for position, name in enumerate(["Walnut desk", "Desk lamp"]):
        line, _ = OrderLine.objects.get_or_create(
            order=order,
            line_id=name,
            defaults={"position": position, "sku": name, "name": name, "quantity": 2, "list_minor": 1500},
        )
        n = position + 1
        RefundLine.objects.create(
            refund=refund, order_line=line, quantity=n, announced=n, amount_minor=1500, tax_minor=0
        )
    return refund


def pass_time(**by: float) -> None:
    """Move the business clock on, for good within the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO refundry_clock_offset(shift) VALUES (make_interval(secs => %s)) ON CONFLICT (only_row)"
            " DO UPDATE SET shift = refundry_clock_offset.shift + EXCLUDED.shift",
            [by.get("seconds", 0) + 3600 * by.get("hours", 0)],
        )


def claim(*rows: Notification) -> list[Claim]:
    return begin_notifications([row.id for row in rows], providers=OPEN).claims


def claim_one(row: Notification) -> Claim:
    (claimed,) = claim(row)
    return claimed


def answer(row: Notification, reply: Delivery) -> float | None:
    return record_deliveries([(claim_one(row), reply)])[row.id]
