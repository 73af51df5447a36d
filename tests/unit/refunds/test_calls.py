"""The rules of the call, as tables."""

from datetime import timedelta

import pytest

from refunds import calls
from refunds.calls import CallPhase, CallState
from tests.unit.refunds.shorthand import FIRST_SENT, TIMING, replace, second

NEVER_SENT = CallState()
SENT = calls.claim(NEVER_SENT, "refund", now=FIRST_SENT, timing=TIMING)
UNKNOWN = calls.unanswered(SENT, "timed out", now=second(10))


def test_a_claim_says_what_is_out_since_when_and_until_when() -> None:
    assert (SENT.call, SENT.call_kind, SENT.attempt) == (CallPhase.SENT, "refund", 1)
    assert (SENT.sent_at, SENT.answer_due_at, SENT.retry_at) == (FIRST_SENT, second(10), None)


def test_every_claim_is_one_more_attempt() -> None:
    again = calls.claim(calls.answered(SENT), "refund", now=second(60), timing=TIMING)
    assert (again.attempt, again.sent_at, again.answer_due_at) == (2, second(60), second(70))


def test_a_repeat_of_what_is_unanswered_is_open_since_it_first_left() -> None:
    """Else a gateway's memory of a key would seem to begin anew with every repeat."""
    again = calls.claim(UNKNOWN, "refund", now=second(3000), timing=TIMING)
    assert (again.attempt, again.sent_at, again.answer_due_at) == (2, FIRST_SENT, second(3010))


@pytest.mark.parametrize(
    ("call", "seconds", "is_out", "is_unanswered"),
    [
        (NEVER_SENT, 0, False, False),
        (SENT, 0, True, False),
        (SENT, 9.9, True, False),
        (SENT, 10, False, True),  # overdue: whoever sent it may be dead
        (UNKNOWN, 0, False, True),
        (UNKNOWN, 99, False, True),
        (calls.answered(SENT), 99, False, False),
    ],
)
def test_out_and_unanswered(call: CallState, seconds: float, is_out: bool, is_unanswered: bool) -> None:
    assert calls.is_out(call, second(seconds)) is is_out
    assert calls.is_unanswered(call, second(seconds)) is is_unanswered


@pytest.mark.parametrize(
    ("call", "attempt", "counts"),
    [
        (SENT, 1, True),
        (UNKNOWN, 1, True),
        (SENT, 2, False),
        (replace(SENT, attempt=2), 1, False),  # a decline of attempt 1 after attempt 2 was claimed
        (calls.answered(SENT), 1, False),  # nobody waits for it any more
        (NEVER_SENT, 0, False),
    ],
)
def test_a_negative_answer_counts_for_the_attempt_that_is_out(call: CallState, attempt: int, counts: bool) -> None:
    assert calls.speaks_of(call, attempt) is counts


def test_what_never_left_is_as_if_it_had_not_been_claimed() -> None:
    after = calls.not_sent(SENT, NEVER_SENT, "connection refused", now=second(1), timing=TIMING)
    assert (after.call, after.sent_at, after.answer_due_at) == (CallPhase.IDLE, None, None)
    assert (after.attempt, after.failures, after.last_error) == (1, 1, "connection refused")
    assert after.retry_at == second(11)


def test_a_repeat_that_never_left_leaves_the_first_one_unknown() -> None:
    repeat = calls.claim(UNKNOWN, "refund", now=second(60), timing=TIMING)
    after = calls.not_sent(repeat, UNKNOWN, "connection refused", now=second(61), timing=TIMING)
    assert (after.call, after.sent_at, after.answer_due_at) == (CallPhase.UNKNOWN, FIRST_SENT, second(10))
    assert (after.attempt, after.failures) == (2, 2)


def test_unknown_is_asked_about_at_once() -> None:
    assert (UNKNOWN.call, UNKNOWN.retry_at, UNKNOWN.failures) == (CallPhase.UNKNOWN, second(10), 1)


def test_an_answer_ends_the_call_and_forgets_the_failures() -> None:
    """Controller check 18; upstream: TestNewBackoffRecord, TestGetRemainingBackoffTime."""
    after = calls.answered(replace(UNKNOWN, failures=7, last_error="timed out"))
    assert (after.call, after.failures, after.retry_at, after.last_error) == (CallPhase.IDLE, 0, None, "")


def test_a_question_is_no_claim() -> None:
    after = calls.asked(UNKNOWN, now=second(20), timing=TIMING)
    assert replace(after, asked_at=None, retry_at=UNKNOWN.retry_at) == UNKNOWN
    assert (after.asked_at, after.retry_at) == (second(20), second(30))


def test_a_long_reason_is_cut_to_what_the_column_holds() -> None:
    assert len(calls.unanswered(SENT, "x" * 999, now=FIRST_SENT).last_error) == 200
    assert len(calls.put_off(SENT, "x" * 999, now=FIRST_SENT, timing=TIMING).last_error) == 200


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(0, 10), (1, 10), (2, 20), (3, 40), (4, 80), (5, 160), (6, 320), (7, 600), (8, 600), (1_000, 600), (10**9, 600)],
)
def test_business_back_off_doubles_from_ten_seconds_to_ten_minutes(failures: int, seconds: float) -> None:
    """Controller check 18; upstream: TestNewBackoffRecord, TestGetRemainingBackoffTime."""
    assert calls.retry_delay(failures, TIMING) == seconds


@pytest.mark.parametrize(
    ("failures", "asked_at", "again_at"),
    [
        (1, 15, 15),  # 10 s since it left are over
        (2, 15, 20),
        (4, 15, 80),
        (9, 15, 600),
    ],
)
def test_what_never_happened_waits_for_the_rest_of_its_back_off(failures: int, asked_at: int, again_at: int) -> None:
    """The time since it left is a part of the back-off. Controller check 18; upstream: TestNewBackoffRecord,
    TestGetRemainingBackoffTime."""
    after = calls.never_happened(replace(UNKNOWN, failures=failures), now=second(asked_at), timing=TIMING)
    assert (after.call, after.retry_at) == (CallPhase.IDLE, second(again_at))


@pytest.mark.parametrize(
    ("open_for", "asked_again_in"),
    [
        (timedelta(0), timedelta(seconds=10)),
        (timedelta(seconds=4), timedelta(seconds=10)),
        (timedelta(seconds=30), timedelta(seconds=30)),
        (timedelta(minutes=10), timedelta(minutes=10)),
        (timedelta(hours=5), timedelta(hours=5)),
        (timedelta(hours=7), timedelta(hours=6)),
        (timedelta(days=9), timedelta(hours=6)),
    ],
)
def test_pending_is_asked_ever_more_slowly(open_for: timedelta, asked_again_in: timedelta) -> None:
    now = FIRST_SENT + open_for
    assert calls.ask_again_at(FIRST_SENT, now=now, timing=TIMING) == now + asked_again_in


def test_absence_counts_from_the_due_time_and_the_settle_time_on() -> None:
    assert calls.absence_counts_from(SENT, 5) == second(15)
    assert calls.absence_counts_from(NEVER_SENT, 5) is None
