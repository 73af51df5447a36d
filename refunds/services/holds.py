"""A hold stops a refund's clock and its money: what was left of a deadline when it began is left when it ends."""

from orders.roles import Actor
from refunds.models import Refund
from refunds.services.docket import Docket


def end_hold(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Resume, if it is on hold; a deadline moves by as long as the hold lasted."""
    if refund.held_until is None:
        return
    if refund.held_from and refund.deadline:
        ended_at = min(docket.now, refund.held_until)
        refund.deadline += ended_at - refund.held_from
    refund.held_from = refund.held_until = None
    docket.decide_anew(refund)
    docket.record(refund, "refund.resumed", {}, actor)
