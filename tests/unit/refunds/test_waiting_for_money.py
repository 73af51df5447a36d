"""What others have to do before money can leave, or have taken it: disputes, captures, facts. The table of decide."""

from typing import Any

import pytest

from refunds.decide import decide
from refunds.observing import observe
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import RefundState, Route
from tests.unit.refunds.shorthand import FIRST_SENT, movement, replace, second

POLICY, HOUR, DAY = PolicySpec(), 3600, 24 * 3600
DISPUTED, HELD, OVERDRAWN = {"disputed": True}, {"uncaptured": True}, {"overdrawn": True}

Row = tuple[RefundState, list[tuple[str, dict[str, Any]]], int, list[str], str, str]
#: State, movements (as in `shorthand`, with what is so of each) -> what is sent, given up, which arrows, condition.
TABLE: list[Row] = [
    (RefundState.REQUESTED, [("intended idle", DISPUTED)], 0, [], "pay_at_once", "DisputeOpen"),
    (RefundState.REFUNDING, [("intended idle", DISPUTED)], 0, [], "-", "DisputeOpen"),
    (RefundState.REFUNDING, [("intended idle", DISPUTED), ("intended idle", {})], 0, [], "-", "DisputeOpen"),
    (RefundState.REFUNDING, [("external idle", {}), ("intended idle", {})], 1, [], "-", "-"),
    (RefundState.REFUNDING, [("external idle", {})], 0, [], "succeed", "-"),
    (RefundState.FAILED, [("external idle", {})], 0, [], "settle", "-"),
    (RefundState.REQUESTED, [("intended idle", HELD)], 0, [], "pay_at_once", "AwaitingCapture"),
    (RefundState.REFUNDING, [("intended idle", HELD), ("intended idle", {})], 1, [], "-", "AwaitingCapture"),
    (RefundState.REFUNDING, [("intended idle", HELD | DISPUTED)], 0, [], "-", "DisputeOpen"),
    (RefundState.REFUNDING, [("intended idle", OVERDRAWN)], 0, ["funds_taken"], "fail", "FundsTaken"),
    (RefundState.REFUNDING, [("intended sent", OVERDRAWN)], 0, [], "-", "-"),
    (RefundState.REFUNDING, [("intended unknown", OVERDRAWN)], 0, [], "-", "-"),
    (RefundState.REFUNDING, [("pending idle", OVERDRAWN)], 0, [], "-", "-"),
    (RefundState.REFUNDING, [("failed idle", {"failure_code": "funds_taken"})], 0, [], "fail", "FundsTaken"),
    (RefundState.IN_REVIEW, [("failed idle", {"failure_code": "funds_taken"})], 0, [], "-", "FundsTaken"),
]


def seen(state: RefundState, rows: list[tuple[str, dict[str, Any]]]) -> Seen:
    moves = [replace(movement(text), number=f"RF-1-{n}", **so) for n, (text, so) in enumerate(rows, start=1)]
    amount = 1000 * len(moves)
    return Seen(state, Route.INSTANT, amount, "EUR", FIRST_SENT, tuple(moves), acknowledged=True)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}-{row[4]}-{row[5]}")
def test_what_follows(row: Row) -> None:
    state, rows, sends, given_up, goes, condition = row
    it = seen(state, rows)
    plan = decide(it, POLICY, now=second(1))
    assert (len(plan.sends), [*plan.given_up.values()], " ".join(plan.verbs) or "-") == (sends, given_up, goes)
    after = seen(state, [("failed idle", {"failure_code": code}) for code in given_up] or rows)
    found = {c.type for c in observe(after, now=second(1))} & {"DisputeOpen", "AwaitingCapture", "FundsTaken"}
    assert found == ({condition} - {"-"})


@pytest.mark.parametrize(
    ("so", "waited_for", "seconds"),
    [
        ({}, "", 3 * DAY),
        (DISPUTED, "", POLICY.dispute_seconds),
        (HELD, "", POLICY.capture_seconds),
        (HELD, "DisputeOpen", POLICY.capture_seconds),
        ({}, "DisputeOpen", 3 * DAY),
    ],
)
def test_the_time_to_pay_begins_anew_with_what_is_waited_for(so: dict[str, Any], waited_for: str, seconds: int) -> None:
    it = replace(seen(RefundState.REFUNDING, [("intended idle", so)]), waited_for=waited_for)
    stored = second(HOUR) if it.waits_for != waited_for else None
    plan = decide(replace(it, deadline=stored), POLICY, now=second(0))
    assert plan.deadline == second(seconds)
    kept = decide(replace(it, deadline=second(HOUR), waited_for=it.waits_for), POLICY, now=second(0))
    assert kept.deadline == second(HOUR)


def test_what_waits_too_long_is_given_up() -> None:
    it = replace(
        seen(RefundState.REFUNDING, [("intended idle", HELD)]), waited_for="AwaitingCapture", deadline=second(HOUR)
    )
    plan = decide(it, POLICY, now=second(HOUR))
    assert (plan.given_up, plan.verbs, plan.messages) == ({"RF-1-1": "never_sent"}, ("fail",), ("failed",))
