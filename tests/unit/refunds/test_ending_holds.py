"""When a hold is ended instead of refunded, and what its gateway's answers mean. The tables of decide and judging."""

from typing import Any

import pytest

from refunds.decide import decide
from refunds.judging import Attempt, judge_look_up, judge_reply
from refunds.movements import MovementView
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import MovementKind, RefundState, Route
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, TIMING, fact, movement, replace, second
from workers.ports import ALREADY_CAPTURED, CANNOT_VOID, Accepted, Found, NotSent, Refused, Unknown

VOID, REFUND, DISPUTE = MovementKind.VOID, MovementKind.REFUND, MovementKind.DISPUTE
VOIDS = replace(CAN_BE_ASKED, voids=True)
HELD = {"uncaptured": True}
WHOLE = HELD | {"whole_hold": True}
IS_VOID = {"kind": VOID}

#: State, movement, what is so of it, can its gateway end holds -> what it becomes, is it sent, what it waits for.
TABLE: list[tuple[RefundState, str, dict[str, Any], bool, MovementKind, bool, str]] = [
    (RefundState.REFUNDING, "intended idle", WHOLE, True, VOID, True, ""),
    (RefundState.REFUNDING, "intended idle", WHOLE, False, REFUND, False, "AwaitingCapture"),
    (RefundState.REFUNDING, "intended idle", HELD, True, REFUND, False, "AwaitingCapture"),
    (RefundState.REFUNDING, "intended idle", {}, True, REFUND, True, ""),
    (RefundState.REFUNDING, "intended idle", WHOLE | {"disputed": True}, True, VOID, False, "DisputeOpen"),
    (RefundState.REQUESTED, "intended idle", WHOLE, True, VOID, True, ""),
    (RefundState.IN_REVIEW, "intended idle", WHOLE, True, REFUND, False, "AwaitingCapture"),
    # once sent as a refund it stays one
    (RefundState.REFUNDING, "intended idle #1", WHOLE, True, REFUND, False, "AwaitingCapture"),
    (RefundState.REFUNDING, "intended idle #1", WHOLE | IS_VOID, True, VOID, True, ""),
    # captured meanwhile, in whole or in part, or another order has of it
    (RefundState.REFUNDING, "intended idle", IS_VOID, True, REFUND, True, ""),
    (RefundState.REFUNDING, "intended idle #1", IS_VOID, True, REFUND, True, ""),
    (RefundState.REFUNDING, "intended idle", HELD | IS_VOID, True, REFUND, False, "AwaitingCapture"),
    # what is out, or has ended, stays what it is
    (RefundState.REFUNDING, "intended sent", IS_VOID, True, VOID, False, ""),
    (RefundState.REFUNDING, "intended unknown", IS_VOID, True, VOID, False, ""),
    (RefundState.REFUNDING, "pending idle id:a", IS_VOID, True, VOID, False, ""),
    (RefundState.REFUNDING, "intended idle", WHOLE | {"kind": DISPUTE}, True, DISPUTE, False, "AwaitingCapture"),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]}-{row[1]}-{row[4]}")
def test_what_becomes_of_what_is_held(
    row: tuple[RefundState, str, dict[str, Any], bool, MovementKind, bool, str],
) -> None:
    state, text, so, voids, kind, is_sent, waits_for = row
    it = view(text, can=VOIDS if voids else CAN_BE_ASKED, **so)
    seen = Seen(state, Route.INSTANT, 1000, "EUR", FIRST_SENT, (it,), acknowledged=True)
    plan = decide(seen, PolicySpec(), now=second(1))
    assert (plan.kinds.get(it.number, it.kind), bool(plan.sends)) == (kind, is_sent)
    after = replace(seen, movements=(replace(it, kind=kind),))
    assert after.waits_for == waits_for


ANSWERS = [
    (Accepted(fact("a succeeded")), "succeeded idle void"),
    (Accepted(fact("a pending")), "pending idle void"),
    (Accepted(fact("a failed")), "failed idle void"),
    (Accepted(fact("a reversed")), "succeeded idle void"),
    (Refused(ALREADY_CAPTURED), "intended idle refund"),
    (Refused(CANNOT_VOID), "intended idle refund"),
    (Refused("declined"), "failed idle void"),
    (Refused("rate_limited", retryable=True), "intended idle void"),
    (Unknown("timed out"), "intended unknown void"),
    (NotSent("refused"), "intended idle void"),
]


@pytest.mark.parametrize(("answer", "after"), ANSWERS)
def test_what_an_answer_to_the_end_of_a_hold_means(answer: Any, after: str) -> None:
    judged = judge_reply(view("intended sent", **IS_VOID), answer, of=OF, now=second(2), timing=TIMING)
    assert words(judged.movement) == after


@pytest.mark.parametrize("status", ["failed", "reversed", "pending"])
def test_a_hold_that_has_ended_does_not_come_back(status: str) -> None:
    told = Found((fact(f"a {status}"),))
    judged = judge_look_up(view("succeeded idle id:a", **IS_VOID), told, of=OF, now=second(60), timing=TIMING)
    assert words(judged.movement) == "succeeded idle void"


OF = Attempt(attempt=1, before=movement("intended idle").call, asked_at=second(1))


def view(text: str, **so: Any) -> MovementView:
    return replace(movement(text), **{"can": VOIDS, **so})


def words(it: MovementView) -> str:
    return f"{it.state} {it.call.call} {it.kind}"
