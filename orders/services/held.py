"""An order under its lock: its row, lines and shares, and the projections that follow every change of them."""

from dataclasses import dataclass, field
from datetime import datetime

from orders.errors import NotFound
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.models import Order, OrderLine, Payment, PaymentShare
from orders.states import ORDER_ARROWS, OrderRefundState, OrderState, order_state, verb_to
from refunds.records import load, update
from refunds.selectors.places import find_orders
from refunds.services.rows import is_goods_left, line_units

#: A caller waits so long for an order that somebody else is changing; then it is told to come again.


@dataclass(slots=True)
class HeldOrder:
    """`lines` and `shares` by id are in ascending id, as everybody who splits money reads them. `ended_holds`: what is
    still held on shares (by id) where refunds have reserved more than that."""

    order: Order
    lines: list[OrderLine]
    shares: list[PaymentShare]
    ended_holds: dict[int, int] = field(default_factory=dict)

    @property
    def by_line_id(self) -> dict[str, OrderLine]:
        return {line.line_id: line for line in self.lines}


def order_id_of(*, channel_id: int, number: str) -> int:
    """404 for what is unknown and for what is in another channel alike."""
    found = find_orders([(channel_id, number)])
    if not found:
        raise NotFound("not_found", f"There is no order {number[:64]} here.")
    return found[channel_id, number]


def hold_order(order_id: int) -> HeldOrder:
    """Lock the order, then read it: whatever was committed before the lock was had is seen."""
    lock_orders([order_id], wait_ms=WEB_WAIT_MS)
    [order] = load(Order, "id", [order_id])
    return HeldOrder(order, lines=load(OrderLine, "order_id", [order_id]), shares=shares_of(order_id))


def shares_of(order_id: int) -> list[PaymentShare]:
    """The order's shares, each with its payment."""
    shares = load(PaymentShare, "order_id", [order_id])
    payments = {payment.pk: payment for payment in load(Payment, "id", [share.payment_id for share in shares])}
    for share in shares:
        share.payment = payments[share.payment_id]
    return shares


def project(held: HeldOrder) -> None:
    """Bring the order's states in line with its units and money; a change of either is a visible one."""
    order = held.order
    target = order_state(line_units(line) for line in held.lines)
    if order.state == OrderState.CANCELLED and target != OrderState.CANCELLED:
        order.reopen()
    if verb := verb_to(ORDER_ARROWS, source=order.state, target=target):
        getattr(order, verb)()
    if order.refund_state in (OrderRefundState.PARTIALLY_REFUNDED, OrderRefundState.REFUNDED):
        left = anything_left(held)
        order.refund_state = OrderRefundState.PARTIALLY_REFUNDED if left else OrderRefundState.REFUNDED
    order.resource_version += 1


def save_projection(held: HeldOrder, now: datetime) -> None:
    """Project, and write what a change of units or money moves on the order's row."""
    project(held)
    held.order.updated_at = now
    update(Order, ("state", "refund_state", "resource_version", "updated_at"), [held.order])


def anything_left(held: HeldOrder) -> bool:
    return any(share.free_minor > 0 for share in held.shares) and is_goods_left(held.order, held.lines)
