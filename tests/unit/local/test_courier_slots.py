"""The sandbox courier's slots: two a day on the next three working days."""

from datetime import date

import pytest

from workers.local.sandbox.courier.slots import offered


@pytest.mark.parametrize(
    ("today", "days"),
    [
        (date(2026, 12, 1), [2, 3, 4]),
        (date(2026, 12, 3), [4, 7, 8]),
        (date(2026, 12, 4), [7, 8, 9]),
        (date(2026, 12, 5), [7, 8, 9]),
        (date(2026, 12, 6), [7, 8, 9]),
    ],
    ids=["tuesday", "thursday", "friday", "saturday", "sunday"],
)
def test_weekends_are_passed_over(today: date, days: list[int]) -> None:
    slots = offered(today)
    assert [slot["starts_at"] for slot in slots] == [
        f"2026-12-{day:02}T{hour}:00:00+00:00" for day in days for hour in ("09", "14")
    ]
    assert all(slot["starts_at"] < slot["ends_at"] for slot in slots)
