"""What a second person agrees to, and whether his word is needed, from the docket's rows."""

from refunds.approving import Agreed, Second, is_protected, second, subject
from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.states import MovementState


def second_of(docket: Docket, refund: Refund) -> Second:
    agreed = Agreed(refund.second_for, refund.second_most_minor) if refund.second_at else None
    protected = is_protected(
        refund.amount_minor, refund.currency, goes_elsewhere=False, policy=policy_of(refund.policy_version_id)
    )
    return second(agreed, subject_of(docket, refund), refund.amount_minor, protected=protected)


def subject_of(docket: Docket, refund: Refund) -> str:
    """What an approval given now is bound to."""
    units = [(docket.lines[row.order_line_id].line_id, row.quantity) for row in docket.units[refund.id]]
    targets = [m.target for m in docket.movements[refund.id] if m.state != MovementState.CANCELLED]
    return subject(units, refund.goods, targets)


def forget_second(refund: Refund) -> None:
    """It is decided anew."""
    refund.second_at, refund.second_by, refund.second_for, refund.second_most_minor = None, "", "", 0
