"""Rows for tests that are not about how a shop brings them."""

from itertools import count
from typing import Any

from orders import clock
from orders.models import Channel, Order, OrderLine, Payment, PaymentShare, Shipment, ShipmentLine
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.services.requests import LineWish, RefundWish, Requested, request_refunds

SHOP = Actor("principal:1", Role.SHOP)
_numbers = count(1)


def make_order(*prices: int, quantity: int = 1, account: str = "sandbox", **fields: Any) -> Order:
    """A paid order with a line per price (minor units, sku A, B, ...) of `quantity` units, all of it captured."""
    now, n = clock.now(), next(_numbers)
    prices = prices or (1000,)
    total = sum(prices) * quantity
    defaults: dict[str, Any] = {
        "channel": Channel.objects.get(is_default=True),
        "number": f"O-{n}",
        "currency": "EUR",
        "customer_email": f"customer{n}@example.org",
        "customer_phone": f"+4915100{n:06}",
        "total_minor": total,
    }
    order = Order.objects.create(
        ordered_at=now,
        created_at=now,
        updated_at=now,
        **(defaults | fields),
    )
    for position, price in enumerate(prices):
        _make_line(order, position, price, quantity)
    add_payment(order, total, account=account)
    return order


def add_payment(order: Order, captured_minor: int, *, account: str = "sandbox") -> PaymentShare:
    payment = Payment.objects.create(
        channel_id=order.channel_id,
        account=account,
        reference=f"pay-{order.number}-{next(_numbers)}",
        currency=order.currency,
        total_minor=captured_minor,
        allocated_minor=captured_minor,
        captured_at=order.created_at,
    )
    return PaymentShare.objects.create(payment=payment, order=order, captured_minor=captured_minor)


def ship(order: Order, state: str = "delivered") -> Shipment:
    """All of the order on its way, or with the customer."""
    now = clock.now()
    shipment = Shipment.objects.create(
        order=order,
        carrier="c",
        tracking_number=f"T{order.pk}",
        state=state,
        shipped_at=now,
        fact_at=now,
        created_at=now,
    )
    for line in order.lines.all():
        ShipmentLine.objects.create(shipment=shipment, order_line=line, quantity=line.quantity)
        delivered = line.quantity if state == "delivered" else 0
        OrderLine.objects.filter(pk=line.pk).update(shipped=line.quantity, delivered=delivered)
    return shipment


def wish(order: Order, *lines: tuple[str, int], **fields: Any) -> RefundWish:
    """A wish for these (sku, quantity); none: for all of the order."""
    wishes = tuple(LineWish(Sku(key), quantity, f"lines[{i}]") for i, (key, quantity) in enumerate(lines))
    return RefundWish(
        channel_id=order.channel_id,
        order_number=order.number,
        lines=wishes or None,
        **({"actor": SHOP} | fields),
    )


def request(order: Order, *lines: tuple[str, int], **fields: Any) -> Requested:
    """Request these units; fails the test when refused."""
    [result] = request_refunds([wish(order, *lines, **fields)])
    assert isinstance(result, Requested), result
    return result


def _make_line(order: Order, position: int, price: int, quantity: int) -> None:
    sku = chr(ord("A") + position)
    OrderLine.objects.create(
        order=order,
        line_id=sku,
        position=position,
        sku=sku,
        name=f"Thing {sku}",
        quantity=quantity,
        unit_price_minor=price,
        list_minor=price * quantity,
    )
