"""Whose case it is: an agent takes it, gives it to a colleague, or gives it back."""

from django.db import transaction

from orders.errors import Invalid
from orders.models import Principal
from orders.roles import Actor
from refunds.actions import AGENTS, Action
from refunds.models import Refund
from refunds.services.acts.desk import Target, open_for
from refunds.services.wakes import wake_notifications


@transaction.atomic
def assign(target: Target, *, to: int | None, actor: Actor) -> Refund:
    """Give the case to this principal; None: to nobody. The same again changes nothing, and the engine never cares.

    Raises what `desk.open_for` raises, and Invalid for one who is no agent of the refund's channel.
    """
    refund, docket = open_for(Action.ASSIGN, target, actor)
    if refund.assignee_id == to:
        return refund
    channel_id = docket.orders[refund.order_id].channel_id
    if to is not None and not _is_agent(to, channel_id):
        raise Invalid.of("to", "unknown_agent", "Nobody of that name is an agent of this channel.")
    refund.assignee_id = to
    docket.changes.decisions[refund.id] = refund
    docket.record(refund, "refund.assigned", {"to": None if to is None else f"principal:{to}"}, actor)
    wake_notifications(docket.write())
    return refund


def _is_agent(principal_id: int, channel_id: int) -> bool:
    """Of this channel, and does not leave while he gets a case."""
    here = Principal.objects.filter(pk=principal_id, role__in=AGENTS, channels=channel_id, left_at=None)
    return here.select_for_update(of=("self",), no_key=True).exists()
