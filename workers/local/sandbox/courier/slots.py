"""When the courier comes. Pure: a date in, slots out."""

from datetime import UTC, date, datetime, time, timedelta

from workers.local.journal import Row

WORKING_DAYS = 3
HOURS = ((9, 13), (14, 18))
SATURDAY = 5


def offered(today: date) -> list[Row]:
    """Two slots a day (UTC) on each of the next three working days."""
    return [_slot(day, start, end) for day in _working_days_after(today) for start, end in HOURS]


def _working_days_after(today: date) -> list[date]:
    coming = [today + timedelta(days=ahead) for ahead in range(1, 2 * WORKING_DAYS)]
    return [day for day in coming if day.weekday() < SATURDAY][:WORKING_DAYS]


def _slot(day: date, start: int, end: int) -> Row:
    starts_at, ends_at = (datetime.combine(day, time(hour), UTC).isoformat() for hour in (start, end))
    return {"starts_at": starts_at, "ends_at": ends_at}
