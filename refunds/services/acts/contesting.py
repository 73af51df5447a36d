"""A refusal is looked at again: the customer does not agree with it, or an agent thinks better of it."""

from collections.abc import Iterator

from django.db import transaction

from orders.errors import Conflict, Invalid, Problem
from orders.roles import Actor
from refunds.actions import Action
from refunds.models import Refund
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.acts.writing import say, worded
from refunds.services.contests import take_up
from refunds.services.docket import Docket
from refunds.services.places import refused_units
from refunds.services.requests import request_refunds
from refunds.services.wishes import Contested, RefundWish
from refunds.states import RefundState, Remedy


@transaction.atomic
def contest(target: Target, *, note: str, actor: Actor) -> Refund:
    """The customer does not agree, and says why. What was rejected is reviewed again (arrow x), by another agent; of a
    part that was refused there is a further refund under the same request, which is returned.

    Raises what `desk.open_for` raises, Invalid without a note, and Conflict where units or money are taken meanwhile.
    """
    refund, docket = open_for(Action.CONTEST, target, actor)
    say(docket, refund, worded(note, path="note"), actor, for_customer=True)
    refund.contests += 1
    if refund.state == RefundState.REJECTED:
        _again(docket, refund, actor)
    refund.contest_until = None
    docket.decide_anew(refund)
    docket.record(refund, "refund.contested", {}, actor)
    if refund.state == RefundState.IN_REVIEW:
        return conclude(docket, refund)
    wishes = [*_again_in_part(docket, refund, note, actor)]
    conclude(docket, refund)
    return _requested(wishes)


@transaction.atomic
def reopen(target: Target, *, note: str, actor: Actor) -> Refund:
    """Arrow x, by an agent, however long ago. Raises as `contest` does."""
    if not note.strip():
        raise Invalid.of("note", "required", "Say why it is looked at again.")
    refund, docket = open_for(Action.REOPEN, target, actor)
    _again(docket, refund, actor)
    docket.record(refund, "refund.reopened", {"note": note}, actor)
    return conclude(docket, refund)


def _again(docket: Docket, refund: Refund, actor: Actor) -> None:
    if not take_up(docket, refund, "reopen", actor=actor):
        raise Conflict("taken_since", "Its units or its money are in another refund by now.")
    refund.assignee_id = None


def _again_in_part(docket: Docket, refund: Refund, note: str, actor: Actor) -> Iterator[RefundWish]:
    """What was inspected and what was not are two cases: only one of them is in the warehouse."""
    order = docket.orders[refund.order_id]
    for inspected in (False, True):
        if units := refused_units(docket, refund, inspected=inspected):
            yield RefundWish(
                channel_id=order.channel_id,
                order_number=order.number,
                actor=actor,
                reason_code=refund.reason_code,
                note=note,
                contests=Contested(refund, units, inspected=inspected),
                remedy=Remedy(refund.remedy),
            )


def _requested(wishes: list[RefundWish]) -> Refund:
    """The first refund they became. Raises the Problem of one that cannot be."""
    refunds: list[Refund] = []
    for answer in request_refunds(wishes):
        if isinstance(answer, Problem):
            raise answer
        refunds += answer.refunds
    return refunds[0]
