"""Goods that are here, by the warehouse's word or a carrier's.

A refund that had ended without them is reviewed again (arrow y) where its units and as much money are still free; else
a person finds a case.
"""

from orders.roles import Actor
from refunds.cuts import Cut
from refunds.models import Refund
from refunds.selectors.places import free_units
from refunds.services.docket import Docket
from refunds.services.reserving import free_for, reserve
from refunds.services.shrinking import put_worth, worth_now
from refunds.states import GOODS_MAY_ARRIVE, RELEASED_STATES


def goods_are_here(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Note it, once: the first word of it counts."""
    if refund.received_at is not None:
        return
    refund.received_at = docket.now
    docket.decide_anew(refund)
    if refund.state in GOODS_MAY_ARRIVE:
        _take_up(docket, refund, actor)
    if refund.state in RELEASED_STATES:
        docket.open_incident(refund, "goods_arrived", {"number": refund.number})


def _take_up(docket: Docket, refund: Refund, actor: Actor) -> None:
    """Hold and reserve anew: what the units are worth now, and no more than before. Nothing where something is taken,
    or where a person closed the refund after its money had been tried: he knows how it was settled."""
    was_tried = any(movement.attempt for movement in docket.movements[refund.id])
    if was_tried or not _are_units_free(docket, refund):
        return
    worth = worth_now(docket, refund, limit_minor=refund.amount_minor, label=Cut.BEFORE_ARRIVAL)
    if worth.total_minor > free_for(docket, refund):
        return
    put_worth(docket, refund, worth)
    refund.approved_at, refund.approved_by = None, ""
    refund.deadline = refund.reminded_at = refund.held_from = refund.held_until = None
    docket.follow(refund, "goods_arrive", actor=actor, data={"amount_minor": refund.amount_minor})
    reserve(docket, refund, worth.total_minor)


def _are_units_free(docket: Docket, refund: Refund) -> bool:
    free = free_units(docket.lines_of(refund.order_id))[refund.order_id]
    left = {(u.line_id, u.shipment_id): u.quantity for u in free}
    return all(
        row.quantity <= left.get((docket.lines[row.order_line_id].line_id, row.shipment_id), 0)
        for row in docket.units[refund.id]
    )
