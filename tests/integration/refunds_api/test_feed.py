"""The feed of all events: in order, by channel, and without ever missing what commits late."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connections, transaction

from refunds.models import Refund, RefundEvent
from refunds.selectors.feed import FeedPosition, feed_page, refund_events
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_SECONDS = 30


def read_until(after: FeedPosition, *, count: int, channels: list[int]) -> tuple[list[RefundEvent], FeedPosition]:
    """Poll as a reader would. Transactions of other databases of the server may hold the horizon for a moment."""
    seen: list[RefundEvent] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(seen) < count and time.monotonic() < deadline:
        page = feed_page(after, channels=channels, kinds=(), limit=2)
        seen += page.events
        after = page.next
    return seen, after


@contextmanager
def another_writer() -> Iterator[object]:
    """A second connection to the same database."""
    connection = connections["default"].copy()
    try:
        yield connection
    finally:
        connection.close()


def start_late_event(connection, refund: Refund) -> None:
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(
            "INSERT INTO refunds_refundevent (refund_id, seq, kind, data, actor, role, occurred_at, hash)"
            " VALUES (%s, 1, 'late', '{}', 'system', 'system', now(), '')",
            [refund.pk],
        )


def test_an_event_that_commits_late_is_not_missed() -> None:
    channel = rows.default_channel()
    late, early = rows.Case(channel).refund, rows.Case(channel).refund
    _, start = read_until(FeedPosition(), count=0, channels=[channel.pk])
    with another_writer() as connection:
        start_late_event(connection, late)
        rows.an_event(early, "early")
        page = feed_page(start, channels=[channel.pk], kinds=(), limit=10)
        assert page.events == [], "nothing beyond a running transaction is served"
        with connection.cursor() as cursor:
            cursor.execute("COMMIT")
    seen, _ = read_until(page.next, count=2, channels=[channel.pk])
    assert [event.kind for event in seen] == ["late", "early"]


def test_pages_join_without_gap_or_repeat() -> None:
    channel = rows.default_channel()
    refund = rows.Case(channel).refund
    with transaction.atomic():
        for number in range(5):
            rows.an_event(refund, f"kind-{number}")
    for number in range(5, 7):
        rows.an_event(refund, f"kind-{number}")
    seen, _ = read_until(FeedPosition(), count=7, channels=[channel.pk])
    assert [event.kind for event in seen] == [f"kind-{number}" for number in range(7)]


def test_a_reader_sees_only_its_channels() -> None:
    own, foreign = rows.default_channel(), rows.a_channel()
    rows.an_event(rows.Case(foreign).refund, "foreign")
    rows.an_event(rows.Case(own).refund, "own")
    seen, _ = read_until(FeedPosition(), count=1, channels=[own.pk])
    assert [event.kind for event in seen] == ["own"]


def test_a_reader_of_rare_events_moves_on_without_them() -> None:
    channel = rows.default_channel()
    rows.an_event(rows.Case(channel).refund, "usual")
    read_until(FeedPosition(), count=1, channels=[channel.pk])
    page = feed_page(FeedPosition(), channels=[channel.pk], kinds=["rare"], limit=10)
    assert page.events == []
    assert feed_page(page.next, channels=[channel.pk], kinds=(), limit=10).events == []


def test_the_trail_of_one_refund_is_in_order() -> None:
    case, other = rows.Case(rows.default_channel()), rows.Case(rows.default_channel())
    for refund, kind in ((case.refund, "first"), (other.refund, "other"), (case.refund, "second")):
        rows.an_event(refund, kind)
    assert [event.kind for event in refund_events(case.refund.pk, after_seq=0, limit=10)] == ["first", "second"]
    assert [event.kind for event in refund_events(case.refund.pk, after_seq=1, limit=10)] == ["second"]
