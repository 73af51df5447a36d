"""What an answer means for a movement: DESIGN "Effects are expectations", row by row.

Each row reads: what we hold | what we are told | what we hold then | what else is there, to be booked as a fact.
"""

import pytest

from refunds.judging import judge_look_up, judge_reply
from tests.unit.refunds.shorthand import (
    CAN_BE_ASKED,
    FAILED_KEY_IS_FINAL,
    NEITHER,
    ONLY_KEYS,
    TIMING,
    found,
    movement,
    names,
    of,
    replace,
    reply,
    second,
    shown,
)
from workers.ports import Unknown

REPLIES_TO_OUR_CALL = [
    ("intended sent", "accepted a pending", "pending idle id:a", "nothing"),
    ("intended sent", "accepted a succeeded", "succeeded idle id:a", "nothing"),
    ("intended sent", "accepted a failed", "failed idle id:a", "nothing"),
    ("intended sent", "declined", "failed idle", "nothing"),
    ("intended sent", "try later", "intended idle", "nothing"),
    ("intended sent", "not sent", "intended idle", "nothing"),
    ("intended sent", "unknown", "intended unknown", "nothing"),
    ("intended sent", "unknown 5xx", "intended unknown 5xx", "nothing"),
    # A late answer of an attempt that was given up as unknown.
    ("intended unknown", "accepted a succeeded", "succeeded idle id:a", "nothing"),
    ("intended unknown", "declined", "failed idle", "nothing"),
    ("intended unknown 5xx", "unknown", "intended unknown", "nothing"),
    # Nobody waits for it any more: only good news counts.
    ("intended idle #1", "declined", "intended idle", "nothing"),
    ("intended idle #1", "unknown", "intended idle", "nothing"),
    ("intended idle #1", "accepted a failed", "intended idle", "nothing"),
    ("intended idle #1", "accepted a pending", "pending idle id:a", "nothing"),
    ("failed idle", "accepted a succeeded", "succeeded idle id:a", "nothing"),
    ("intended idle #1 id:a", "accepted a failed", "intended idle id:a", "nothing"),
    ("failed idle", "accepted a pending", "pending idle id:a", "nothing"),
    # Nothing goes down.
    ("succeeded idle id:a", "accepted a pending", "succeeded idle id:a", "nothing"),
    ("succeeded idle id:a", "declined", "succeeded idle id:a", "nothing"),
    ("reversed idle id:a", "accepted a succeeded", "reversed idle id:a", "nothing"),
    ("failed idle id:a", "accepted a pending", "failed idle id:a", "nothing"),
    # A retry after a failure we hold the id of.
    ("intended sent #2 id:a", "accepted b succeeded", "succeeded idle id:b", "nothing"),
    ("intended sent #2 id:a", "accepted b failed", "failed idle id:b", "nothing"),
    ("intended sent #2 id:a", "accepted a failed", "failed idle id:a", "nothing"),
    ("intended sent #2 id:a", "declined", "failed idle id:a", "nothing"),
    # Another id than that of the live money we hold.
    ("pending idle id:a", "accepted b succeeded", "pending idle id:a", "b succeeded"),
    ("succeeded sent #2 id:a", "accepted b pending", "succeeded idle id:a", "b pending"),
    # Money that another attempt has moved stays moved.
    ("pending sent #2 id:a", "declined", "pending idle id:a", "nothing"),
    ("succeeded sent #2 id:a", "declined", "succeeded idle id:a", "nothing"),
    # Ended without us.
    ("cancelled idle", "accepted a succeeded", "cancelled idle", "a succeeded"),
    ("external idle", "accepted a pending", "external idle", "a pending"),
    # Another amount than we asked for is nothing we understand.
    ("intended sent", "accepted a succeeded 500", "intended unknown", "a succeeded"),
]


@pytest.mark.parametrize(("held", "told", "then", "surplus"), REPLIES_TO_OUR_CALL)
def test_the_reply_to_our_call(held: str, told: str, then: str, surplus: str) -> None:
    """Controller check 34; upstream: TestControllerExpectations. Controller check 45; upstream:
    TestSyncJobWithJobPodFailurePolicy."""
    it = movement(held)
    judged = judge_reply(it, reply(told), of=of(it), now=second(2), timing=TIMING)
    assert (shown(judged.movement), names(judged.surplus)) == (then, surplus)


