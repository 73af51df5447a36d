"""Goods that are here, by the warehouse's word or a carrier's.

A refund that had ended without them is reviewed again (arrow y) where its units and as much money are still free; else
a person finds a case.
"""

from orders.roles import Actor
from refunds.models import Refund
from refunds.services.contests import take_up
from refunds.services.docket import Docket
from refunds.states import GOODS_MAY_ARRIVE, RELEASED_STATES


def goods_are_here(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Note it, once: the first word of it counts."""
    if refund.received_at is not None:
        return
    refund.received_at = docket.now
    docket.decide_anew(refund)
    # Where a person closed it after its money had been tried he knows how it was settled.
    was_tried = any(movement.attempt for movement in docket.movements[refund.id])
    if refund.state in GOODS_MAY_ARRIVE and not was_tried:
        take_up(docket, refund, "goods_arrive", actor=actor)
    if refund.state in RELEASED_STATES:
        docket.open_incident(refund, "goods_arrived", {"number": refund.number})
