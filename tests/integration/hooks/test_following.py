"""From the feed to deliveries: none missed, none twice, from the moment on that a manifest says so."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.models import Channel
from refunds import records
from refunds.models import WebhookDelivery, WebhookEndpoint, WebhookFeed
from refunds.services.hooks.following import follow_feed
from tests.integration.hooks.hooked import (
    URL,
    another_transaction,
    caught_up,
    declare,
    follow,
    happened,
    hook,
)
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db(transaction=True)
OTHER = "http://127.0.0.1:9/other"
LATE = (
    "INSERT INTO refunds_refundevent (refund_id, seq, kind, data, actor, role, occurred_at, hash)"
    " VALUES (%s, 1, 'late', '{}', 'system', 'system', now(), '')"
)


@pytest.fixture
def channel() -> Channel:
    return rows.default_channel()


def said(deliveries: list[WebhookDelivery]) -> list[tuple[str, str]]:
    return [(d.endpoint.url, d.event.kind) for d in deliveries]


def test_each_event_is_owed_to_each_address_whose_types_fit(channel: Channel) -> None:
    declare(channel, hook(URL), hook(OTHER, "refund.refunded"))
    happened(rows.Case(channel).refund, "refund.requested", "refund.refunding", "refund.refunded")
    happened(rows.Case(rows.a_channel()).refund, "refund.requested")
    kinds = ("refund.requested", "refund.refunding", "refund.refunded")
    found = follow(until=4)
    assert [row for row in said(found) if row[0] == URL] == [(URL, kind) for kind in kinds]
    assert [row for row in said(found) if row[0] == OTHER] == [(OTHER, "refund.refunded")]
    assert [d.seq for d in found if d.endpoint.url == URL] == [1, 2, 3]


def test_nothing_is_made_twice(channel: Channel) -> None:
    declare(channel, hook())
    refund = rows.Case(channel).refund
    happened(refund, "one")
    follow(until=1)
    follow_feed()
    WebhookFeed.objects.all().delete()
    follow_feed()
    happened(refund, "two")
    assert said(follow(until=2)) == [(URL, "one"), (URL, "two")]


def test_an_event_that_commits_late_is_not_missed(channel: Channel) -> None:
    late, early = rows.Case(channel).refund, rows.Case(channel).refund
    declare(channel, hook())
    with another_transaction(LATE, [late.pk]):
        happened(early, "early")
        follow_feed()
        assert not WebhookDelivery.objects.exists(), "nothing beyond a running transaction"
    assert said(follow(until=2)) == [(URL, "late"), (URL, "early")]


def test_what_commits_after_the_declaration_is_owed_even_if_it_began_before(channel: Channel) -> None:
    late, marker = rows.Case(channel).refund, rows.Case(channel).refund
    with another_transaction(LATE, [late.pk]):
        declare(channel, hook())
    happened(marker, "marker")
    assert said(follow(until=2)) == [(URL, "late"), (URL, "marker")]


def test_an_address_begins_with_what_happens_from_now_on(channel: Channel) -> None:
    refund = rows.Case(channel).refund
    happened(refund, "long ago")
    caught_up()
    declare(channel, hook())
    happened(refund, "now")
    assert said(follow(until=1)) == [(URL, "now")]
    caught_up()
    declare(channel, hook(), hook(OTHER))
    happened(refund, "later")
    assert set(said(follow(until=3))) == {(OTHER, "later"), (URL, "later"), (URL, "now")}


def test_however_far_the_follower_is_behind_a_new_address_is_not_told_of_before(channel: Channel) -> None:
    refund = rows.Case(channel).refund
    declare(channel, hook())
    happened(refund, "before")
    caught_up()
    declare(channel, hook(), hook(OTHER))
    happened(refund, "after")
    assert set(said(follow(until=3))) == {(URL, "before"), (URL, "after"), (OTHER, "after")}


def test_an_address_that_is_not_named_any_more_is_owed_nothing_and_begins_anew(channel: Channel) -> None:
    refund = rows.Case(channel).refund
    declare(channel, hook(), hook(OTHER))
    declare(channel, hook(OTHER))
    happened(refund, "meanwhile")
    assert said(follow(until=1)) == [(OTHER, "meanwhile")]
    caught_up()
    declare(channel, hook(URL, "again", secret="env:NEW"))
    happened(refund, "again")
    assert said(follow(until=2)) == [(OTHER, "meanwhile"), (URL, "again")]
    assert WebhookEndpoint.objects.get(url=URL).secret == "env:NEW"


def test_a_disabled_address_is_owed_nothing_until_its_manifest_changes(channel: Channel) -> None:
    refund = rows.Case(channel).refund
    declare(channel, hook(), hook(OTHER))
    WebhookEndpoint.objects.filter(url=URL).update(disabled_at="2026-01-01T00:00Z")
    happened(refund, "meanwhile")
    assert said(follow(until=1)) == [(OTHER, "meanwhile")]
    caught_up()
    declare(channel, hook(), hook(OTHER))
    happened(refund, "again")
    assert set(said(follow(until=3))) == {(OTHER, "again"), (OTHER, "meanwhile"), (URL, "again")}


def test_two_who_follow_at_once_make_each_delivery_once(channel: Channel) -> None:
    declare(channel, hook())
    refund = rows.Case(channel).refund
    happened(refund, *(f"kind-{n}" for n in range(20)))

    def follow_often() -> None:
        try:
            for _ in range(10):
                follow_feed()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(follow_often) for _ in range(2)]:
            done.result()
    assert [d.seq for d in follow(until=20)] == list(range(1, 21))


def test_without_webhooks_a_look_is_one_statement(channel: Channel) -> None:
    happened(rows.Case(channel).refund, "one")
    assert cost() == (0, 1)


def test_a_look_costs_the_same_however_much_has_happened(channel: Channel) -> None:
    declare(channel, hook())
    refund, costs = rows.Case(channel).refund, []
    for events in (1, 30):
        happened(refund, *["kind"] * events)
        caught_up()
        costs.append(cost())
    assert costs[0] == costs[1]
    assert WebhookDelivery.objects.count() == 31


def cost() -> tuple[int, int]:
    with CaptureQueriesContext(connection) as queries, records.counted() as statements:
        follow_feed()
    return len(queries), len(statements)
