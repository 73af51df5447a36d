"""Whether the units that an instant refund holds were kept from leaving: the word its money waits for."""

from django.db import transaction

from orders.roles import SYSTEM, Actor
from orders.services.shipments import add_unscanned
from refunds.actions import Action
from refunds.models import Refund
from refunds.services.acts.desk import Target, conclude, open_for, read_case
from refunds.states import Stop


@transaction.atomic
def confirm_stop(target: Target, *, stopped: bool, actor: Actor) -> Refund:
    """Stopped: the money goes (arrow a). Not: the units are in a parcel that nobody has scanned, a person looks (b).

    Raises what `desk.open_for` raises; Conflict `stop_not_awaited` also when somebody, or the clock, was faster.
    """
    refund, docket = open_for(Action.CONFIRM_STOP, target, actor)
    if not stopped:
        return _let_go(refund, Stop.LEFT, actor)
    refund.stop = Stop.STOPPED.value
    docket.decide_anew(refund)
    docket.record(refund, "shipment.stopped", {}, actor)
    return conclude(docket, refund)


def count_as_left(refund: Refund) -> Refund:
    """Nobody has said in time that the units stay. For who holds the order's lock and has written what he changed."""
    return _let_go(refund, Stop.UNCONFIRMED, SYSTEM)


def _let_go(refund: Refund, stop: Stop, actor: Actor) -> Refund:
    """The parcel is the order's; what it means for the refund is read from fresh rows."""
    parcel = add_unscanned(refund)
    refund, docket = read_case(refund.order_id, refund.id)
    refund.stop = stop.value
    docket.decide_anew(refund)
    docket.record(refund, "shipment.left", {"shipment": parcel.pk}, actor)
    return conclude(docket, refund)
