"""What the warehouse finds in what came back: unit by unit, at once or box by box."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from orders.errors import Invalid
from orders.roles import Actor
from orders.services.lines import LineKey
from refunds.actions import Action
from refunds.models import Refund, RefundLine
from refunds.services.acts.desk import Target, conclude, line_named, open_for, spread
from refunds.services.contests import refused
from refunds.services.dispositions import dispose_accepted, send_back_refused
from refunds.services.docket import Docket
from refunds.services.rows import policy_of
from refunds.services.shrinking import shrink
from refunds.states import FOR_ACCEPTED, Disposition, RefundState, Rejection

FINDINGS = ("accepted", "damaged", "wrong_item", "missing")


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was found of one line: so many units of each kind; `disposition` is what becomes of the accepted ones.
    `path` is for errors."""

    key: LineKey
    accepted: int = 0
    damaged: int = 0
    wrong_item: int = 0
    missing: int = 0
    disposition: Disposition = Disposition.RESTOCK
    path: str = "lines[0]"

    @property
    def total(self) -> int:
        return self.accepted + self.damaged + self.wrong_item + self.missing


@transaction.atomic
def inspect(target: Target, lines: Sequence[Inspected], *, more: bool = False, actor: Actor) -> Refund:
    """What was found; with `more` to come it is only noted, else every unit announced is accounted for by now.

    Accepted units are paid (arrow n), with none accepted nothing is (o); the rest is free again. Where it was paid
    before anybody looked, what is not accepted is a case for a person. Raises Invalid when the units do not add up.
    """
    refund, docket = open_for(Action.INSPECT, target, actor)
    _note_all(docket, refund, lines)
    if more:
        box = {"accepted": _accepted(docket, refund, lines)}
        docket.record(refund, "refund.box_inspected", _counts(docket, refund) | box, actor)
        return conclude(docket, refund)
    _refuse_uncounted(docket, refund, lines)
    refund.inspected_at = docket.now
    docket.decide_anew(refund)
    if refund.state == RefundState.INSPECTING:
        _judge(docket, refund, actor)
    else:
        _note_after_payment(docket, refund, actor)
    dispose_accepted(docket, refund, actor=actor)
    return conclude(docket, refund)


def _judge(docket: Docket, refund: Refund, actor: Actor) -> None:
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


def _note_after_payment(docket: Docket, refund: Refund, actor: Actor) -> None:
    """The money has gone out: nothing is taken back by itself."""
    counts = _counts(docket, refund)
    docket.record(refund, "refund.inspected", counts, actor)
    if any(line["accepted"] < sum(line[name] for name in FINDINGS) for line in counts["lines"]):
        docket.open_incident(refund, "return_short", {"number": refund.number})


def _note_all(docket: Docket, refund: Refund, lines: Sequence[Inspected]) -> None:
    named = set[int]()
    for found in lines:
        rows = line_named(docket, refund, found.key, found.path)
        announced, counted = sum(row.quantity for row in rows), sum(map(_counted, rows))
        if found.disposition not in FOR_ACCEPTED:
            detail = "What is accepted is paid and stays here."
            raise Invalid.of(f"{found.path}.disposition", "not_a_choice", detail)
        if rows[0].id in named:
            raise Invalid.of(
                found.path, "units_do_not_add_up", f"{found.key} is named twice: say it once, with all units."
            )
        if counted + found.total > announced:
            detail = f"{announced} of {found.key} were announced, {counted + found.total} are accounted for."
            raise Invalid.of(found.path, "units_do_not_add_up", detail)
        named.add(rows[0].id)
        _note(docket, rows[0], found)


def _note(docket: Docket, row: RefundLine, found: Inspected) -> None:
    """The counts of a line, on its first row: units of one line are not told apart. What becomes of them is of the last
    box that had accepted ones; of those before their events tell."""
    for name in FINDINGS:
        setattr(row, name, getattr(row, name) + getattr(found, name))
    if found.accepted:
        row.disposition = found.disposition.value
    docket.changes.units[row.id] = row


def _accepted(docket: Docket, refund: Refund, lines: Sequence[Inspected]) -> list[dict[str, Any]]:
    """The accepted units of one box, and what becomes of them."""
    named = [(line_named(docket, refund, found.key, found.path)[0], found) for found in lines if found.accepted]
    return [
        {
            "line": docket.lines[row.order_line_id].line_id,
            "quantity": found.accepted,
            "disposition": found.disposition.value,
        }
        for row, found in named
    ]


def _refuse_uncounted(docket: Docket, refund: Refund, lines: Sequence[Inspected]) -> None:
    paths = {line_named(docket, refund, found.key, found.path)[0].order_line_id: found.path for found in lines}
    for line_id in dict.fromkeys(row.order_line_id for row in docket.units[refund.id] if row.quantity):
        rows = _rows(docket, refund, line_id)
        announced, counted = sum(row.quantity for row in rows), sum(map(_counted, rows))
        name = docket.lines[line_id].line_id
        if counted == 0:
            raise Invalid.of("lines", "line_not_inspected", f"Say what was found of every line; {name} is missing.")
        if counted < announced:
            detail = f"{announced} of {name} were announced, {counted} are accounted for."
            raise Invalid.of(paths.get(line_id, "lines"), "units_do_not_add_up", detail)


def _kept(docket: Docket, refund: Refund) -> dict[int, int]:
    """How many units of each row are accepted."""
    kept: dict[int, int] = {}
    for line_id in {row.order_line_id for row in docket.units[refund.id]}:
        rows = _rows(docket, refund, line_id)
        kept |= spread(rows, sum(row.accepted for row in rows))
    return kept


def _rows(docket: Docket, refund: Refund, line_id: int) -> list[RefundLine]:
    return [row for row in docket.units[refund.id] if row.order_line_id == line_id]


def _counted(row: RefundLine) -> int:
    return sum(getattr(row, name) for name in FINDINGS)


def _counts(docket: Docket, refund: Refund) -> dict[str, list[dict[str, int]]]:
    found = [row for row in docket.units[refund.id] if _counted(row)]
    return {
        "lines": [
            {"line": docket.lines[row.order_line_id].line_id} | {name: getattr(row, name) for name in FINDINGS}
            for row in found
        ]
    }
