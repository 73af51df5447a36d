"""Back-off: exponential, capped, never overflowing."""

import math

import pytest

from workers.backoff import backoff_seconds


@pytest.mark.parametrize(
    ("failures", "expected"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (1000, 60)]
)
def test_back_off_doubles_up_to_the_cap(failures: int, expected: float) -> None:
    """Controller check 12; upstream: TestItemExponentialFailureRateLimiter, TestRateLimitingQueue."""
    assert backoff_seconds(failures, base=1, cap=60) == expected


def test_back_off_never_overflows() -> None:
    """Controller check 13; upstream: TestItemExponentialFailureRateLimiterOverFlow, TestWithMaxWaitRateLimiter."""
    for failures in range(0, 100_000, 777):
        wait = backoff_seconds(failures, base=1e-3, cap=1e12)
        assert math.isfinite(wait)
        assert wait >= 0


def test_jitter_is_taken_off() -> None:
    assert backoff_seconds(2, base=1, cap=60, jitter=0.25) == 1.5
