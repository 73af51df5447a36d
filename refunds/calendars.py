"""Which days count. Pure: a policy's calendar names its time zone, its days off, and days off that are worked.

Moments are aware and come out in UTC. Between two midnights of a zone lie 23, 24 or 25 hours where its clocks change.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from refunds.days import day_of, end_of

DAY_SECONDS = 86_400
#: A calendar with no worked day in so many has none.
LONGEST_BREAK_DAYS = 366
_DAYS = ("holidays", "workdays")
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Calendar:
    """`zone`: an IANA name; empty: whichever `in_zone` says, else UTC. `weekend`: the ISO weekdays off (6: Saturday).
    `holidays`: further days off; `workdays`: days that are worked although they would be off, as the make-up workdays
    around China's holidays.
    """

    zone: str = ""
    weekend: tuple[int, ...] = ()
    holidays: frozenset[date] = frozenset()
    workdays: frozenset[date] = frozenset()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Calendar":
        """Days are ISO 8601 dates. TypeError on unknown fields, ValueError for what is no date."""
        days = {name: frozenset(map(date.fromisoformat, value[name])) for name in _DAYS if name in value}
        weekend = {"weekend": tuple(value["weekend"])} if "weekend" in value else {}
        return cls(**value | days | weekend)

    def in_zone(self, zone: str) -> "Calendar":
        """The same by the clock of this zone, if it names none of its own."""
        return self if self.zone else replace(self, zone=zone)

    @property
    def clock(self) -> str:
        return self.zone or "UTC"

    def to_json(self) -> dict[str, Any]:
        days = {name: sorted(day.isoformat() for day in getattr(self, name)) for name in _DAYS}
        return {"zone": self.zone, "weekend": list(self.weekend), **days}

    def is_worked(self, day: date) -> bool:
        is_off = day in self.holidays or day.isoweekday() in self.weekend
        return day in self.workdays or not is_off


def ends_worked(calendar: Calendar, start: datetime, seconds: float) -> datetime:
    """So many seconds after `start` for who works by the calendar: on days off the clock stands still.

    Raises ValueError for a calendar without a worked day.
    """
    left = timedelta(seconds=seconds)
    for begins, ends in _worked_days(calendar, start):
        if left <= ends - begins:
            return begins + left
        left -= ends - begins
    raise AssertionError("worked days never end")


def worked_seconds(calendar: Calendar, start: datetime, end: datetime) -> float:
    """How long was worked between two moments; 0 where the end comes first."""
    seconds = 0.0
    for begins, ends in _worked_days(calendar, start):
        if begins >= end:
            return seconds
        seconds += (min(ends, end) - begins).total_seconds()
    raise AssertionError("worked days never end")


def ends_with_a_day(calendar: Calendar, start: datetime, seconds: float) -> datetime:
    """When a customer's time is over: to the second, or, if it is whole days, with the local day it runs out on. No day
    off is the last day: then the next worked one is (Regulation (EEC) 1182/71, Article 3).

    Raises ValueError for a calendar without a worked day.
    """
    over = start + timedelta(seconds=seconds)
    if not seconds or seconds % DAY_SECONDS:
        return over
    return end_of_worked_day(calendar, over)


def end_of_worked_day(calendar: Calendar, moment: datetime) -> datetime:
    """The midnight after `moment` that ends a worked day."""
    _, ends = next(_worked_days(calendar, moment))
    return ends


def is_end_of_day(calendar: Calendar, moment: datetime) -> bool:
    return end_of(day_of(moment - INSTANT, calendar.clock), calendar.clock) == moment


def _worked_days(calendar: Calendar, start: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The worked days from `start` on, by their ends: what is left of the first, then whole ones."""
    day, begins, off = day_of(start, calendar.clock), start.astimezone(UTC), 0
    while off < LONGEST_BREAK_DAYS:
        ends = end_of(day, calendar.clock)
        off = 0 if calendar.is_worked(day) else off + 1
        if not off:
            yield begins, ends
        day, begins = day + timedelta(days=1), ends
    raise ValueError(f"no day is worked within {LONGEST_BREAK_DAYS} days")
