"""What was refused can be contested for a time, and so often; what is looked at again is held and reserved anew."""

from orders.roles import Actor
from refunds.calendars import ends_with_a_day
from refunds.cuts import Cut
from refunds.models import Refund
from refunds.selectors.places import free_units
from refunds.services.approvals import forget_second
from refunds.services.docket import Docket
from refunds.services.reserving import free_for, reserve
from refunds.services.rows import policy_of
from refunds.services.shrinking import put_worth, worth_now
from refunds.states import HeldFor


def refused(docket: Docket, refund: Refund, *, by: Actor) -> None:
    """All of it, or a part, was refused by this actor: until when the customer may contest that."""
    policy = docket.rules_of(refund)
    refund.rejected_by = by.reference
    if refund.contests < policy.contest_attempts:
        refund.contest_until = ends_with_a_day(policy.calendar, docket.now, policy.contest_seconds)
    docket.decide_anew(refund)


def take_up(docket: Docket, refund: Refund, verb: str, *, actor: Actor) -> bool:
    """Hold and reserve anew what has ended without money, and follow the arrow: what the units are worth now, and no
    more than before. False, and nothing done, where units or money are taken."""
    if not _are_units_free(docket, refund):
        return False
    label = Cut.BEFORE_ARRIVAL if verb == "goods_arrive" else Cut.BEFORE_END
    worth = worth_now(docket, refund, limit_minor=refund.amount_minor, label=label)
    if worth.total_minor > free_for(docket, refund):
        return False
    put_worth(docket, refund, worth)
    refund.approved_at, refund.approved_by = None, ""
    forget_second(refund)
    refund.deadline = refund.reminded_at = refund.held_from = refund.held_until = refund.contest_until = None
    refund.held_for = HeldFor.SHOP.value
    docket.follow(refund, verb, actor=actor, data={"amount_minor": refund.amount_minor})
    reserve(docket, refund, worth.total_minor)
    return True


def _are_units_free(docket: Docket, refund: Refund) -> bool:
    reading = policy_of(refund.policy_version_id).reading(docket.now)
    free = free_units(docket.lines_of(refund.order_id), {refund.order_id: reading})[refund.order_id]
    left = {(u.line_id, u.shipment_id): u.quantity for u in free}
    return all(
        row.quantity <= left.get((docket.lines[row.order_line_id].line_id, row.shipment_id), 0)
        for row in docket.units[refund.id]
    )
