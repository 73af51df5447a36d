"""Conditions are merged as the Kubernetes conventions say."""

from copy import deepcopy
from datetime import timedelta

from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition, merge
from tests.unit.refunds.shorthand import FIRST_SENT

LATER = FIRST_SENT + timedelta(hours=1)
FIRST_TIME, LATER_TIME, MUCH_LATER_TIME = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z", "2026-01-01T14:00:00Z"
MOVED = Condition("MoneyMoved", FALSE, "NotYet")


def at_first(*seen: Condition) -> list[dict]:
    return merge([], seen, generation=1, now=FIRST_SENT)


def test_a_new_type_is_added_with_the_time_it_was_first_seen() -> None:
    """Controller check 53; upstream: TestSetStatusCondition, TestRemoveStatusCondition."""
    assert at_first(MOVED) == [
        {
            "type": "MoneyMoved",
            "status": "False",
            "reason": "NotYet",
            "message": "",
            "last_transition_time": FIRST_TIME,
            "observed_generation": 1,
        }
    ]


def test_the_time_moves_when_the_status_moves() -> None:
    """Controller check 53; upstream: TestSetStatusCondition, TestRemoveStatusCondition."""
    [after] = merge(at_first(MOVED), [Condition("MoneyMoved", TRUE, "Succeeded")], generation=1, now=LATER)
    assert (after["status"], after["last_transition_time"]) == ("True", LATER_TIME)


def test_reason_message_and_generation_move_without_the_time() -> None:
    """Controller check 53; upstream: TestSetStatusCondition, TestRemoveStatusCondition."""
    [after] = merge(at_first(MOVED), [Condition("MoneyMoved", FALSE, "Failed", "No.")], generation=2, now=LATER)
    assert (after["reason"], after["message"], after["observed_generation"]) == ("Failed", "No.", 2)
    assert after["last_transition_time"] == FIRST_TIME


def test_the_same_seen_again_is_no_change() -> None:
    """Controller check 53; upstream: TestSetStatusCondition, TestRemoveStatusCondition."""
    stored = at_first(MOVED, Condition("RouteDecided", TRUE, "Instant"))
    assert merge(stored, [Condition("RouteDecided", TRUE, "Instant"), MOVED], generation=1, now=LATER) == stored


def test_nothing_to_say_is_absent_and_what_was_said_before_is_dropped() -> None:
    """Controller check 52; upstream: Test_calculateCondition, TestCalculateCondition,
    TestNonStructuralSchemaConditionUpdate."""
    stored = at_first(MOVED, Condition("OutcomeUnknown", TRUE, "NoAnswer"))
    assert merge(stored, [MOVED], generation=1, now=LATER) == at_first(MOVED)
    assert merge(stored, [], generation=1, now=LATER) == []


def test_what_comes_back_has_a_new_time() -> None:
    unknown = Condition("OutcomeUnknown", TRUE, "NoAnswer")
    gone = merge(at_first(unknown), [], generation=1, now=LATER)
    [back] = merge(gone, [unknown], generation=1, now=LATER + timedelta(hours=1))
    assert back["last_transition_time"] == MUCH_LATER_TIME


def test_there_is_one_of_each_type_and_the_last_word_stands() -> None:
    """Controller check 54; upstream: TestSingleJobFailedCondition, TestEnsureJobConditions."""
    seen = [MOVED, Condition("MoneyMoved", UNKNOWN, "Pending")]
    assert [c["status"] for c in at_first(*seen)] == ["Unknown"]


def test_a_stored_list_with_a_type_twice_is_mended() -> None:
    """Controller check 54; upstream: TestSingleJobFailedCondition, TestEnsureJobConditions."""
    stored = at_first(MOVED) * 2
    assert merge(stored, [MOVED], generation=1, now=LATER) == at_first(MOVED)


def test_they_are_sorted_by_type_and_the_stored_ones_are_left_alone() -> None:
    stored = at_first(MOVED)
    before = deepcopy(stored)
    after = merge(stored, [MOVED, Condition("AwaitingCapture", TRUE, "NotYet")], generation=1, now=LATER)
    assert [c["type"] for c in after] == ["AwaitingCapture", "MoneyMoved"]
    assert stored == before
