"""What becomes of goods that came back: told to the shop's warehouse system once, as an event of the feed.

What was refused is held while that can be contested; then it goes back to the customer. Whoever changes his mind about
it, and in whichever refund of the request: of what is here, and was not told of before, is told, and of nothing else.
"""

from collections import Counter
from collections.abc import Mapping

from orders.roles import SYSTEM, Actor
from refunds.models import Refund, RefundLine
from refunds.selectors.disposed import Units, boxes_of, disposed, rows_of
from refunds.services.docket import Docket
from refunds.states import FINAL_STATES, Disposition, RefundState


def dispose_accepted(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """Each unit as the warehouse said when it found it: earlier boxes' events tell, of the last one its rows."""
    accepted = boxes_of(refund.id)
    before = sum(accepted.values(), Units())
    for row in docket.units[refund.id]:
        line_id = docket.lines[row.order_line_id].line_id
        if row.accepted > before[line_id]:
            accepted[row.disposition][line_id] += row.accepted - before[line_id]
    for disposition in Disposition:
        _tell(docket, refund, accepted[disposition], disposition, actor=actor)


def write_off_paid(docket: Docket, refund: Refund, *, actor: Actor) -> None:
    """What was refused and is paid after all stays here."""
    paid = Units()
    for row in docket.units[refund.id]:
        paid[docket.lines[row.order_line_id].line_id] += row.quantity
    _tell(docket, refund, paid & refused_here(docket, refund), Disposition.WRITE_OFF, actor=actor)


def send_back_refused(docket: Docket, refund: Refund, *, actor: Actor = SYSTEM) -> None:
    """What was looked at and not accepted, unless the customer can still contest that; what is missing is nowhere."""
    if refund.inspected_at and refund.contest_until is None:
        _tell(docket, refund, refused_here(docket, refund), Disposition.SEND_BACK, actor=actor)


def dispose_refused(docket: Docket, refund: Refund, said: Mapping[Disposition, Units], *, actor: Actor) -> None:
    """So many of the refused units, as the warehouse says."""
    for disposition, counts in said.items():
        _tell(docket, refund, counts, disposition, actor=actor)


def is_contested(docket: Docket, refund: Refund) -> bool:
    """Somebody may still say, or has said, that these goods were refused wrongly, and nobody has decided."""
    first = _looked_at(docket, refund)
    same = [one for one in docket.refunds_of[refund.order_id] if _looked_at(docket, one) is first]
    return any(one.contest_until or one.state == RefundState.IN_REVIEW or _is_open(one, first) for one in same)


def _is_open(one: Refund, first: Refund) -> bool:
    return one is not first and one.state not in FINAL_STATES


def refused_here(docket: Docket, refund: Refund) -> Units:
    """What was found to be wrong, is here, and of which nobody was told yet what becomes of it."""
    first = _looked_at(docket, refund)
    here, accepted = Units(), Units()
    for row in _rows(docket, first):
        line_id = docket.lines[row.order_line_id].line_id
        here[line_id] += row.damaged + row.wrong_item
        accepted[line_id] += row.accepted
    told = Units()
    for one in docket.refunds_of[refund.order_id]:
        if _looked_at(docket, one) is first:
            told += _told(docket)[one.id]
    return here - (told - accepted)


def _looked_at(docket: Docket, refund: Refund) -> Refund:
    """The refund whose goods the warehouse has looked at; what contests it has the same ones."""
    while refund.contest_of_id:
        refund = docket.refunds[refund.contest_of_id]
    return refund


def _rows(docket: Docket, refund: Refund) -> list[RefundLine]:
    return docket.units[refund.id] if refund.id in docket.units else rows_of(refund.id)


def _told(docket: Docket) -> dict[int, Units]:
    """By refund; read for all that were looked at once the first is asked about."""
    if docket.disposed is None:
        docket.disposed = disposed([one.id for one in docket.refunds.values() if one.inspected_at])
    return docket.disposed


def _tell(docket: Docket, refund: Refund, counts: Mapping[str, int], disposition: Disposition, *, actor: Actor) -> None:
    """So many units of these lines; nothing is told of none."""
    skus = {line.line_id: line.sku for line in docket.lines_of(refund.order_id)}
    lines = [{"line": name, "sku": skus[name], "quantity": quantity} for name, quantity in counts.items() if quantity]
    if lines:
        _told(docket)[refund.id] += Counter(counts)
        docket.record(refund, "goods.disposed", {"disposition": disposition.value, "lines": lines}, actor)
