"""What no carrier reports and the customer has in his hands."""

from django.db import transaction

from orders.roles import Actor
from refunds.actions import Action
from refunds.models import Refund
from refunds.selectors.allowed import is_unreported
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.parcel_facts import let_others_look


@transaction.atomic
def confirm_arrival(target: Target, *, actor: Actor) -> Refund:
    """The goods have arrived, says the customer: nobody stops them any more, and they are fetched instead. What a
    carrier says later of the parcel is the truth. Raises what `desk.open_for` raises."""
    refund, docket = open_for(Action.CONFIRM_ARRIVAL, target, actor)
    for parcel in docket.parcels_of(refund):
        if is_unreported(parcel):
            parcel.delivery_known_at = docket.now
            docket.changes.shipments[parcel.id] = parcel
            docket.record(refund, "shipment.arrival_confirmed", {"shipment": parcel.id}, actor)
    docket.changes.orders[refund.order_id] = docket.orders[refund.order_id]
    let_others_look(docket, refund)
    return conclude(docket, refund)
