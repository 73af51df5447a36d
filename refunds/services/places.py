"""Where the units of a refund are, by the docket's rows."""

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


def _place(docket: Docket, line_id: int, shipment_id: int | None, quantity: int) -> UnitsAt:
    line = docket.lines[line_id]
    place = place_of(ShipmentState(docket.shipments[shipment_id].state)) if shipment_id else Place.UNSHIPPED
    return UnitsAt(line.line_id, place, quantity, shipment_id, Fulfilment(line.fulfilment))
