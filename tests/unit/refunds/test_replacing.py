"""Another one of the same instead of the money: what the engine does until the shop has stated its order. The table."""

from datetime import UTC, datetime
from typing import Any

import pytest

from refunds.approving import Second
from refunds.calendars import Calendar
from refunds.decide import Plan, decide, next_look
from refunds.movements import ledger_kinds
from refunds.observing import known_from, observe, waited_for
from refunds.policy import PolicySpec
from refunds.seen import AWAITS_REPLACEMENT, Seen
from refunds.states import MovementKind, MovementState, RefundState, Remedy, Route
from tests.unit.refunds.shorthand import FIRST_SENT, TIMING, movement, replace, second

HOUR, DAY = 3600, 24 * 3600
POLICY = PolicySpec(replacement_seconds=7 * DAY)
NEW, WAITING, LATE = {}, {"waited_for": AWAITS_REPLACEMENT}, {"waited_for": AWAITS_REPLACEMENT, "deadline": second(0)}
PROMISED = {"waited_for": "DisputeOpen", "promised": True}
DISPUTED, HELD, TAKEN = {"disputed": True}, {"uncaptured": True}, {"failure_code": "funds_taken"}

Row = tuple[str, dict[str, Any], str, dict[str, Any], str]
#: The movement, what is so of it, what is seen of the refund -> what is done: sent, arrows, messages, money instead.
TABLE: list[Row] = [
    ("intended idle", {}, "asked for", NEW, "tells replacing"),
    ("intended idle", {}, "not yet stated", WAITING, ""),
    ("intended idle", {}, "promised before the bank withheld it", PROMISED, ""),
    ("intended idle", {}, "never stated", LATE, "money sends 1"),
    ("intended idle", {}, "never stated, on hold", LATE | {"held_until": second(DAY)}, ""),
    ("external idle", {}, "stated", WAITING | {"replaced": True}, "succeed tells replaced"),
    ("intended idle", {}, "the money after all", WAITING | {"remedy": Remedy.MONEY}, "sends 1"),
    ("intended idle", DISPUTED, "the bank decides first", NEW, ""),
    ("intended idle", HELD, "not captured yet", NEW, ""),
    ("failed idle", TAKEN, "others have the money", WAITING, "fail tells failed"),
    ("external idle", {}, "the bank has paid", NEW, "succeed tells refunded"),
    ("intended sent", {}, "sent before", NEW, ""),
    ("intended idle", {}, "a second person first", {"second": Second.MISSING, "approved": True}, ""),
]


def seen(text: str, so: dict[str, Any], facts: dict[str, Any]) -> Seen:
    it = Seen(
        RefundState.REFUNDING,
        Route.REFUND_ONLY,
        1000,
        "EUR",
        FIRST_SENT,
        (replace(movement(text), **so),),
        acknowledged=True,
        approved=True,
        remedy=Remedy.REPLACEMENT,
    )
    return replace(it, **facts)


def said(plan: Plan) -> str:
    done = ["money"] * plan.replacement_over + [*plan.verbs]
    done += [f"sends {len(plan.sends)}"] if plan.sends else []
    return " ".join(done + [f"tells {message}" for message in plan.messages])


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[2])
def test_what_follows(row: Row) -> None:
    text, so, _, facts, follows = row
    assert said(decide(seen(text, so, facts), POLICY, now=second(1))) == follows


def test_of_nothing_to_pay_back_another_one_is_awaited_all_the_same() -> None:
    it = replace(seen("intended idle", {}, WAITING), amount_minor=0, movements=())
    assert said(decide(it, POLICY, now=second(1))) == ""
    assert said(decide(replace(it, replaced=True), POLICY, now=second(1))) == "succeed tells replaced"


def test_before_the_goods_are_approved_nothing_is_asked_of_the_shop() -> None:
    it = replace(seen("intended idle", {}, NEW), state=RefundState.IN_REVIEW)
    assert (said(decide(it, POLICY, now=second(1))), it.waits_for) == ("", "")


def test_the_shop_has_worked_days_and_the_money_then_its_whole_time() -> None:
    week = PolicySpec(replacement_seconds=2 * DAY, calendar=Calendar(weekend=(6, 7)))
    friday = datetime(2026, 1, 2, 12, tzinfo=UTC)
    it = seen("intended idle", {}, NEW)
    first = decide(it, week, now=friday)
    assert first.deadline == datetime(2026, 1, 6, 12, tzinfo=UTC)
    it = replace(it, waited_for=AWAITS_REPLACEMENT, deadline=first.deadline)
    assert decide(it, week, now=second(DAY)).deadline == first.deadline
    assert next_look(it, week, now=friday, timing=TIMING) is not None
    over = decide(it, week, now=first.deadline)
    assert over.deadline and (over.deadline - first.deadline).total_seconds() == week.send_seconds


def test_the_condition_says_what_is_waited_for() -> None:
    found = {c.type: c.reason for c in observe(seen("intended idle", {}, WAITING), now=second(1))}
    assert found[AWAITS_REPLACEMENT] == "NoOrderYet"
    replaced = observe(seen("external idle", {}, {"replaced": True}), now=second(1))
    assert AWAITS_REPLACEMENT not in {c.type for c in replaced}


def test_what_was_promised_stays_so_while_something_else_is_waited_for() -> None:
    it = seen("intended idle", DISPUTED, WAITING)
    assert AWAITS_REPLACEMENT not in {c.type for c in observe(it, now=second(1))}
    found = {c.type: c.status for c in observe(replace(it, promised=True), now=second(1))}
    assert found.keys() >= {"DisputeOpen", AWAITS_REPLACEMENT}
    assert waited_for(known_from([{"type": name, "status": status} for name, status in found.items()])) == "DisputeOpen"


def test_an_exchange_is_booked_as_that() -> None:
    kinds = ledger_kinds(MovementState.INTENDED, MovementState.EXTERNAL, MovementKind.EXCHANGE)
    assert kinds == ("release", "exchange")
