"""Money that is held for an order and not captured: what a refund of it waits for, and what the end of a hold means.

The shop tells of captures and of holds that end. What was reserved on a hold that has ended was never taken from the
customer: it is released, and its refund ends with as much less to move.
"""

from collections.abc import Mapping

from orders import clock
from orders.models import PaymentShare
from refunds.models import GatewayRefund
from refunds.services.docket import Docket
from refunds.services.splitting import split_off
from refunds.services.wakes import wake_notifications
from refunds.states import MovementKind, MovementState


def end_holds(order_id: int, held_minor: Mapping[int, int]) -> None:
    """No more than this is held on these shares (by id) from now on. The order is locked."""
    docket = Docket([order_id], now=clock.now())
    docket.open_cases(docket.refunds)
    for share_id, left_minor in held_minor.items():
        _end(docket, docket.shares[share_id], left_minor)
    wake_notifications(docket.write())


def follow_statement(docket: Docket, movement: GatewayRefund) -> None:
    """The hold that it was to end has not ended by us: what the shop has told of it meanwhile counts now."""
    share, stated = docket.shares[movement.share_id], docket.payment_of(movement).authorized_minor
    if stated is not None:
        _end(docket, share, max(0, stated - share.captured_minor))


def _end(docket: Docket, share: PaymentShare, left_minor: int) -> None:
    """What we are ending ourselves stays in the books until its gateway has answered."""
    ended = share.authorized_minor - max(left_minor, docket.ending_on(share))
    if ended <= 0:
        return
    with docket.as_one():
        _release(docket, share, max(0, ended - max(0, share.free_minor)))
        docket.book(docket.entry(share, "authorize_ended", ended, movement_id=None))


def _release(docket: Docket, share: PaymentShare, short_minor: int) -> None:
    """The newest refunds first; what has been sent was sent by a mistake of somebody's, and is excess."""
    for movement in docket.unsent(share):
        part = min(short_minor, movement.amount_minor)
        if part <= 0:
            return
        short_minor -= part
        if part < movement.amount_minor:
            movement = split_off(docket, movement, part)
        docket.turn_into(movement, MovementKind.VOID)
        docket.move(movement, MovementState.EXTERNAL)
        docket.look_soon(docket.refunds[movement.refund_id])
