"""Ways out of a failed refund: try again, or close it as it stands."""

from django.db import transaction

from orders.errors import Conflict, Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.models import GatewayRefund, Refund
from refunds.selectors.allowed import is_missing
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.docket import Docket
from refunds.states import MovementState

_UNMOVED = (MovementState.INTENDED, MovementState.FAILED, MovementState.REVERSED)
_SETTLED = (MovementState.SUCCEEDED, MovementState.EXTERNAL)


@transaction.atomic
def retry(target: Target, *, actor: Actor) -> Refund:
    """Arrow s: what failed is reserved again and sent under the same number; what was reversed is paid anew, by another
    movement with a number of its own. Conflict when the money is taken."""
    refund, docket = open_for(Action.RETRY, target, actor)
    for movement in [m for m in docket.movements[refund.id] if is_missing(m)]:
        if movement.state == MovementState.REVERSED:
            _pay_anew(docket, refund, movement, actor)
        else:
            _refuse_taken(docket, movement)
            docket.move(movement, MovementState.INTENDED)
    docket.follow(refund, "retry", actor=actor)
    return conclude(docket, refund)


@transaction.atomic
def close(target: Target, *, note: str, actor: Actor) -> Refund:
    """Arrow u: closed by a person as it stands, moved in part or not at all; what has not moved is free again."""
    if not note.strip():
        raise Invalid.of("note", "required", "Say why it is closed.")
    refund, docket = open_for(Action.CLOSE, target, actor)
    movements = docket.movements[refund.id]
    moved = any(m.state in _SETTLED for m in movements)
    docket.close_incidents(refund, actor=actor, note=note)
    docket.follow(refund, "close_partly" if moved else "close_unmoved", actor=actor)
    for movement in movements:
        if movement.state in _UNMOVED and not movement.replaced_by:
            docket.move(movement, MovementState.CANCELLED)
    return conclude(docket, refund)


def _pay_anew(docket: Docket, refund: Refund, movement: GatewayRefund, actor: Actor) -> None:
    """The reservation goes over to a new movement; the reversed one stays what it is."""
    docket.book(
        docket.entry(docket.shares[movement.share_id], "release", movement.amount_minor, movement_id=movement.id)
    )
    _refuse_taken(docket, movement)
    again = docket.add_movement(refund, docket.shares[movement.share_id], movement.amount_minor, movement.target)
    movement.replaced_by = again.number
    docket.changes.replaced[movement.id] = movement
    docket.record(refund, "gateway_refund.replaced", {"number": movement.number, "by": again.number}, actor)


def _refuse_taken(docket: Docket, movement: GatewayRefund) -> None:
    share = docket.shares[movement.share_id]
    if share.free_minor < movement.amount_minor:
        detail = f"Only {share.free_minor} of the payment is left (minor units); {movement.amount_minor} are needed."
        raise Conflict("money_not_left", detail, left_minor=share.free_minor)
