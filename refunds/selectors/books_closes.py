"""Closed days, and whether what was closed is still what it was."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import connection
from django.db.models import F, QuerySet

from orders.errors import Conflict, NotFound
from orders.models import Channel
from refunds.books.sealing import Sealed, anchor, seal
from refunds.days import end_of
from refunds.models import DayClose
from refunds.models.ledger import LEDGER_COLUMNS
from refunds.selectors.books_entries import entries_of, entries_so_far, first_recorded_at

#: So long after its end a day that nobody has closed is missed.
OVERDUE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What does not agree in the books of a channel."""

    channel: str
    day: date
    what: str


def channel_named(slug: str) -> Channel:
    """The one that has the name now, else the last that had it. NotFound."""
    found = Channel.objects.filter(slug=slug).order_by(F("retired_at").desc(nulls_first=True)).first()
    if found is None:
        raise NotFound("channel_not_found", f"There is no channel {slug}.")
    return found


def last_close(channel_id: int) -> DayClose | None:
    return DayClose.objects.filter(channel_id=channel_id).order_by("-day").first()


def closes_of(channels: Collection[int]) -> QuerySet[DayClose]:
    """Newest first; of several channels those of a day together."""
    found = DayClose.objects.filter(channel_id__in=channels).select_related("channel")
    return found.order_by("-day", "channel__slug")


def closed_days(channels: Collection[int], *, first: date, last: date) -> list[DayClose]:
    """All of them, by channel and day. Conflict as long as one of the days is not closed: what is exported of it today
    would be something else tomorrow."""
    found = closes_of(channels).filter(day__range=(first, last))
    closes = list(found.order_by("channel__slug", "day").defer("balances"))
    for channel in Channel.objects.filter(pk__in=channels).order_by("slug"):
        newest = last_close(channel.pk)
        if newest.day < last if newest else first_recorded_at(channel.pk):
            up_to = str(newest.day) if newest else None
            detail = f"{channel.slug} is closed up to {up_to or 'no day'}: {last} is not sealed yet."
            raise Conflict("day_not_closed", detail, closed_up_to=up_to)
    return closes


def seal_of(close: DayClose, before: DayClose | None) -> Sealed:
    """What its entries, read now, come to."""
    return seal(
        entries_of(close),
        previous_hash=close.previous_hash,
        bounds=close.bounds,
        opening=before.balances if before else [],
        effects=LEDGER_COLUMNS,
    )


def oldest_running_transaction() -> int:
    """All below it are known for good. To be asked before what is read with it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        return int(cursor.fetchone()[0])


def verify(channel: Channel, *, now: datetime) -> Iterator[Wrong]:
    """Read all closed days of a channel again, each entry of them, and say what is not as it was sealed."""
    before: DayClose | None = None
    entries = 0
    for close in DayClose.objects.filter(channel=channel).order_by("day").iterator(chunk_size=50):
        yield from (Wrong(channel.slug, close.day, what) for what in [*_gaps(before, close), *_broken(before, close)])
        before, entries = close, entries + close.entries
    if before is None:
        return
    if entries != (found := entries_so_far(before)):
        yield Wrong(channel.slug, before.day, f"{entries} entries are in the closed days, and {found} should be")
    if end_of(before.day + timedelta(days=1), channel.time_zone) + OVERDUE <= now:
        yield Wrong(channel.slug, before.day + timedelta(days=1), "the day is over, and has not been closed")


def _gaps(before: DayClose | None, close: DayClose) -> Iterator[str]:
    if before and close.day != before.day + timedelta(days=1):
        yield f"no close from {before.day} on to this one"
    is_next = (close.starts_at, close.from_transaction) == (
        (before.ends_at, before.transaction_horizon) if before else (None, 0)
    )
    if not is_next:
        yield "it does not begin where the close before it ended"


def _broken(before: DayClose | None, close: DayClose) -> Iterator[str]:
    """Against the seal: nothing of a close can be changed without it."""
    if close.previous_hash != (before.hash if before else anchor(close.channel_id)):
        yield "it is not chained to the close before it"
    again = seal_of(close, before)
    if (again.entries, again.sum_minor) != (close.entries, int(close.sum_minor)):
        told = f"{close.entries} entries of {close.sum_minor} in all"
        yield f"{told} were sealed, {again.entries} of {again.sum_minor} are there"
    if again.balances != close.balances:
        yield "its balances are not those of its entries"
    if again.hash != close.hash:
        yield "its seal is broken"