STALE_REPLIES = [
    # Bad news of attempt 1 after attempt 2 was claimed changes nothing.
    ("intended sent #2", "declined", "intended sent"),
    ("intended sent #2", "accepted a failed", "intended sent"),
    ("intended sent #2", "try later", "intended sent"),
    ("intended sent #2", "not sent", "intended sent"),
    ("intended sent #2", "unknown 5xx", "intended sent"),
    ("intended unknown #2 5xx", "declined", "intended unknown 5xx"),
    ("intended sent #2 id:a", "accepted a failed", "intended sent id:a"),
    ("intended sent #2 id:a", "accepted a pending", "intended sent id:a"),
    # Good news counts always; attempt 2 stays out until it is answered or asked about.
    ("intended sent #2", "accepted a succeeded", "succeeded sent id:a"),
    ("intended sent #2", "accepted a pending", "pending sent id:a"),
    ("failed idle #2", "accepted a succeeded", "succeeded idle id:a"),
    # Of an id we hold, news counts whichever attempt brings it.
    ("pending sent #2 id:a", "accepted a succeeded", "succeeded sent id:a"),
    ("pending sent #2 id:a", "accepted a failed", "failed sent id:a"),
]


@pytest.mark.parametrize(("held", "told", "then"), STALE_REPLIES)
def test_the_reply_to_attempt_1_after_attempt_2_was_claimed(held: str, told: str, then: str) -> None:
    """Controller check 34; upstream: TestControllerExpectations."""
    it = movement(held)
    judged = judge_reply(it, reply(told), of=of(it, attempt=1), now=second(2), timing=TIMING)
    assert (shown(judged.movement), judged.surplus) == (then, ())


@pytest.mark.parametrize("told", ["declined", "accepted a failed", "try later", "not sent", "unknown"])
def test_a_stale_decline_leaves_every_field_as_it_was(told: str) -> None:
    it = movement("intended sent #2")
    assert judge_reply(it, reply(told), of=of(it, attempt=1), now=second(2), timing=TIMING).movement == it


LOOK_UPS = [
    # asked in time: 15 s after it left, when absence counts
    ("intended unknown", 15, "a succeeded", "succeeded idle id:a", "nothing"),
    ("intended unknown", 15, "a pending", "pending idle id:a", "nothing"),
    ("intended unknown", 15, "a failed", "failed idle id:a", "nothing"),
    ("intended unknown", 15, "a reversed", "reversed idle id:a", "nothing"),
    ("intended sent", 15, "a succeeded", "succeeded idle id:a", "nothing"),
    # Absent: sent again. After a time-out with the same key, after a 5xx answer with the next.
    ("intended unknown", 15, "nothing", "intended idle", "nothing"),
    ("intended unknown 5xx", 15, "nothing", "intended idle key:1", "nothing"),
    ("intended unknown key:3 5xx", 15, "nothing", "intended idle key:4", "nothing"),
    ("intended sent", 15, "nothing", "intended idle", "nothing"),
    # Absent, but asked too early to tell.
    ("intended unknown", 14.9, "nothing", "intended unknown", "nothing"),
    ("intended unknown 5xx", 1, "nothing", "intended unknown 5xx", "nothing"),
    ("intended sent", 10, "nothing", "intended unknown", "nothing"),
    # Found is found, however early.
    ("intended unknown", 1, "a succeeded", "succeeded idle id:a", "nothing"),
    ("intended unknown", 1, "a failed", "failed idle id:a", "nothing"),
    # A failure already booked for an earlier key reads as absent ...
    ("intended unknown #2 id:a key:1", 15, "a failed", "intended idle id:a key:1", "nothing"),
    ("intended unknown #2 id:a key:1", 14, "a failed", "intended unknown id:a key:1", "nothing"),
    # ... and one of an id we do not hold may be an earlier attempt's, until absence would count as well.
    ("intended unknown #2", 14, "a failed", "intended unknown", "a failed"),
    ("intended unknown #2", 15, "a failed", "failed idle id:a", "nothing"),
    ("intended unknown #2 id:a key:1", 15, "a failed, b failed", "failed idle id:b key:1", "nothing"),
    ("intended unknown #2 id:a key:1", 1, "a failed, b succeeded", "succeeded idle id:b key:1", "nothing"),
    # So do those of all earlier keys, not only of the last.
    ("intended unknown #3 id:b was:a key:2", 15, "a failed, b failed", "intended idle id:b key:2", "a failed"),
    ("intended unknown #3 id:b was:a key:2", 15, "a pending, b failed", "intended idle id:b key:2", "nothing"),
    ("intended unknown #3 id:b was:a key:2", 14, "a failed, b failed", "intended unknown id:b key:2", "a failed"),
    ("intended unknown #3 id:b was:a key:2", 15, "a failed, c failed", "failed idle id:c key:2", "a failed"),
    (
        "intended unknown #3 id:b was:a key:2",
        15,
        "a failed, b failed, c pending",
        "pending idle id:c key:2",
        "a failed",
    ),
    ("intended unknown #3 id:b was:a key:2", 15, "a succeeded, b failed", "succeeded idle id:a key:2", "nothing"),
    ("succeeded idle id:b was:a", 99, "a pending, b succeeded", "succeeded idle id:b", "nothing"),
    ("succeeded idle id:b was:a", 99, "a succeeded, b succeeded", "succeeded idle id:b", "a succeeded"),
    # Rank: pending < failed < succeeded < reversed, and nothing goes down.
    ("pending idle id:a", 99, "a pending", "pending idle id:a", "nothing"),
    ("pending idle id:a", 99, "a failed", "failed idle id:a", "nothing"),
    ("pending idle id:a", 99, "a succeeded", "succeeded idle id:a", "nothing"),
    ("pending idle id:a", 99, "a reversed", "reversed idle id:a", "nothing"),
    ("failed idle id:a", 99, "a pending", "failed idle id:a", "nothing"),
    ("failed idle id:a", 99, "a succeeded", "succeeded idle id:a", "nothing"),
    ("succeeded idle id:a", 99, "a pending", "succeeded idle id:a", "nothing"),
    ("succeeded idle id:a", 99, "a failed", "reversed idle id:a", "nothing"),
    ("succeeded idle id:a", 99, "a reversed", "reversed idle id:a", "nothing"),
    ("reversed idle id:a", 99, "a succeeded", "reversed idle id:a", "nothing"),
    ("reversed idle id:a", 99, "a failed", "reversed idle id:a", "nothing"),
    # What we hold does not go away because it is not found.
    ("pending idle id:a", 99, "nothing", "pending idle id:a", "nothing"),
    ("succeeded idle id:a", 99, "nothing", "succeeded idle id:a", "nothing"),
    ("succeeded unknown #2 id:a", 99, "a succeeded", "succeeded idle id:a", "nothing"),
    ("succeeded unknown #2 id:a", 99, "nothing", "succeeded idle id:a", "nothing"),
    # Several under our number: the one that went furthest is ours if we hold none, the rest is surplus.
    ("intended unknown", 15, "a pending, b succeeded", "succeeded idle id:b", "a pending"),
    ("intended unknown", 15, "a reversed, b pending", "pending idle id:b", "a reversed"),
    ("intended unknown", 15, "a failed, b succeeded", "succeeded idle id:b", "a failed"),
    ("succeeded idle id:a", 99, "a succeeded, b succeeded", "succeeded idle id:a", "b succeeded"),
    ("pending idle id:a", 99, "b succeeded", "pending idle id:a", "b succeeded"),
    ("pending idle id:a", 99, "a failed, b succeeded", "failed idle id:a", "b succeeded"),
    ("reversed idle id:a", 99, "a reversed, b succeeded", "reversed idle id:a", "b succeeded"),
    ("failed idle id:a", 99, "a failed, b succeeded", "succeeded idle id:b", "nothing"),
    # Ended without us: a fact to book, and not ours.
    ("cancelled idle", 99, "a succeeded", "cancelled idle", "a succeeded"),
    ("cancelled idle", 99, "nothing", "cancelled idle", "nothing"),
    # Another amount: not understood, and never sent again because of it.
    ("intended unknown", 15, "a succeeded 500", "intended unknown", "a succeeded"),
]


