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
from refunds.services.acts.desk import Target, conclude, line_named, open_for
from refunds.services.dispositions import dispose_accepted
from refunds.services.docket import Docket
from refunds.services.inspection import FINDINGS, counted, judge, rows_of_line
from refunds.states import FOR_ACCEPTED, Disposition, RefundState


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
    if more and not any(found.total for found in lines):
        raise Invalid.of("lines", "nothing_found", "Say what was found in this box, or that no more come.")
    if more:
        box = {"accepted": _accepted(docket, refund, lines)}
        docket.record(refund, "refund.box_inspected", _counts(docket, refund) | box, actor)
        return conclude(docket, refund)
    _refuse_uncounted(docket, refund, lines)
    refund.inspected_at = docket.now
    docket.decide_anew(refund)
    if refund.state == RefundState.INSPECTING:
        judge(docket, refund, actor)
    else:
        _note_after_payment(docket, refund, actor)
    dispose_accepted(docket, refund, actor=actor)
    return conclude(docket, refund)


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
        announced, before = sum(row.quantity for row in rows), sum(map(counted, rows))
        if found.disposition not in FOR_ACCEPTED:
            detail = "What is accepted is paid and stays here."
            raise Invalid.of(f"{found.path}.disposition", "not_a_choice", detail)
        if rows[0].id in named:
            detail = f"{found.key} is named twice: say it once, with all of its units."
            raise Invalid.of(found.path, "units_do_not_add_up", detail)
        if before + found.total > announced:
            detail = f"{announced} of {found.key} were announced, {before + found.total} are accounted for."
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
        rows = rows_of_line(docket, refund, line_id)
        announced, accounted = sum(row.quantity for row in rows), sum(map(counted, rows))
        name = docket.lines[line_id].line_id
        if accounted == 0:
            raise Invalid.of("lines", "line_not_inspected", f"Say what was found of every line; {name} is missing.")
        if accounted < announced:
            detail = f"{announced} of {name} were announced, {accounted} are accounted for."
            raise Invalid.of(paths.get(line_id, "lines"), "units_do_not_add_up", detail)


def _counts(docket: Docket, refund: Refund) -> dict[str, list[dict[str, int]]]:
    found = [row for row in docket.units[refund.id] if counted(row)]
    return {
        "lines": [
            {"line": docket.lines[row.order_line_id].line_id} | {name: getattr(row, name) for name in FINDINGS}
            for row in found
        ]
    }
