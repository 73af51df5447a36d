"""What follows from an inspection, by whoever it is ended: the warehouse, or the clock."""

from orders.roles import SYSTEM, Actor
from refunds.models import Refund, RefundLine
from refunds.services.contests import refused
from refunds.services.dispositions import dispose_accepted, send_back_refused
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.services.shrinking import shrink
from refunds.services.units import spread
from refunds.states import Rejection

FINDINGS = ("accepted", "damaged", "wrong_item", "missing")


def judge(docket: Docket, refund: Refund, actor: Actor) -> None:
    """Accepted units are paid (arrow n), with none accepted nothing is (o); the customer is told what is less."""
    kept, before = _kept(docket, refund), refund.amount_minor
    refund.deadline = None
    if any(row.quantity != kept[row.id] for row in docket.units[refund.id]):
        refused(docket, refund, by=actor)
    if not any(kept.values()):
        refund.rejection_code = Rejection.NOTHING_ACCEPTED.value
        docket.follow(refund, "refuse_goods", actor=actor)
        docket.tell(refund, "rejected", policy_of(refund.policy_version_id))
    else:
        shrink(docket, refund, kept)
        docket.follow(refund, "accept_goods", actor=actor, data={"amount_minor": refund.amount_minor})
        if refund.amount_minor != before:
            docket.tell(refund, "parcel_checked", policy_of(refund.policy_version_id))
    send_back_refused(docket, refund, actor=actor)


def end_overdue(docket: Docket, refund: Refund) -> None:
    """The time is over while boxes were still to come: what was found stands, all else counts as accepted. What becomes
    of goods that nobody has looked at nobody can say."""
    refund.inspected_at = docket.now
    docket.decide_anew(refund)
    dispose_accepted(docket, refund, actor=SYSTEM)
    for line_id in {row.order_line_id for row in docket.units[refund.id]}:
        rows = rows_of_line(docket, refund, line_id)
        rows[0].accepted += sum(row.quantity for row in rows) - sum(map(counted, rows))
        docket.changes.units[rows[0].id] = rows[0]
    judge(docket, refund, SYSTEM)


def is_noted(docket: Docket, refund: Refund) -> bool:
    """Something was found already."""
    return any(counted(row) for row in docket.units[refund.id])


def rows_of_line(docket: Docket, refund: Refund, line_id: int) -> list[RefundLine]:
    return [row for row in docket.units[refund.id] if row.order_line_id == line_id]


def counted(row: RefundLine) -> int:
    return row.accepted + row.damaged + row.wrong_item + row.missing


def _kept(docket: Docket, refund: Refund) -> dict[int, int]:
    """How many units of each row are accepted."""
    kept: dict[int, int] = {}
    for line_id in {row.order_line_id for row in docket.units[refund.id]}:
        rows = rows_of_line(docket, refund, line_id)
        kept |= spread(rows, sum(row.accepted for row in rows))
    return kept
