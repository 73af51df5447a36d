"""A movement divided in two: once it has been sent its amount is frozen, so two others take its place."""

from refunds.models import GatewayRefund
from refunds.services.docket import Docket
from refunds.states import MovementState


def split_off(docket: Docket, movement: GatewayRefund, part_minor: int) -> GatewayRefund:
    """A movement of its own for a part of one that is not out; the rest is another, and both stand where it stood.

    The part has what a dispute withholds of it first.
    """
    refund, share = docket.refunds[movement.refund_id], docket.shares[movement.share_id]
    code = movement.failure_code if movement.state == MovementState.FAILED else ""
    amounts, withheld = (part_minor, movement.amount_minor - part_minor), movement.disputed_minor
    made = []
    with docket.as_one():
        docket.move(movement, MovementState.CANCELLED)
        for amount_minor in amounts:
            made.append(docket.add_movement(refund, share, amount_minor, movement.destination, failure_code=code))
            if taken := min(withheld, amount_minor):
                docket.withhold(made[-1], taken)
                withheld -= taken
    return made[0]
