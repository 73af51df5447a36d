"""Units that a refund holds, or has paid for, before they were shipped; and those that left all the same."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from orders.models import OrderLine, Shipment
from orders.states import Fulfilment
from refunds.models import Refund, RefundLine
from refunds.money.shares import part_of
from refunds.states import PAID_STATES, RELEASED_STATES, Stop


def withheld_units(lines: Iterable[OrderLine]) -> list[RefundLine]:
    """The unshipped units that refunds keep from being shipped; those not paid for come first."""
    ids = [line.pk for line in lines if line.fulfilment == Fulfilment.SHIP]
    kept = RefundLine.objects.filter(order_line__in=ids, shipment=None)
    kept = kept.exclude(refund__state__in=sorted(RELEASED_STATES)).select_related("refund")
    return sorted(kept, key=lambda one: (one.refund.state in PAID_STATES, one.pk))


def holders(lines: Iterable[OrderLine]) -> list[dict[str, Any]]:
    """Which refunds keep units of these lines from being shipped, and how many."""
    count: Counter[str] = Counter()
    for one in withheld_units(lines):
        count[one.refund.number] += one.quantity
    return [{"refund": number, "quantity": quantity} for number, quantity in count.items() if quantity]


def let_go(line: OrderLine, quantity: int, shipment: Shipment, *, of: Refund | None = None) -> None:
    """So many withheld units, `of` one refund or of any, are in this parcel now: they stay with their refunds, in
    another place. Whether they were stopped is no question any more."""
    kept = withheld_units([line]) if quantity else []
    for units in [one for one in kept if of in (None, one.refund)]:
        part = min(units.quantity, quantity)
        quantity -= part
        line.withheld -= part
        line.refunded_unshipped -= part if units.refund.state in PAID_STATES else 0
        if part:
            _move(units, part, shipment)


def _move(units: RefundLine, part: int, shipment: Shipment) -> None:
    amount = part_of(units.amount_minor, part, of=units.quantity)
    tax = part_of(units.tax_minor, part, of=units.quantity)
    if part == units.quantity:
        units.shipment = shipment
    else:
        units.quantity, units.amount_minor = units.quantity - part, units.amount_minor - amount
        units.tax_minor, units.announced = units.tax_minor - tax, units.announced - part
        RefundLine.objects.create(
            refund=units.refund,
            order_line_id=units.order_line_id,
            shipment=shipment,
            quantity=part,
            announced=part,
            amount_minor=amount,
            tax_minor=tax,
        )
    units.save()
    Refund.objects.filter(pk=units.refund_id).exclude(stop=Stop.ASSUMED).update(stop=Stop.LEFT)
