"""A movement that another one takes the place of: it was taken back by its gateway, or is to go elsewhere."""

from orders.errors import Conflict
from orders.roles import Actor
from refunds.destinations import Destination
from refunds.models import GatewayRefund
from refunds.services.docket import Docket
from refunds.states import MovementState


def pay_anew(docket: Docket, movement: GatewayRefund, actor: Actor, to: Destination | None = None) -> None:
    """What was reversed is paid by another movement, where it went before or `to`. Conflict when the money is taken."""
    if docket.shares[movement.share_id].excess_minor:
        refuse_taken(docket, movement)
    pay_by_another(docket, movement, actor, to)


def pay_by_another(
    docket: Docket, movement: GatewayRefund, actor: Actor, to: Destination | None = None
) -> GatewayRefund:
    """The reservation goes over to a new movement; the reversed one stays what it is."""
    refund, share = docket.refunds[movement.refund_id], docket.shares[movement.share_id]
    docket.book(docket.entry(share, "release", movement.amount_minor, movement_id=movement.id))
    again = docket.add_movement(refund, share, movement.amount_minor, to or movement.destination)
    movement.replaced_by = again.number
    docket.changes.replaced[movement.id] = movement
    docket.record(refund, "gateway_refund.replaced", {"number": movement.number, "by": again.number}, actor)
    return again


def redirect(docket: Docket, movement: GatewayRefund, to: Destination, actor: Actor) -> None:
    """It goes there. Once it has been sent its number stands for where it went, and another takes its place."""
    if movement.state == MovementState.REVERSED:
        pay_anew(docket, movement, actor, to)
    elif movement.state == MovementState.FAILED:
        refuse_taken(docket, movement)
        _instead(docket, movement, to)
    elif movement.first_sent_at:
        _instead(docket, movement, to)
    else:
        movement.destination = to
        docket.changes.redirected[movement.id] = movement


def refuse_taken(docket: Docket, movement: GatewayRefund) -> None:
    """Raise Conflict where others have the money of one that reserves nothing."""
    share = docket.shares[movement.share_id]
    if share.free_minor < movement.amount_minor:
        detail = f"Only {share.free_minor} of the payment is left (minor units); {movement.amount_minor} are needed."
        raise Conflict("money_not_left", detail, left_minor=share.free_minor)


def _instead(docket: Docket, movement: GatewayRefund, to: Destination) -> None:
    """What a dispute withholds of it is withheld of the other one."""
    refund, share, withheld = (
        docket.refunds[movement.refund_id],
        docket.shares[movement.share_id],
        movement.disputed_minor,
    )
    with docket.as_one():
        docket.move(movement, MovementState.CANCELLED)
        made = docket.add_movement(refund, share, movement.amount_minor, to)
        if withheld:
            docket.withhold(made, withheld)