@pytest.mark.parametrize(("held", "asked_at", "told", "then", "surplus"), LOOK_UPS)
def test_what_the_gateway_holds_when_asked(held: str, asked_at: float, told: str, then: str, surplus: str) -> None:
    it = movement(held)
    asked = of(it, asked_at=second(asked_at))
    judged = judge_look_up(it, found(told), of=asked, now=second(asked_at + 1), timing=TIMING)
    assert (shown(judged.movement), names(judged.surplus)) == (then, surplus)


@pytest.mark.parametrize("told", ["nothing", "a failed"])
def test_a_look_up_of_attempt_1_says_nothing_bad_of_attempt_2(told: str) -> None:
    it = movement("intended sent #2")
    asked = of(it, attempt=1, asked_at=second(99))
    assert judge_look_up(it, found(told), of=asked, now=second(100), timing=TIMING).movement == it


def test_a_look_up_that_brings_no_answer_is_repeated_with_back_off_and_settles_nothing() -> None:
    it = movement("intended unknown")
    after = judge_look_up(it, Unknown("timed out"), of=of(it), now=second(20), timing=TIMING).movement
    assert (shown(after), after.call.failures, after.call.retry_at) == ("intended unknown", 1, second(30))


def test_absence_too_early_is_asked_again_when_it_counts() -> None:
    it = movement("intended unknown")
    after = judge_look_up(it, found("nothing"), of=of(it, asked_at=second(3)), now=second(4), timing=TIMING).movement
    assert after.call.retry_at == second(15)


