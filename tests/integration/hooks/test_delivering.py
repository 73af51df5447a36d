"""From a delivery that is owed to the shop's own door: signed, in order, again under one identity, given up at last."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from standardwebhooks.webhooks import Webhook

from refunds import records
from refunds.hooks import WAITS
from refunds.models import WebhookDelivery, WebhookEndpoint
from refunds.services.hooks.delivering import HookClaim, begin_hooks, record_hooks
from tests.integration.adapters.peers import Receiver, answering, budget, raw_server
from tests.integration.hooks.hooked import URL, declare, delivery_of, hook, owed
from tests.integration.notifications.owed import pass_time
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller
from workers.adapters.webhook_sender import WebhookSender
from workers.contract import Answered, Begun
from workers.controller import Controller, Host, Limits
from workers.ports import GONE, Delivered, NotSent, Refused, Unknown
from workers.reconcilers.webhooks import WebhookReconciler
from workers.room import Room
from workers.secrets import resolve
from workers.workqueue import Lease, QueueSpec, WorkQueue, ok


def anybodys(reference: str, channel: str) -> str:
    """Whoever refers to it."""
    return resolve(reference)


pytestmark = pytest.mark.django_db(transaction=True)
BEGIN_AND_COMMIT = 2
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture
def reconciler() -> WebhookReconciler:
    return WebhookReconciler(WebhookSender(secret_of=anybodys, allow_private=True))


def begin(reconciler: WebhookReconciler, *rows: WebhookDelivery) -> Begun:
    return reconciler.begin([Lease("webhooks", str(row.pk), "token") for row in rows], Room(8, lambda: 8))


def send(reconciler: WebhookReconciler, *rows: WebhookDelivery, seconds: float = 5.0) -> dict[str, object]:
    """One pass over the rows, as the runtime makes it."""
    begun = begin(reconciler, *rows)
    answers = [Answered(call, reconciler.perform(call, budget(seconds))) for call in begun.calls]
    return dict(begun.outcomes) | dict(reconciler.record(answers))


def stored(row: WebhookDelivery) -> WebhookDelivery:
    return WebhookDelivery.objects.get(pk=row.pk)


def next_look(row: WebhookDelivery) -> datetime:
    at: datetime | None = stored(row).next_reconcile_at
    assert at is not None
    return at


def waits(row: WebhookDelivery) -> float:
    """Seconds from now until it is looked at, by the business clock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM next_reconcile_at - refundry_now()) FROM refunds_webhookdelivery WHERE id = %s",
            [row.pk],
        )
        return float(cursor.fetchone()[0])


def several(url: str, *kinds: str) -> list[WebhookDelivery]:
    """Events of one refund, owed to one address."""
    declare(rows.default_channel(), hook(url))
    refund, endpoint = rows.Case(rows.default_channel()).refund, WebhookEndpoint.objects.get(url=url)
    return [delivery_of(refund, endpoint, kind) for kind in kinds]


def heard(receiver: Receiver) -> list[str]:
    return [json.loads(body)["type"] for _, body in receiver.received]


def test_the_shop_gets_the_event_as_the_feed_shows_it(receiver: Receiver, reconciler: WebhookReconciler) -> None:
    (row,) = owed(url=receiver.url)
    assert send(reconciler, row) == {str(row.pk): ok()}
    ((headers, body),) = receiver.received
    said = Webhook(SECRET).verify(body, headers)
    (shown,) = Caller(rows.default_channel()).get(f"/refunds/{row.refund.number}/events").body["items"]
    assert said == {"type": shown["type"], "timestamp": shown["occurred_at"], "data": shown}
    assert headers["webhook-id"] == f"msg_{row.refund.number}_1"
    row = stored(row)
    assert (row.state, row.next_reconcile_at, row.call, row.last_error) == ("delivered", None, "idle", "")
    assert row.ended_at is not None
    assert send(reconciler, row) == {str(row.pk): ok()} and len(receiver.received) == 1


def test_a_worker_killed_between_claim_and_answer_leaves_a_copy_under_the_same_id(
    receiver: Receiver, reconciler: WebhookReconciler
) -> None:
    (row,) = owed(url=receiver.url)
    (call,) = begin(reconciler, row).calls
    reconciler.perform(call, budget())
    assert send(reconciler, row) != {} and len(receiver.received) == 1, "its answer may still come"
    pass_time(seconds=11)
    assert send(reconciler, row) == {str(row.pk): ok()}
    first, second = receiver.received
    assert first[1] == second[1] and first[0]["webhook-id"] == second[0]["webhook-id"]
    assert (stored(row).state, stored(row).failures) == ("delivered", 0)


