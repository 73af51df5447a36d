"""What each webhook of a gateway means for a movement, where it can be asked and where not."""

import pytest

from refunds.judging import judge_webhook, waits_for_reply
from tests.unit.refunds.shorthand import (
    ONLY_KEYS,
    TIMING,
    fact,
    movement,
    names,
    second,
    shown,
)

WEBHOOKS_WHERE_WE_CAN_ASK = [
    # Something new only wakes the question.
    ("pending idle id:a", "a succeeded", "pending idle id:a", "asked"),
    ("pending idle id:a", "a failed", "pending idle id:a", "asked"),
    ("succeeded idle id:a", "a reversed", "succeeded idle id:a", "asked"),
    ("succeeded idle id:a", "a failed", "succeeded idle id:a", "asked"),
    ("failed idle id:a", "a succeeded", "failed idle id:a", "asked"),
    ("failed idle", "a succeeded", "failed idle", "asked"),
    ("succeeded idle id:a", "b succeeded", "succeeded idle id:a", "asked"),
    ("cancelled idle", "a succeeded", "cancelled idle", "asked"),
    ("intended unknown", "a succeeded", "intended unknown", "asked"),
    # What we meant to send again may have been done: ask before anything leaves.
    ("intended idle #1", "a succeeded", "intended unknown", "asked"),
    ("intended idle", "a pending", "intended unknown", "asked"),
    ("intended idle #2 id:a key:1", "b pending", "intended unknown id:a key:1", "asked"),
    # What we hold already, its copies, and what came before it.
    ("pending idle id:a", "a pending", "pending idle id:a", "left alone"),
    ("succeeded idle id:a", "a succeeded", "succeeded idle id:a", "left alone"),
    ("succeeded idle id:a", "a pending", "succeeded idle id:a", "left alone"),
    ("reversed idle id:a", "a succeeded", "reversed idle id:a", "left alone"),
    ("failed idle id:a", "a failed", "failed idle id:a", "left alone"),
    ("intended idle #1 id:a", "a failed", "intended idle id:a", "left alone"),
    ("intended idle #1", "a failed", "intended idle", "left alone"),
    # What was booked as failed for an earlier key.
    ("failed idle id:b was:a", "a failed", "failed idle id:b", "left alone"),
    ("failed idle id:b was:a", "a pending", "failed idle id:b", "left alone"),
    ("intended idle #2 id:b was:a", "a pending", "intended idle id:b", "left alone"),
    ("succeeded idle id:b was:a", "a pending", "succeeded idle id:b", "left alone"),
    ("failed idle id:b was:a", "a succeeded", "failed idle id:b", "asked"),
    ("succeeded idle id:b was:a", "a succeeded", "succeeded idle id:b", "asked"),
    ("succeeded idle id:b was:a", "a failed", "succeeded idle id:b", "asked"),
    ("failed idle id:b was:a", "c failed", "failed idle id:b", "asked"),
]


@pytest.mark.parametrize(("held", "told", "then", "what_happens"), WEBHOOKS_WHERE_WE_CAN_ASK)
def test_a_webhook_where_we_can_ask_carries_no_state(held: str, told: str, then: str, what_happens: str) -> None:
    it = movement(held)
    judged = judge_webhook(it, fact(told), now=second(60), timing=TIMING)
    assert (shown(judged.movement), judged.surplus) == (then, ())
    assert (judged.movement.call.retry_at == second(60)) is (what_happens == "asked")


def test_a_webhook_waits_for_the_answer_to_our_own_call_where_we_can_ask() -> None:
    assert waits_for_reply(movement("intended sent"), second(5))
    assert not waits_for_reply(movement("intended sent"), second(10))  # overdue
    assert not waits_for_reply(movement("pending idle id:a"), second(5))
    assert not waits_for_reply(movement("intended sent", ONLY_KEYS), second(5))  # there it is the answer


WEBHOOKS_WHERE_WE_CANNOT_ASK = [
    ("intended sent", "a pending", "pending idle id:a", "nothing"),
    ("intended sent", "a succeeded", "succeeded idle id:a", "nothing"),
    ("intended sent", "a failed", "failed idle id:a", "nothing"),
    ("intended unknown", "a succeeded", "succeeded idle id:a", "nothing"),
    ("pending idle id:a", "a succeeded", "succeeded idle id:a", "nothing"),
    ("pending idle id:a", "a failed", "failed idle id:a", "nothing"),
    ("succeeded idle id:a", "a reversed", "reversed idle id:a", "nothing"),
    ("succeeded idle id:a", "a failed", "reversed idle id:a", "nothing"),
    ("succeeded idle id:a", "a pending", "succeeded idle id:a", "nothing"),
    # Good news always; it answers whatever attempt is out, since the key is the same.
    ("intended idle #1", "a succeeded", "succeeded idle id:a", "nothing"),
    ("failed idle", "a succeeded", "succeeded idle id:a", "nothing"),
    ("intended sent #2", "a succeeded", "succeeded idle id:a", "nothing"),
    # Bad news of an id we do not hold, while nothing or a later attempt is out.
    ("intended idle", "a failed", "intended idle", "nothing"),
    ("intended idle #1", "a failed", "intended idle", "nothing"),
    ("intended sent #2", "a failed", "intended sent", "nothing"),
    ("intended sent #2 id:a", "a failed", "intended sent id:a", "nothing"),
    ("intended sent #2 id:a", "a pending", "intended sent id:a", "nothing"),  # older than the failure we have booked
    ("intended sent #3 id:b was:a", "a failed", "intended sent id:b", "nothing"),
    ("intended sent #3 id:b was:a", "a succeeded", "succeeded idle id:a", "nothing"),
    ("pending idle id:b was:a", "a pending", "pending idle id:b", "nothing"),
    # Another one under our number.
    ("pending idle id:b was:a", "a succeeded", "pending idle id:b", "a succeeded"),
    ("succeeded idle id:a", "b succeeded", "succeeded idle id:a", "b succeeded"),
    ("pending idle id:a", "b pending", "pending idle id:a", "b pending"),
    ("cancelled idle", "a succeeded", "cancelled idle", "a succeeded"),
]


@pytest.mark.parametrize(("held", "told", "then", "surplus"), WEBHOOKS_WHERE_WE_CANNOT_ASK)
def test_a_webhook_where_we_cannot_ask_is_the_fact(held: str, told: str, then: str, surplus: str) -> None:
    judged = judge_webhook(movement(held, ONLY_KEYS), fact(told), now=second(5), timing=TIMING)
    assert (shown(judged.movement), names(judged.surplus)) == (then, surplus)
