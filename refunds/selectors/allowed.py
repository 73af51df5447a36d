"""What a caller can do next with a refund, read from loaded rows by the one table (`refunds.actions`)."""

from collections.abc import Iterable

from orders.roles import Actor
from refunds.actions import Action, Position, allowed
from refunds.models import GatewayRefund, Pickup, Refund
from refunds.states import Goods, MovementState, PickupState, RefundState, Route, Stop

_MOVED_NOTHING = frozenset({MovementState.INTENDED, MovementState.FAILED, MovementState.CANCELLED})
_UNDER_WAY = frozenset({PickupState.COLLECTED, PickupState.IN_TRANSIT})


def is_claimed(movement: GatewayRefund) -> bool:
    """The money has left, or may have: the call is out, its outcome unknown, or the gateway has taken it."""
    return movement.call != "idle" or movement.state not in _MOVED_NOTHING


def is_missing(movement: GatewayRefund) -> bool:
    """It failed, or was taken back by the gateway and not paid again since."""
    is_taken_back = movement.state == MovementState.REVERSED and not movement.replaced_by
    return movement.state == MovementState.FAILED or is_taken_back


def is_seen(parcel: Pickup) -> bool:
    """A carrier has spoken of it, not only the customer who says that he posted it."""
    return bool(parcel.account) or parcel.fact_at is not None


def position(refund: Refund, movements: Iterable[GatewayRefund], pickups: Iterable[Pickup]) -> Position:
    """Where a refund stands, by its rows."""
    movements, missing = list(movements), [m for m in movements if is_missing(m)]
    under_way = [p for p in pickups if p.state in _UNDER_WAY]
    return Position(
        state=RefundState(refund.state),
        route=Route(refund.route),
        requested_by=refund.requested_by,
        held=refund.held_until is not None,
        claimed=any(is_claimed(m) for m in movements),
        open_outcome=any(m.call != "idle" or m.state == MovementState.PENDING for m in movements),
        missing=bool(missing),
        doubted=any(m.call != "idle" or m.retry_at for m in missing),
        under_way=bool(under_way),
        carried=any(is_seen(p) for p in under_way),
        sent=refund.goods == Goods.ALREADY_SENT or any(not p.account for p in under_way),
        unconfirmed=refund.stop == Stop.AWAITED,
    )


def allowed_actions(refund: Refund, actor: Actor) -> tuple[Action, ...]:
    """Expects `gateway_refunds` and `pickups` to be prefetched when called for many."""
    return allowed(position(refund, refund.gateway_refunds.all(), refund.pickups.all()), actor)
