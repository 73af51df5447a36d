"""Days that count: for agents the clock stands still on days off; a customer's whole days end with a local day."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refunds.calendars import DAY_SECONDS, Calendar, ends_with_a_day, ends_worked

HOUR = 3600
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN = Calendar("Europe/Berlin", weekend=(6, 7), holidays=frozenset({date(2026, 12, 25), date(2026, 12, 26)}))
#: National Day 2026: off from Thursday 1 to Wednesday 7 October; worked on Sunday 20 September and Saturday 10 October.
SHANGHAI = Calendar(
    "Asia/Shanghai",
    weekend=(6, 7),
    holidays=frozenset(date(2026, 10, day) for day in range(1, 8)),
    workdays=frozenset({date(2026, 9, 20), date(2026, 10, 10)}),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("calendar", "start", "hours", "ends"),
    [
        (Calendar(), "2026-12-05T10:00Z", 48, "2026-12-07T10:00Z"),
        (BERLIN, "2026-12-01T10:00+01:00", 48, "2026-12-03T10:00+01:00"),
        (BERLIN, "2026-12-04T10:00+01:00", 48, "2026-12-08T10:00+01:00"),
        (BERLIN, "2026-12-05T10:00+01:00", 24, "2026-12-08T00:00+01:00"),
        (BERLIN, "2026-12-24T12:00+01:00", 48, "2026-12-29T12:00+01:00"),
        (SHANGHAI, "2026-09-30T18:00+08:00", 48, "2026-10-09T18:00+08:00"),
        (SHANGHAI, "2026-10-09T18:00+08:00", 24, "2026-10-10T18:00+08:00"),
        (BERLIN, "2026-12-01T10:00+01:00", 0, "2026-12-01T10:00+01:00"),
    ],
    ids=[
        "no days off",
        "in the week",
        "over a weekend",
        "begun on a day off",
        "over Christmas",
        "over a week of holidays",
        "a make-up workday counts",
        "no time at all",
    ],
)
def test_an_agent_s_time_runs_on_worked_days(calendar, start, hours, ends):
    assert ends_worked(calendar, at(start), hours * HOUR) == at(ends)


@pytest.mark.parametrize(
    ("calendar", "start", "seconds", "ends"),
    [
        (BERLIN, "2026-12-01T10:00+01:00", 14 * DAY_SECONDS, "2026-12-16T00:00+01:00"),
        (BERLIN, "2026-12-01T00:30+01:00", 1 * DAY_SECONDS, "2026-12-03T00:00+01:00"),
        (BERLIN, "2026-12-05T10:00+01:00", 14 * DAY_SECONDS, "2026-12-22T00:00+01:00"),
        (BERLIN, "2026-12-18T10:00+01:00", 7 * DAY_SECONDS, "2026-12-29T00:00+01:00"),
        (SHANGHAI, "2026-09-20T10:00+08:00", 14 * DAY_SECONDS, "2026-10-09T00:00+08:00"),
        (Calendar(), "2026-12-01T10:00Z", 90, "2026-12-01T10:01:30Z"),
        (BERLIN, "2026-12-05T10:00+01:00", 5 * HOUR, "2026-12-05T15:00+01:00"),
    ],
    ids=[
        "whole days end with the day",
        "of the customer's zone, not of UTC",
        "a Saturday is no last day",
        "nor is Christmas",
        "nor a week of holidays",
        "seconds are seconds",
        "hours end on a day off too",
    ],
)
def test_a_customer_s_whole_days_end_with_a_worked_local_day(calendar, start, seconds, ends):
    assert ends_with_a_day(calendar, at(start), seconds) == at(ends)


def test_a_day_is_as_long_as_the_clocks_make_it():
    spring = Calendar("Europe/Berlin")
    assert ends_with_a_day(spring, at("2026-03-28T12:00+01:00"), DAY_SECONDS) == at("2026-03-30T00:00+02:00")
    assert ends_worked(spring, at("2026-03-28T12:00+01:00"), 24 * HOUR) == at("2026-03-29T13:00+02:00")


def test_a_calendar_without_a_worked_day_is_an_error():
    never = Calendar(weekend=(1, 2, 3, 4, 5, 6, 7))
    for ends in (ends_worked, ends_with_a_day):
        with pytest.raises(ValueError, match="no day is worked"):
            ends(never, at("2026-12-01T10:00Z"), DAY_SECONDS)


@given(
    start=st.integers(0, 365 * DAY_SECONDS).map(lambda n: NEW_YEAR + timedelta(seconds=n)),
    seconds=st.integers(0, 40 * DAY_SECONDS),
    calendar=st.sampled_from([Calendar(), BERLIN, SHANGHAI]),
)
def test_nobody_gets_less_than_his_time(start, seconds, calendar):
    for ends in (ends_worked, ends_with_a_day):
        end = ends(calendar, start, seconds)
        assert end.tzinfo is UTC
        assert end - start >= timedelta(seconds=seconds)
        assert end <= ends(calendar, start, seconds + DAY_SECONDS)
