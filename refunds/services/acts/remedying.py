"""What the customer gets: his money, or another one of the same."""

from django.db import transaction

from orders.errors import Conflict
from orders.roles import Actor
from refunds.actions import Action
from refunds.models import Refund
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.states import Remedy


@transaction.atomic
def replace(target: Target, remedy: Remedy, *, actor: Actor) -> Refund:
    """Another one instead of the money, or the money after all. Raises what `desk.open_for` raises, and Conflict when
    it is so already."""
    refund, docket = open_for(Action.REPLACE, target, actor)
    if refund.remedy == remedy:
        raise Conflict("remedy_unchanged", f"The customer is to get that already: {remedy}.")
    refund.remedy = remedy.value
    docket.decide_anew(refund)
    docket.record(refund, "refund.remedy_set", {"remedy": remedy.value}, actor)
    return conclude(docket, refund)
