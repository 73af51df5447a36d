"""One order as a client sees it: everything that belongs to it, in a constant number of queries."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from orders.errors import NotFound
from orders.models import Order, OrderLine, Payment, PaymentShare, Shipment, ShipmentLine
from refunds.models import Refund, RefundLine
from refunds.money import OrderMoney, overpaid_minor
from refunds.policy import PolicySpec
from refunds.records import load
from refunds.routing import UnitsAt
from refunds.selectors.places import free_units
from refunds.selectors.policies import policy_at
from refunds.selectors.taken_back import Parcels, parcels_of
from refunds.selectors.zoned import policy_in
from refunds.services.rows import order_money, sent_of
from refunds.states import RELEASED_STATES


@dataclass
class OrderPage:
    """Lines and shares are in ascending id, refunds from the oldest on. `policy`: what would be asked for at this
    moment (`now`) is decided by it. `is_closing`: its channel is being removed, or is gone (`is_gone`), and takes no
    request."""

    now: datetime
    policy: PolicySpec
    is_closing: bool
    is_gone: bool
    order: Order
    lines: list[OrderLine]
    shares: list[PaymentShare]
    payments: dict[int, Payment]
    shipments: list[Shipment]
    parcels: list[ShipmentLine]
    refunds: list[Refund]
    refund_lines: list[RefundLine]

    @cached_property
    def line_names(self) -> dict[int, str]:
        return {line.pk: line.line_id for line in self.lines}

    @cached_property
    def money(self) -> OrderMoney:
        return order_money(self.order, self.lines, shares=self.shares, refunds=self.refunds)

    @cached_property
    def parcels_seen(self) -> Parcels:
        return parcels_of(self.shipments, self.lines, self.policy, self.now)

    @property
    def overpaid_minor(self) -> int:
        """What was captured beyond the total and has not come back, as far as it is free."""
        return overpaid_minor(self.money)

    def holders(self, line: OrderLine) -> list[str]:
        """The numbers of the refunds that hold or have paid for units of this line."""
        numbers = {refund.pk: refund.number for refund in self.refunds if refund.state not in RELEASED_STATES}
        rows = [units for units in self.refund_lines if units.order_line_id == line.pk]
        has_units = {units.refund_id for units in rows if not units.is_adjustment}
        return [number for refund_id, number in numbers.items() if refund_id in has_units]

    def is_assumed_delivered(self, parcel: Shipment) -> bool:
        """No carrier has said so, and it counts as delivered."""
        return self.policy.reading(self.now).is_assumed(sent_of(parcel))

    def free_units(self) -> dict[str, list[UnitsAt]]:
        """By line id, where the units are that no refund has."""
        free: dict[str, list[UnitsAt]] = {line.line_id: [] for line in self.lines}
        for units in free_units(self.lines, {self.order.pk: self.policy.reading(self.now)})[self.order.pk]:
            free[units.line_id].append(units)
        return free


def order_page(*, channel_id: int, number: str) -> OrderPage:
    """The order with all that belongs to it; 404 when there is none in this channel."""
    columns = ("pk", "channel__time_zone", "channel__closing_at", "channel__retired_at")
    found = Order.objects.filter(channel_id=channel_id, number=number).values_list(*columns).first()
    if found is None:
        raise NotFound("not_found", f"There is no order {number[:64]} here.")
    order_id, zone, closing_at, retired_at = found
    [order] = load(Order, "id", [order_id])
    lines, shares = load(OrderLine, "order_id", [order_id]), load(PaymentShare, "order_id", [order_id])
    shipments, refunds = load(Shipment, "order_id", [order_id]), load(Refund, "order_id", [order_id])
    policy_id, now = policy_at(order_id)
    return OrderPage(
        now=now,
        policy=policy_in(policy_id, zone),
        is_closing=closing_at is not None,
        is_gone=retired_at is not None,
        order=order,
        lines=lines,
        shares=shares,
        payments={payment.pk: payment for payment in load(Payment, "id", [share.payment_id for share in shares])},
        shipments=shipments,
        parcels=load(ShipmentLine, "shipment_id", [shipment.pk for shipment in shipments]),
        refunds=refunds,
        refund_lines=load(RefundLine, "refund_id", [refund.pk for refund in refunds]),
    )
