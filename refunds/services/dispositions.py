"""What becomes of goods that came back: told to the shop's warehouse system once, as an event of the feed.

What was refused is held while that can be contested; then it goes back to the customer.
"""

from collections import Counter
from collections.abc import Mapping

from orders.roles import SYSTEM, Actor
from refunds.models import Refund, RefundLine
from refunds.services.docket import Docket
from refunds.states import Disposition


def dispose(
    docket: Docket, refund: Refund, what: Mapping[RefundLine, int], disposition: Disposition, *, actor: Actor = SYSTEM
) -> None:
    """So many units of these rows; nothing is told of none."""
    counts = Counter[int]()
    for row, quantity in what.items():
        counts[row.order_line_id] += quantity
    lines = [
        {"line": docket.lines[line_id].line_id, "sku": docket.lines[line_id].sku, "quantity": quantity}
        for line_id, quantity in counts.items()
        if quantity
    ]
    if lines:
        docket.record(refund, "goods.disposed", {"disposition": disposition.value, "lines": lines}, actor)


def dispose_accepted(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Each line as the warehouse said."""
    rows = [row for row in docket.units[refund.id] if row.accepted]
    for disposition in Disposition:
        dispose(docket, refund, {r: r.accepted for r in rows if r.disposition == disposition}, disposition, actor=actor)


def send_back_refused(docket: Docket, refund: Refund, *, actor: Actor = SYSTEM) -> None:
    """What was looked at and not accepted, unless the customer can still contest that; what is missing is nowhere."""
    if refund.inspected_at is None or refund.contest_until is not None:
        return
    refused = {row: _refused_here(refund, row) for row in docket.units[refund.id]}
    dispose(docket, refund, refused, Disposition.SEND_BACK, actor=actor)


def _refused_here(refund: Refund, row: RefundLine) -> int:
    """Of a contested part all of it was refused before."""
    return row.quantity if refund.contest_of_id else row.damaged + row.wrong_item
