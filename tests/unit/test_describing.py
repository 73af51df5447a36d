"""How `describe` writes."""

from datetime import UTC, datetime, timedelta

import pytest

from refunds.management.writing import age, field, moment, table

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (119, "119s"),
        (200, "3m20s"),
        (25 * 60, "25m"),
        (5 * 3600 + 600, "5h10m"),
        (30 * 3600, "30h"),
        (6 * 86400, "6d"),
        (-5, "0s"),
    ],
)
def test_an_age_is_as_exact_as_it_matters(seconds: int, text: str) -> None:
    assert age(timedelta(seconds=seconds)) == text


def test_a_moment_says_how_far_it_is() -> None:
    assert moment(NOW - timedelta(minutes=5), NOW) == "2026-06-01T11:55:00Z (5m0s ago)"
    assert moment(NOW + timedelta(days=3), NOW) == "2026-06-04T12:00:00Z (in 3d)"
    assert moment(None, NOW) == "<none>"


def test_columns_are_aligned_and_an_empty_table_says_so() -> None:
    assert table("Effects", ("Kind", "Call"), [("money", None), ("sms", "idle")]) == [
        "Effects:",
        "  Kind   Call",
        "  ----   ----",
        "  money",
        "  sms    idle",
    ]
    assert table("Effects", ("Kind",), []) == [field("Effects", "<none>")]
