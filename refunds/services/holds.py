"""What stops a refund's clock: a hold, which stops its money too, or others who are late."""

from datetime import datetime

from orders.roles import Actor
from refunds.clocks import goes_on, goes_on_worked
from refunds.models import Refund
from refunds.observing import known_from, waited_for
from refunds.seen import AWAITS_REPLACEMENT
from refunds.services.docket import Docket
from refunds.states import HeldFor, RefundState


def stand_still(docket: Docket, refund: Refund, *, since: datetime, until: datetime) -> None:
    """Its clock did, so its deadline, if there is one, moves on."""
    if refund.deadline:
        calendar, state = docket.rules_of(refund).calendar, RefundState(refund.state)
        if waited_for(known_from(refund.conditions)) == AWAITS_REPLACEMENT:
            refund.deadline = goes_on_worked(calendar, refund.deadline, stopped_at=since, at=until)
        else:
            refund.deadline = goes_on(state, calendar, refund.deadline, stopped_at=since, at=until)


def end_hold(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Resume, if it is on hold; a deadline moves by as long as the hold lasted."""
    if refund.held_until is None:
        return
    if refund.held_from:
        stand_still(docket, refund, since=refund.held_from, until=min(docket.now, refund.held_until))
    refund.held_from = refund.held_until = None
    refund.held_for = HeldFor.SHOP.value
    docket.decide_anew(refund)
    docket.record(refund, "refund.resumed", {}, actor)
