"""What people do to a refund: each act locks, checks who and what, takes an arrow, and wakes the engine."""

from collections.abc import Collection

from django.db import transaction

from orders import clock
from orders.errors import Conflict, Stale
from orders.locks import lock_orders
from orders.roles import Actor
from refunds.actions import Action, permit
from refunds.calls import CallPhase
from refunds.models import GatewayRefund, Refund
from refunds.selectors.refunds import refund_by_number
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.services.wakes import wake_notifications
from refunds.states import CANCELLABLE_STATES, MovementState

LOCK_WAIT_MS = 3000


@transaction.atomic
def cancel_refund(*, number: str, channels: Collection[int], actor: Actor, if_match: int | None = None) -> Refund:
    """Cancel while no money is claimed (arrow w): units and reservation are free again.

    Raises Forbidden, NotFound (unknown or of another channel), Stale (`if_match` is not the resource version),
    Conflict (too late: the message says why), LockNotHad.
    """
    permit(Action.CANCEL, actor)
    refund, docket = _open(number, channels)
    if if_match is not None and if_match != refund.resource_version:
        raise Stale("stale_version", f"The refund is at version {refund.resource_version}: read it again.")
    if refund.state not in CANCELLABLE_STATES:
        raise Conflict("not_cancellable", f"A refund that is {refund.state} cannot be cancelled.", state=refund.state)
    if any(_is_claimed(m) for m in docket.movements[refund.id]):
        raise Conflict("money_claimed", "The refund is already being paid out.", state=refund.state)
    docket.follow(refund, "cancel", actor=actor)
    refund.generation += 1
    refund.observed_generation = refund.generation
    docket.set_clock(refund, None)
    docket.tell(refund, "cancelled", policy_of(refund.policy_version_id))
    wake_notifications(docket.write())
    return refund


def _open(number: str, channels: Collection[int]) -> tuple[Refund, Docket]:
    refund = refund_by_number(number, channels=channels)
    lock_orders([refund.order_id], wait_ms=LOCK_WAIT_MS)
    docket = Docket([refund.order_id], now=clock.now())
    docket.open_cases([refund.id])
    return docket.refunds[refund.id], docket


def _is_claimed(movement: GatewayRefund) -> bool:
    """Sent at least once and not known to have failed: the money may have moved."""
    if movement.call != CallPhase.IDLE:
        return True
    return movement.state not in (MovementState.INTENDED, MovementState.FAILED, MovementState.CANCELLED)
