"""What requests ask about their orders beside the rows of the docket: read once for all orders, when the first asks."""

from collections import Counter, defaultdict
from functools import cached_property

from orders.models import Order, OrderLine, Payment, Shipment
from refunds import records
from refunds.models import Refund, RefundLine
from refunds.selectors.sent import refunds_of_payments
from refunds.services.docket import Docket
from refunds.states import RELEASED_STATES


class Beside:
    def __init__(self, docket: Docket) -> None:
        self._docket = docket
        self._counted = 0

    def parcels_of(self, order: Order) -> list[Shipment]:
        return self._parcels[order.id]

    def lines_of(self, refund: Refund) -> set[int]:
        """The ids of the lines that it has, or had, units of."""
        return {units.order_line_id for units in self._units_of(refund)}

    def refunds_with(self, line: OrderLine) -> list[str]:
        """The numbers of the refunds that hold, or have paid for, units of the line, from the oldest on."""
        live = (r for r in self._docket.refunds_of[line.order_id] if r.state not in RELEASED_STATES)
        return [r.number for r in live if any(u.order_line_id == line.id and u.quantity for u in self._units_of(r))]

    def refunds_of(self, payment: Payment) -> int:
        """How many refunds of the payment there are or will be."""
        new = self._docket.changes.new_movements[self._counted :]
        self._of_payments.update(self._docket.payment_of(m).id for m in new if not m.target)
        self._counted += len(new)
        return self._of_payments[payment.id]

    def _units_of(self, refund: Refund) -> list[RefundLine]:
        return self._docket.units[refund.id] if refund.id in self._docket.units else self._units[refund.id]

    @cached_property
    def _units(self) -> defaultdict[int, list[RefundLine]]:
        by_refund = defaultdict(list)
        for units in records.load(RefundLine, "refund_id", self._docket.refunds.keys() - self._docket.units.keys()):
            by_refund[units.refund_id].append(units)
        return by_refund

    @cached_property
    def _parcels(self) -> defaultdict[int, list[Shipment]]:
        by_order = defaultdict(list)
        for shipment in records.load(Shipment, "order_id", self._docket.orders):
            by_order[shipment.order_id].append(shipment)
        return by_order

    @cached_property
    def _of_payments(self) -> Counter[int]:
        return Counter(refunds_of_payments(self._docket.payments))
