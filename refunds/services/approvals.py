"""What a second person agrees to, and whether his word is needed, from the docket's rows."""

from refunds.approving import Agreed, Asked, Second, is_protected, second, subject
from refunds.destinations import needs_second
from refunds.models import Refund
from refunds.selectors.contact import contact_of
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.states import MovementState


def second_of(docket: Docket, refund: Refund) -> Second:
    order = docket.orders[refund.order_id]
    asked = Asked(refund.amount_minor, refund.currency, _goes_elsewhere(docket, refund), order.labels)
    if not is_protected(asked, policy_of(refund.policy_version_id)):
        return Second.NOT_NEEDED
    agreed = Agreed(refund.second_for, refund.second_most_minor, refund.second_bypass) if refund.second_at else None
    return second(agreed, subject_of(docket, refund), refund.amount_minor)


def _goes_elsewhere(docket: Docket, refund: Refund) -> bool:
    movements = docket.movements[refund.id]
    if refund.target_at is None and not any(m.payee for m in movements):
        return False
    to = [m.destination for m in movements if m.state != MovementState.CANCELLED]
    return needs_second(to, contact_of(docket.orders[refund.order_id]), refund.target_at)


def subject_of(docket: Docket, refund: Refund) -> str:
    """What an approval given now is bound to."""
    units = [(docket.lines[row.order_line_id].line_id, row.quantity) for row in docket.units[refund.id]]
    targets = [str(m.destination) for m in docket.movements[refund.id] if m.state != MovementState.CANCELLED]
    return subject(units, refund.goods, targets)


def forget_second(refund: Refund) -> None:
    """It is decided anew."""
    refund.second_at, refund.second_by, refund.second_for, refund.second_most_minor = None, "", "", 0
    refund.second_bypass = ""
