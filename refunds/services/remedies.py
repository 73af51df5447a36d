"""Another one of the same instead of the money: the shop is asked for it, and without one in time the money goes."""

from typing import Any

from orders.roles import SYSTEM
from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.states import Remedy


def ask_for_replacement(docket: Docket, refund: Refund) -> None:
    """The shop finds in the feed what it is to send, and until when it can say under which order it does."""
    until = refund.deadline.isoformat() if refund.deadline else None
    docket.record(refund, "refund.replacement_wanted", {"lines": _lines(docket, refund), "until": until}, SYSTEM)


def pay_instead(docket: Docket, refund: Refund) -> None:
    """It has not said so in time."""
    refund.remedy = Remedy.MONEY.value
    docket.decide_anew(refund)
    docket.record(refund, "refund.replacement_overdue", {}, SYSTEM)


def _lines(docket: Docket, refund: Refund) -> list[dict[str, Any]]:
    units = [(docket.lines[row.order_line_id], row.quantity) for row in docket.units[refund.id] if row.quantity]
    return [{"line": line.line_id, "sku": line.sku, "quantity": quantity} for line, quantity in units]
