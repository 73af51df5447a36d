"""Webhooks to shops, pure: when they are sent again, and what they say."""

import json
from datetime import UTC, datetime

import pytest

from refunds.hooks import EventFacts, body, identity, wait_after

SECOND, MINUTE, HOUR = 1, 60, 3600


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [
        (1, 5 * SECOND),
        (2, 5 * MINUTE),
        (3, 30 * MINUTE),
        (4, 2 * HOUR),
        (5, 5 * HOUR),
        (6, 10 * HOUR),
        (7, 14 * HOUR),
        (8, 20 * HOUR),
        (9, 24 * HOUR),
        (10, None),
        (11, None),
    ],
)
def test_it_is_sent_again_ever_more_slowly_and_given_up_after_three_days(failures: int, seconds: float | None) -> None:
    assert wait_after(failures) == seconds


def test_the_attempts_span_about_three_days() -> None:
    waits = [wait_after(failures) or 0 for failures in range(1, 10)]
    assert 3 * 24 * HOUR < sum(waits) < 3.5 * 24 * HOUR


@pytest.mark.parametrize(("failures", "retry_after", "seconds"), [(1, 120, 120), (3, 120, 1800), (10, 120, None)])
def test_a_shop_may_ask_for_more_time_and_not_for_less(failures: int, retry_after: float, seconds: float) -> None:
    assert wait_after(failures, retry_after=retry_after) == seconds


def test_the_body_is_type_timestamp_and_data() -> None:
    at = datetime(2026, 12, 1, 10, 0, 0, 5000, tzinfo=UTC)
    facts = EventFacts("RF-1", "SO-1", "default", 3, "refund.refunded", {"note": "ü"}, "system", "system", at, "ab")
    said = json.loads(body(facts))
    assert list(said) == ["type", "timestamp", "data"]
    assert (said["type"], said["timestamp"]) == ("refund.refunded", "2026-12-01T10:00:00.005000Z")
    assert (said["data"]["id"], said["data"]["data"]) == ("RF-1.3", {"note": "ü"})
    assert body(facts) == body(facts)


def test_the_identity_has_no_dot_which_parts_what_is_signed() -> None:
    assert identity("RF7K2Q-12", 3) == "msg_RF7K2Q-12_3"
