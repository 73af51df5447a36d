"""The audit trail of one refund, and the feed of all, from which a reader misses nothing.

Ids are drawn before commit, so "everything after id n" skips what commits late. The feed is therefore ordered by
(transaction id, id) and served only up to the oldest transaction still running: below it nothing can appear any
more.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from refunds.models import RefundEvent


@dataclass(frozen=True, slots=True, order=True)
class FeedPosition:
    """The last place a reader has seen. Starts at (0, 0)."""

    transaction_id: int = 0
    event_id: int = 0


@dataclass(frozen=True, slots=True)
class FeedPage:
    """`next` is where to read on from, also when there are no events: a poller keeps it."""

    events: list[RefundEvent]
    next: FeedPosition


def feed_page(after: FeedPosition, *, channels: Collection[int], kinds: Collection[str], limit: int) -> FeedPage:
    """At most `limit` events after that position."""
    # Its own statement and first: what is below this horizon was complete before the page's snapshot is taken.
    horizon = oldest_running_transaction()
    wanted = Q(transaction_id__gt=after.transaction_id) | Q(transaction_id=after.transaction_id, id__gt=after.event_id)
    events = RefundEvent.objects.filter(
        wanted,
        transaction_id__gte=after.transaction_id,
        transaction_id__lt=horizon,
        refund__order__channel_id__in=channels,
    )
    if kinds:
        events = events.filter(kind__in=kinds)
    page = list(events.select_related("refund__order__channel").order_by("transaction_id", "id")[:limit])
    return FeedPage(page, _reached(after, page, horizon=horizon, full=len(page) == limit))


def oldest_running_transaction() -> int:
    """The horizon: of transactions below it no event can appear any more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        return cursor.fetchone()[0]


def refund_events(refund_id: int, *, after_seq: int, limit: int) -> list[RefundEvent]:
    """The trail of one refund in order."""
    trail = RefundEvent.objects.filter(refund_id=refund_id, seq__gt=after_seq)
    return list(trail.select_related("refund__order__channel").order_by("seq")[:limit])


def order_events(order_id: int) -> list[RefundEvent]:
    """The trails of all refunds of an order, each in order."""
    return list(RefundEvent.objects.filter(refund__order_id=order_id).order_by("refund_id", "seq"))


def refunds_with_event(refund_ids: Collection[int], kind: str) -> set[int]:
    """Those of the refunds to which this has happened."""
    events = RefundEvent.objects.filter(refund_id__in=refund_ids, kind=kind)
    return set(events.values_list("refund_id", flat=True))


def _reached(after: FeedPosition, page: list[RefundEvent], *, horizon: int, full: bool) -> FeedPosition:
    """A page that is not full has seen all below the horizon: a reader of rare events need not scan it again."""
    if full:
        return FeedPosition(page[-1].transaction_id, page[-1].id)
    return max(after, FeedPosition(horizon, 0))
