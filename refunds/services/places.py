"""Where the units of a refund are, by the docket's rows."""

from collections import Counter

from orders.states import Fulfilment, ShipmentState
from refunds.models import Refund
from refunds.routing import UnitsAt, place_of
from refunds.services.docket import Docket
from refunds.states import Place


def units_of(docket: Docket, refund: Refund) -> tuple[UnitsAt, ...]:
    """The units that are still to be paid for."""
    return tuple(
        _place(docket, units.order_line_id, units.shipment_id, units.quantity)
        for units in docket.units[refund.id]
        if units.quantity
    )


def refused_units(docket: Docket, refund: Refund, *, inspected: bool) -> tuple[UnitsAt, ...]:
    """The units that were asked for and are not paid: those that were `inspected`, or those not approved before. The
    findings of a line count its units wherever they came from: the first that were refused are taken for them."""
    found = Counter[int]()
    for row in docket.units[refund.id]:
        found[row.order_line_id] += row.damaged + row.wrong_item + row.missing
    refused = []
    for row in docket.units[refund.id]:
        looked_at = min(row.announced - row.quantity, found[row.order_line_id])
        found[row.order_line_id] -= looked_at
        count = looked_at if inspected else row.announced - row.quantity - looked_at
        if count:
            refused.append(_place(docket, row.order_line_id, row.shipment_id, count))
    return tuple(refused)


def _place(docket: Docket, line_id: int, shipment_id: int | None, quantity: int) -> UnitsAt:
    line = docket.lines[line_id]
    place = place_of(ShipmentState(docket.shipments[shipment_id].state)) if shipment_id else Place.UNSHIPPED
    return UnitsAt(line.line_id, place, quantity, shipment_id, Fulfilment(line.fulfilment))
