"""What a caller can do next with a refund, read from loaded rows by the one table (`refunds.actions`)."""

from orders.roles import Role
from refunds.actions import Action, allowed
from refunds.models import GatewayRefund, Refund
from refunds.states import MovementState, RefundState

_MOVED_NOTHING = frozenset({MovementState.INTENDED, MovementState.FAILED, MovementState.CANCELLED})


def is_claimed(movement: GatewayRefund) -> bool:
    """The money has left, or may have: the call is out, its outcome unknown, or the gateway has taken it."""
    return movement.call != "idle" or movement.state not in _MOVED_NOTHING


def allowed_actions(refund: Refund, role: Role) -> tuple[Action, ...]:
    """Expects `gateway_refunds` to be prefetched when called for many."""
    claimed = any(is_claimed(movement) for movement in refund.gateway_refunds.all())
    return allowed(role=role, state=RefundState(refund.state), claimed=claimed, held=refund.held_until is not None)
