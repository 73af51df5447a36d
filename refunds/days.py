"""Days of a channel, in its own time zone. Pure."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

MIDNIGHT = datetime.min.time()


def is_zone(name: str) -> bool:
    """An IANA name, such as Europe/Berlin."""
    return name in available_timezones()


def day_of(at: datetime, zone: str) -> date:
    """On which day that was there."""
    return at.astimezone(ZoneInfo(zone)).date()


def end_of(day: date, zone: str) -> datetime:
    """The midnight that ends the day, in UTC. Where clocks skip it, the moment they skip; where it comes twice, the
    first."""
    return datetime.combine(day + timedelta(days=1), MIDNIGHT, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local(at: datetime, zone: str) -> datetime:
    """The same moment by the clocks there, which says its offset."""
    return at.astimezone(ZoneInfo(zone))