def test_good_news_that_comes_late_counts(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    (late,) = begin(reconciler, row).calls
    pass_time(seconds=11)
    (call,) = begin(reconciler, row).calls
    reconciler.record([Answered(call, Refused("http_500", retryable=True))])
    reconciler.record([Answered(late, Refused("http_500", retryable=True))])
    assert (stored(row).state, stored(row).failures) == ("pending", 1), "bad news counts from the last attempt alone"
    reconciler.record([Answered(late, Delivered(""))])
    assert stored(row).state == "delivered"


def test_it_is_sent_again_for_three_days_and_then_a_dead_letter(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    for seconds in WAITS:
        send(reconciler, row)
        assert waits(row) == pytest.approx(seconds, abs=5)
        pass_time(seconds=seconds + 1)
    assert send(reconciler, row) == {str(row.pk): ok()}
    row = stored(row)
    assert (row.state, row.failures, row.next_reconcile_at) == ("dead", 10, None)
    assert row.last_error and row.ended_at


def test_a_shop_that_asks_for_time_gets_it(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    (call,) = begin(reconciler, row).calls
    reconciler.record([Answered(call, Refused("http_503", "busy", retryable=True, retry_after=120))])
    assert waits(row) == pytest.approx(120, abs=5)
    assert stored(row).last_error == "http_503: busy"


@pytest.mark.parametrize("error", [None, TimeoutError("gone")])
def test_a_call_that_raised_or_was_abandoned_is_sent_again(error: Exception | None, reconciler) -> None:
    (row,) = owed()
    (call,) = begin(reconciler, row).calls
    reply = None if error else Unknown("no answer")
    reconciler.record([Answered(call, reply, error=error)])
    assert (stored(row).call, waits(row)) == ("unknown", pytest.approx(5, abs=2))


def test_an_answer_may_say_anything(reconciler: WebhookReconciler) -> None:
    with raw_server(answering("500 Oh", b"a\x00b" + "ü".encode() * 1000)) as address:
        (row,) = owed(url=f"http://{address}/hook")
        send(reconciler, row)
    assert len(stored(row).last_error) == 200 and stored(row).last_error.startswith("http_500: a bü")


def test_gone_ends_all_that_is_owed_to_this_address_until_its_manifest_changes(
    receiver: Receiver, reconciler: WebhookReconciler
) -> None:
    with raw_server(answering("410 Gone", b"")) as address:
        url = f"http://{address}/hook"
        first, second = owed(2, url=url)
        (other,) = owed(url=receiver.url, channel=rows.a_channel())
        send(reconciler, first)
        send(reconciler, second, other)
    assert (stored(first).state, stored(first).last_error) == ("dead", GONE)
    assert stored(second).state == "dead" and stored(second).last_error.startswith("endpoint_disabled")
    assert stored(other).state == "delivered"
    assert WebhookEndpoint.objects.get(url=url).disabled_at is not None
    declare(rows.default_channel(), hook(url))
    assert WebhookEndpoint.objects.get(url=url).disabled_at is None


def test_gone_said_to_an_older_manifest_does_not_disable(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    (call,) = begin(reconciler, row).calls
    declare(rows.default_channel(), hook())
    reconciler.record([Answered(call, Refused(GONE))])
    assert WebhookEndpoint.objects.get(url=URL).disabled_at is None


def test_an_address_that_is_not_named_any_more_is_not_called(receiver: Receiver, reconciler) -> None:
    (row,) = owed(url=receiver.url)
    declare(rows.default_channel())
    assert send(reconciler, row) == {str(row.pk): ok()}
    assert receiver.received == [] and stored(row).last_error.startswith("endpoint_removed")


def test_the_events_of_a_refund_arrive_in_order(receiver: Receiver, reconciler: WebhookReconciler) -> None:
    first, second, third = several(receiver.url, "one", "two", "three")
    send(reconciler, third, second, first)
    assert heard(receiver) == ["one"] and next_look(second) <= next_look(third)
    send(reconciler, second, third)
    send(reconciler, third)
    assert heard(receiver) == ["one", "two", "three"]


def test_a_later_event_waits_for_an_earlier_one_until_that_is_dead(
    receiver: Receiver, reconciler: WebhookReconciler
) -> None:
    receiver.refusals = 10
    first, second = several(receiver.url, "one", "two")
    other = delivery_of(rows.Case(rows.default_channel()).refund, first.endpoint, "other")
    for seconds in WAITS:
        send(reconciler, first)
        send(reconciler, second)
        assert waits(second) == pytest.approx(max(seconds, 5), abs=5), "it is looked at when the earlier one is"
        pass_time(seconds=seconds + 1)
    send(reconciler, first)
    assert stored(first).state == "dead" and receiver.received == []
    send(reconciler, second, other)
    assert sorted(heard(receiver)) == ["other", "two"]


def test_one_address_does_not_wait_for_another(receiver: Receiver, reconciler: WebhookReconciler) -> None:
    channel = rows.default_channel()
    declare(channel, hook(URL), hook(receiver.url))
    refund = rows.Case(channel).refund
    slow, fast = WebhookEndpoint.objects.order_by("id")
    delivery_of(refund, slow, "one")
    send(reconciler, delivery_of(refund, fast, "two"))
    assert heard(receiver) == ["two"]


def test_without_room_it_waits_for_its_turn(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    begun = reconciler.begin([Lease("webhooks", str(row.pk), "token")], Room(8, lambda: 0))
    assert begun.calls == [] and begun.outcomes[str(row.pk)].seconds >= 0.2
    assert stored(row).attempt == 0


def test_a_row_that_another_holds_is_passed_over(reconciler: WebhookReconciler) -> None:
    (row,) = owed()
    with held(row):
        assert begin(reconciler, row).skipped == [str(row.pk)]
        begun = reconciler.begin([Lease("webhooks", str(row.pk), "t")], Room(8, lambda: 8), wait_ms=20)
        assert begun.skipped == [str(row.pk)]


def test_raising_and_stalled_keys_are_looked_at_later(reconciler: WebhookReconciler) -> None:
    for setback, seconds in (
        (lambda key: reconciler.failed(key, ValueError("broken"), 3), 40),
        (reconciler.stalled, 3600),
    ):
        (row,) = owed()
        setback(str(row.pk))
        assert waits(row) == pytest.approx(seconds, abs=5) and stored(row).last_error


@pytest.mark.parametrize(
    ("reply", "healthy"),
    [
        (Delivered(""), True),
        (Refused(GONE), True),
        (Refused("http_500", retryable=True), False),
        (Unknown("timed out"), False),
        (NotSent("refused"), False),
    ],
)
def test_only_a_shop_in_trouble_is_called_less(reply: object, healthy: bool, reconciler: WebhookReconciler) -> None:
    assert reconciler.is_healthy(reply) is healthy


def test_statements_do_not_grow_with_the_batch() -> None:
    counts = []
    for size in (10, 100):
        ids = [row.pk for row in owed(size)]
        claims: list[HookClaim] = []
        begun = statements(
            lambda ids=ids, claims=claims: claims.extend(begin_hooks(ids, has_room=lambda slot: True).claims)
        )
        replies = [Delivered(""), Refused("http_500", retryable=True)]
        told = [(claim, replies[n % 2]) for n, claim in enumerate(claims)]
        counts.append((begun, statements(lambda told=told: record_hooks(told))))
        assert len(claims) == size
    assert counts[0] == counts[1] and max(counts[0]) <= 7 + BEGIN_AND_COMMIT


def statements(work: Callable[[], object]) -> int:
    with records.counted() as ours, CaptureQueriesContext(connection) as djangos:
        work()
    return len(ours) + len([q for q in djangos.captured_queries if "SAVEPOINT" not in q["sql"]])


def test_the_runtime_delivers_each_once_and_in_order(
    redis_client: redis.Redis, receiver: Receiver, reconciler: WebhookReconciler, settings: Any
) -> None:
    channel = rows.default_channel()
    declare(channel, hook(receiver.url))
    endpoint = WebhookEndpoint.objects.get()
    refunds = [rows.Case(channel).refund for _ in range(10)]
    owed_ones = [delivery_of(refund, endpoint, f"kind-{n}") for n in range(3) for refund in refunds]
    queue = WorkQueue(redis_client, [QueueSpec("webhooks")])
    queue.add("webhooks", [str(row.pk) for row in reversed(owed_ones)])
    host = Host(
        send_pump=lambda: None,
        is_stopping=lambda: False,
        database_errors=(OperationalError,),
        reset_database=connection.close_if_unusable_or_obsolete,
    )
    limits = Limits(batch=10, slots=16, pump_seconds=20, linger_seconds=0.5, hard_limit_seconds=60)
    Controller(queue, [reconciler], host, limits=limits).run()
    assert WebhookDelivery.objects.filter(state="delivered").count() == 30
    by_refund: dict[str, list[int]] = {}
    for _, body in receiver.received:
        data = json.loads(body)["data"]
        by_refund.setdefault(data["refund"], []).append(data["sequence"])
    assert list(by_refund.values()) == [[1, 2, 3]] * 10


@contextmanager
def held(row: WebhookDelivery) -> Iterator[None]:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT 1 FROM refunds_webhookdelivery WHERE id = %s FOR UPDATE", [row.pk])
            yield
    finally:
        other.close()