@pytest.mark.parametrize(("failures_before", "sent_again_at"), [(0, 15), (1, 20), (2, 40), (3, 80), (8, 600)])
def test_a_gateway_that_keeps_failing_is_tried_ever_more_slowly(failures_before: int, sent_again_at: float) -> None:
    it = movement("intended sent")
    it = replace(it, call=replace(it.call, failures=failures_before))
    it = judge_reply(it, reply("unknown 5xx"), of=of(it), now=second(1), timing=TIMING).movement
    it = judge_look_up(it, found("nothing"), of=of(it, asked_at=second(15)), now=second(15), timing=TIMING).movement
    assert (shown(it), it.call.retry_at) == ("intended idle key:1", second(sent_again_at))


@pytest.mark.parametrize("held", ["intended unknown", "pending idle id:a"])
def test_pending_is_asked_again_later(held: str) -> None:
    it = movement(held)
    after = judge_look_up(
        it, found("a pending"), of=of(it, asked_at=second(60)), now=second(60), timing=TIMING
    ).movement
    assert after.call.retry_at == second(70 if held == "intended unknown" else 120)


KEYS_AFTER = [
    # The key rises after a definite failure where a failed key is final, and only there.
    (FAILED_KEY_IS_FINAL, "intended sent", "declined", "failed idle key:1"),
    (FAILED_KEY_IS_FINAL, "intended sent", "accepted a failed", "failed idle id:a key:1"),
    (FAILED_KEY_IS_FINAL, "intended sent key:4", "declined", "failed idle key:5"),
    (CAN_BE_ASKED, "intended sent", "declined", "failed idle"),
    (FAILED_KEY_IS_FINAL, "intended sent", "try later", "intended idle"),
    (FAILED_KEY_IS_FINAL, "intended sent", "not sent", "intended idle"),
    (FAILED_KEY_IS_FINAL, "intended sent", "unknown 5xx", "intended unknown 5xx"),
    (FAILED_KEY_IS_FINAL, "failed idle key:1", "declined", "failed idle key:1"),
    (FAILED_KEY_IS_FINAL, "failed idle id:a key:1", "accepted a failed", "failed idle id:a key:1"),
]


@pytest.mark.parametrize(("can", "held", "told", "then"), KEYS_AFTER)
def test_when_the_key_rises(can, held: str, told: str, then: str) -> None:
    """Controller check 45; upstream: TestSyncJobWithJobPodFailurePolicy."""
    it = movement(held, can)
    assert shown(judge_reply(it, reply(told), of=of(it), now=second(2), timing=TIMING).movement) == then


@pytest.mark.parametrize("told", ["try later", "not sent"])
@pytest.mark.parametrize("can", [ONLY_KEYS, NEITHER])
def test_a_repeat_that_did_nothing_leaves_the_first_call_unknown(can, told: str) -> None:
    """At a gateway without look-up: "not now" to the second call says nothing of the first."""
    first, repeat = movement("intended unknown", can), movement("intended sent #2", can)
    after = judge_reply(
        repeat, reply(told), of=replace(of(repeat), before=first.call), now=second(61), timing=TIMING
    ).movement
    assert (shown(after), after.call.sent_at) == ("intended unknown", second(0))


def test_a_failure_is_said_with_its_code_and_forgotten_with_success() -> None:
    it = movement("intended sent")
    declined = judge_reply(it, reply("declined"), of=of(it), now=second(2), timing=TIMING).movement
    assert (declined.failure_code, declined.call.last_error) == ("declined", "declined: by the bank")
    moved = judge_reply(declined, reply("accepted a succeeded"), of=of(declined), now=second(3), timing=TIMING).movement
    assert moved.failure_code == ""


REMEMBERED = [
    # what we hold                     we are told                      whose failure we know then
    ("intended sent", "a failed", "a"),
    ("intended sent #2 id:a", "b failed", "ab"),
    ("intended sent #3 id:b was:a", "c failed", "abc"),
    ("intended sent #3 id:b was:a", "c succeeded", "ab"),
    # It succeeded after all: a failure told now is a reversal.
    ("failed idle id:b was:a", "a succeeded", "b"),
    ("failed idle id:a", "a succeeded", ""),
    # Several at once, with nothing out any more.
    ("intended unknown", "a failed, b failed", "ab"),
    ("intended unknown", "a failed, b succeeded", "a"),
    ("pending idle id:a", "a pending, b failed", "b"),
]


@pytest.mark.parametrize(("held", "told", "failed"), REMEMBERED)
def test_every_failure_that_is_booked_is_remembered(held: str, told: str, failed: str) -> None:
    """Controller check 45; upstream: TestSyncJobWithJobPodFailurePolicy."""
    it = movement(held)
    after = judge_look_up(it, found(told), of=of(it, asked_at=second(99)), now=second(100), timing=TIMING).movement
    assert after.failed_ids == set(failed)


def test_a_reversal_says_why() -> None:
    it = movement("succeeded idle id:a")
    back = judge_look_up(it, found("a failed"), of=of(it), now=second(99), timing=TIMING).movement
    assert (back.state, back.failure_code) == ("reversed", "declined")
