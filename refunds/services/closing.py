"""Closing a channel's days: each once, in order, by one at a time, whoever else tries (`workers.singleton`).

A day is over when its clock says so; what is committed later belongs to the next one.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from orders import clock
from orders.models import Channel
from refunds.books.sealing import anchor
from refunds.days import day_of, end_of
from refunds.models import DayClose
from refunds.selectors.books_closes import last_close, oldest_running_transaction, seal_of
from refunds.selectors.books_entries import first_recorded_at
from workers.singleton import alone

#: So long the night's own close waits for what is still being written of the day.
AFTER_MIDNIGHT = timedelta(minutes=5)


def close_days(channel: Channel, *, up_to: date | None = None, wait: timedelta = timedelta()) -> Iterator[DayClose]:
    """Close all days of the channel that are over, each in a transaction of its own; none while somebody else does."""
    while closed := _close_next(channel, up_to=up_to, wait=wait):
        yield closed


def close_all(*, wait: timedelta = AFTER_MIDNIGHT) -> int:
    """Of every channel; how many days were closed."""
    return sum(1 for channel in Channel.objects.order_by("pk") for _ in close_days(channel, wait=wait))


def _close_next(channel: Channel, *, up_to: date | None, wait: timedelta) -> DayClose | None:
    with alone(f"books of channel {channel.pk}") as is_mine:
        if not is_mine:
            return None
        horizon, now, before = oldest_running_transaction(), clock.now(), last_close(channel.pk)
        close = _next(channel, before, horizon=horizon, now=now)
        if close is None or close.ends_at + wait > now or (up_to and close.day > up_to):
            return None
        return _sealed(close, before)


def _next(channel: Channel, before: DayClose | None, *, horizon: int, now: datetime) -> DayClose | None:
    """The day that follows; the first is that of the channel's first entry."""
    if before is None:
        first = first_recorded_at(channel.pk)
        day = day_of(first, channel.time_zone) if first else None
    else:
        day = before.day + timedelta(days=1)
    if day is None:
        return None
    ends_at = end_of(day, channel.time_zone)
    return DayClose(
        channel=channel,
        day=day,
        time_zone=channel.time_zone,
        starts_at=before.ends_at if before else None,
        ends_at=max(ends_at, before.ends_at) if before else ends_at,
        from_transaction=before.transaction_horizon if before else 0,
        transaction_horizon=max(horizon, before.transaction_horizon) if before else horizon,
        previous_hash=before.hash if before else anchor(channel.pk),
        closed_at=now,
    )


def _sealed(close: DayClose, before: DayClose | None) -> DayClose:
    read = seal_of(close, before)
    close.entries, close.sum_minor, close.balances, close.hash = read.entries, read.sum_minor, read.balances, read.hash
    close.save(force_insert=True)
    return close
