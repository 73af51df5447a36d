"""Who keeps the books may read them: closed days, their entries as a stream, and how it stood at any moment."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from django.db.models import QuerySet

from orders import clock
from orders.errors import Invalid
from orders.models import Channel
from orders.roles import Actor, Role
from orders.services.facts import require_role
from orders.snapshot import snapshot
from refunds.books.lines import as_csv, as_json
from refunds.days import is_zone
from refunds.models import DayClose
from refunds.selectors import books_closes
from refunds.selectors.books_entries import entries_of_days
from refunds.selectors.books_reports import Report, report

BOOKKEEPERS = (Role.FINANCE, Role.AUDITOR, Role.SYSTEM)


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"

    @property
    def content_type(self) -> str:
        return "text/csv; charset=utf-8" if self is Format.CSV else "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class ExportWish:
    """Whole days, both included, each of which has to be closed."""

    channels: Collection[int]
    first: date
    last: date
    format: Format = Format.CSV

    @property
    def file_name(self) -> str:
        return f"ledger_{self.first}_{self.last}.{'csv' if self.format is Format.CSV else 'jsonl'}"


def export_entries(wish: ExportWish, *, actor: Actor) -> Iterator[bytes]:
    """The entries of the days, by channel, day and number: the same bytes whenever it is asked for again. Raises
    Forbidden, Invalid and Conflict before it begins; then reads as fast as it is read, in constant memory."""
    require_role(actor, BOOKKEEPERS, "read the books")
    if wish.last < wish.first:
        raise Invalid.of("to", "bad_range", f"{wish.last} is before {wish.first}.")
    days = books_closes.closed_days(wish.channels, first=wish.first, last=wish.last)
    return (as_csv if wish.format is Format.CSV else as_json)(entries_of_days(days))


def list_closes(channels: Collection[int], *, before: date | None, limit: int, actor: Actor) -> list[DayClose]:
    """Closed days, newest first; those before a day, if one is named."""
    found = closes_of(channels, actor=actor)
    return list((found.filter(day__lt=before) if before else found)[:limit])


def closes_of(channels: Collection[int], *, actor: Actor) -> QuerySet[DayClose]:
    """All closed days, newest first."""
    require_role(actor, BOOKKEEPERS, "read the books")
    return books_closes.closes_of(channels)


def report_at(channels: Collection[int], *, as_of: datetime | None, actor: Actor) -> Report:
    """How the books stood then; now, where no moment is named. Nobody knows yet how they will stand."""
    require_role(actor, BOOKKEEPERS, "read the books")
    now = clock.now()
    if as_of and as_of > now:
        raise Invalid.of("as_of", "in_the_future", f"It is {now:%Y-%m-%dT%H:%M:%SZ}: {as_of.isoformat()} lies ahead.")
    with snapshot():
        return report(channels, as_of=as_of or now)


def set_time_zone(channel: Channel, zone: str) -> None:
    """Whose midnight ends the channel's days from the next one on; what is closed stays as it is."""
    if not is_zone(zone):
        raise Invalid.of("zone", "unknown_zone", f"{zone} is no time zone of the IANA, such as Europe/Berlin.")
    channel.time_zone = zone
    channel.save(update_fields=["time_zone"])
