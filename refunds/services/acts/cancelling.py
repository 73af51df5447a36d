"""Cancelling, as long as the customer has the goods. With a courier on his way it is a wish, until he confirms that
he does not come."""

from django.db import transaction

from orders.roles import Actor
from refunds.actions import Action
from refunds.calls import CallPhase
from refunds.models import Refund
from refunds.parcels import COMING
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.states import WISH_STATES


@transaction.atomic
def cancel_refund(target: Target, *, actor: Actor) -> Refund:
    """Cancel while no money is claimed and the customer has the goods (arrow w): units and reservation are free again.

    With a courier booked the refund stays as it is and `cancel_wanted_by` says who wishes it to end; the same wish
    again changes nothing; it is dropped by whatever overtakes it. Raises what `desk.open_for` raises.
    """
    refund, docket = open_for(Action.CANCEL, target, actor)
    if refund.state in WISH_STATES and _may_a_courier_come(docket, refund):
        if refund.cancel_wanted_by:
            return refund
        refund.cancel_wanted_by = actor.reference
        docket.decide_anew(refund)
        docket.record(refund, "refund.cancel_requested", {}, actor)
        return conclude(docket, refund)
    docket.follow(refund, "cancel", actor=actor)
    docket.tell(refund, "cancelled", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


def _may_a_courier_come(docket: Docket, refund: Refund) -> bool:
    """Booked, or asked for without an answer yet."""
    return any(p.account and (p.call != CallPhase.IDLE or p.state in COMING) for p in docket.pickups[refund.id])
