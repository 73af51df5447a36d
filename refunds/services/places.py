"""Where the units of a refund are, by the docket's rows."""

from collections import Counter

from orders.roles import SYSTEM
from orders.states import Fulfilment
from refunds.models import Refund, RefundLine
from refunds.routing import Reading, UnitsAt
from refunds.services.docket import Docket
from refunds.services.rows import policy_of, reader, sent_of
from refunds.states import Place

_fulfilment = reader(Fulfilment)


def units_of(docket: Docket, refund: Refund) -> tuple[UnitsAt, ...]:
    """The units that are still to be paid for."""
    rows = [row for row in docket.units[refund.id] if row.quantity]
    return tuple([_place(docket, refund, row, row.quantity) for row in rows])


def refused_units(docket: Docket, refund: Refund, *, inspected: bool) -> tuple[UnitsAt, ...]:
    """The units that were asked for and are not paid: those that were `inspected`, or those not approved before. The
    findings of a line count its units wherever they came from: the first that were refused are taken for them. What
    contests something inspected is about such units alone."""
    found = Counter[int]()
    for row in docket.units[refund.id]:
        found[row.order_line_id] += row.damaged + row.wrong_item + row.missing
    is_of_inspected = bool(refund.contest_of_id and refund.inspected_at)
    refused = []
    for row in docket.units[refund.id]:
        not_paid = row.announced - row.quantity
        looked_at = not_paid if is_of_inspected else min(not_paid, found[row.order_line_id])
        found[row.order_line_id] -= looked_at
        count = looked_at if inspected else not_paid - looked_at
        if count:
            refused.append(_place(docket, refund, row, count))
    return tuple(refused)


def say_assumed(docket: Docket, refund: Refund) -> None:
    """Because of which parcels it goes another way now: nobody has said that they arrived."""
    reading = _reading(docket, refund)
    for row in docket.parcels_of(refund):
        if reading.is_assumed(sent_of(row)) and not row.delivery_known_at:
            docket.record(refund, "shipment.assumed_delivered", {"shipment": row.id}, SYSTEM)


def _reading(docket: Docket, refund: Refund) -> Reading:
    return policy_of(refund.policy_version_id).reading(docket.now)


def _place(docket: Docket, refund: Refund, row: RefundLine, quantity: int) -> UnitsAt:
    line, shipment_id = docket.lines[row.order_line_id], row.shipment_id
    parcel = sent_of(docket.shipments[shipment_id]) if shipment_id else None
    place = _reading(docket, refund).place_of(parcel) if parcel else Place.UNSHIPPED
    return UnitsAt(line.line_id, place, quantity, shipment_id, _fulfilment(line.fulfilment))
