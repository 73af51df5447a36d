"""What people do to a refund: each act locks, checks who and what, takes an arrow, and wakes the engine."""

from collections.abc import Collection

from django.db import transaction

from orders import clock
from orders.errors import Conflict, Stale
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.roles import Actor
from refunds.actions import Action, permit
from refunds.models import Refund
from refunds.selectors.allowed import is_claimed
from refunds.selectors.refunds import refund_by_number
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.services.wakes import INSURANCE, wake_notifications, wake_refunds
from refunds.states import CANCELLABLE_STATES


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
    if any(is_claimed(m) for m in docket.movements[refund.id]):
        raise Conflict("money_claimed", "The refund is already being paid out.", state=refund.state)
    docket.follow(refund, "cancel", actor=actor)
    refund.generation += 1
    docket.set_clock(refund, docket.now + INSURANCE)
    docket.tell(refund, "cancelled", policy_of(refund.policy_version_id))
    wake_notifications(docket.write())
    wake_refunds([refund.id])
    return refund


def _open(number: str, channels: Collection[int]) -> tuple[Refund, Docket]:
    refund = refund_by_number(number, channels=channels)
    lock_orders([refund.order_id], wait_ms=WEB_WAIT_MS)
    docket = Docket([refund.order_id], now=clock.now())
    docket.open_cases([refund.id])
    return docket.refunds[refund.id], docket
