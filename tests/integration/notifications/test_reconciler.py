"""From a notification that is owed to the customer's inbox, over the product's own messengers and the real runtime."""

import pytest
import redis
from django.db import OperationalError, connection

from orders.models import Channel
from refunds.models import Notification
from tests.integration.adapters.peers import budget
from tests.integration.notifications.conftest import Inbox
from tests.integration.notifications.owed import Case, make_case, pass_time
from workers.contract import Answered, Begun
from workers.controller import Controller, Host, Limits
from workers.ports import Delivered, NotSent, Refused, Unknown
from workers.reconcilers.notifications import NotificationReconciler
from workers.room import Room
from workers.workqueue import Lease, QueueSpec, WorkQueue, ok

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def reconciler(inbox: Inbox) -> NotificationReconciler:
    return NotificationReconciler({"email": inbox.mail, "sms": inbox.sms})


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """A customer of this test's own."""
    name = request.node.name.replace("[", "-").replace("]", "")
    return make_case(name[:60], phone=f"+44{abs(hash(name)) % 10**10:010}")


def begin(reconciler: NotificationReconciler, *rows: Notification) -> Begun:
    return reconciler.begin([Lease("notifications", str(row.id), "token") for row in rows], Room(8, lambda: 8))


def send(reconciler: NotificationReconciler, *rows: Notification, seconds: float = 5.0) -> dict[str, object]:
    """One pass over the rows, as the runtime makes it."""
    begun = begin(reconciler, *rows)
    answers = [Answered(call, reconciler.perform(call, budget(seconds))) for call in begun.calls]
    return dict(reconciler.record(answers))


def test_owed_mail_arrives_in_the_customers_language(
    case: Case, inbox: Inbox, reconciler: NotificationReconciler
) -> None:
    row = case.owe("refunded_at_once")
    assert send(reconciler, row) == {str(row.id): ok()}
    (got,) = inbox.messages(to=case.order.customer_email)
    assert got["subject"] == f"Refund RFTEST-R{case.refund.id} for order {case.order.number}"
    assert "We have sent €30.00 to your original payment method." in got["text"]
    assert (got["refund"], got["message_id"]) == (case.refund.number, f"<{case.refund.id}.1.email@rftest.127.0.0.1>")
    assert got["references"] == [f"<request.{case.refund.id}@rftest.127.0.0.1>"]


def test_a_message_that_is_gone_before_its_answer_came_ends(case: Case, reconciler: NotificationReconciler) -> None:
    row = case.owe()
    begun = begin(reconciler, row)
    Notification.objects.filter(pk=row.pk).delete()
    assert reconciler.record([Answered(call, Delivered("1")) for call in begun.calls]) == {str(row.id): ok()}


def test_mail_comes_from_the_channel_it_is_about(case: Case, inbox: Inbox, reconciler: NotificationReconciler) -> None:
    Channel.objects.filter(pk=case.order.channel_id).update(sender="Oak & Lantern <refunds@oak.example>")
    send(reconciler, case.owe())
    (got,) = inbox.messages(to=case.order.customer_email)
    assert "refunds@oak.example" in got["from"]


def test_owed_sms_arrives_with_its_template(case: Case, inbox: Inbox, reconciler: NotificationReconciler) -> None:
    row = case.owe("refunded", channel="sms")
    send(reconciler, row)
    (got,) = inbox.messages(to=case.order.customer_phone)
    assert (got["template"], got["params"]["amount"]) == ("refunded.en", "€30.00")
    assert Notification.objects.get(pk=row.pk).provider_id == f"sms_{got['id']}"


def test_message_of_unknown_outcome_comes_twice_under_one_identity(
    case: Case, inbox: Inbox, reconciler: NotificationReconciler
) -> None:
    inbox.fault("email", "timeout_after_accept", to=case.order.customer_email)
    row = case.owe()
    assert send(reconciler, row, seconds=0.5) != {str(row.id): ok()}
    assert Notification.objects.get(pk=row.pk).call == "unknown"
    pass_time(seconds=11)
    assert send(reconciler, row) == {str(row.id): ok()}
    got = inbox.messages(to=case.order.customer_email)
    assert len(got) == 2 and len({m["message_id"] for m in got}) == 1


def test_address_the_server_refuses_is_not_tried_again(
    case: Case, inbox: Inbox, reconciler: NotificationReconciler
) -> None:
    inbox.fault("email", "reject_550", to=case.order.customer_email)
    row = case.owe()
    assert send(reconciler, row) == {str(row.id): ok()}
    assert Notification.objects.get(pk=row.pk).state == "failed"
    assert inbox.messages(to=case.order.customer_email) == []


def test_call_that_raised_or_was_abandoned_is_unknown(case: Case, reconciler: NotificationReconciler) -> None:
    row = case.owe()
    (call,) = begin(reconciler, row).calls
    (outcome,) = reconciler.record([Answered(call, error=TimeoutError("gone"))]).values()
    row = Notification.objects.get(pk=row.pk)
    assert (row.call, row.last_error) == ("unknown", "TimeoutError: gone")
    assert outcome.seconds == pytest.approx(10, abs=1)


def test_channel_without_room_makes_its_keys_wait(case: Case, reconciler: NotificationReconciler) -> None:
    row = case.owe()
    begun = reconciler.begin([Lease("notifications", str(row.id), "token")], Room(8, lambda: 0))
    assert begun.calls == [] and begun.outcomes[str(row.id)].seconds >= 0.2


def test_far_looks_are_left_to_the_sweep(case: Case, reconciler: NotificationReconciler) -> None:
    row = case.owe(failures=4)
    (call,) = begin(reconciler, row).calls
    assert reconciler.record([Answered(call, NotSent("connection refused"))]) == {str(row.id): ok()}
    assert begin(reconciler, row).outcomes == {str(row.id): ok()}


@pytest.mark.parametrize(
    "reply, healthy",
    [
        (Delivered("x"), True),
        (Refused("smtp_550"), True),
        (Refused("rate_limited", retryable=True), False),
        (Unknown("timed out"), False),
        (NotSent("refused"), False),
    ],
)
def test_only_a_provider_in_trouble_counts_as_unhealthy(
    reconciler: NotificationReconciler, reply: object, healthy: bool
) -> None:
    assert reconciler.is_healthy(reply) is healthy


def test_sweep_pages_through_what_is_due_and_wraps_round(case: Case, reconciler: NotificationReconciler) -> None:
    rows = [case.owe() for _ in range(5)]
    later = case.owe()
    Notification.objects.filter(pk=later.pk).update(next_reconcile_at="2999-01-01T00:00Z")
    pages = [reconciler.due(2) for _ in range(4)]
    keys = [str(row.id) for row in rows]
    assert pages == [keys[:2], keys[2:4], keys[4:], keys[:2]]


def test_raising_and_stalled_keys_are_looked_at_later(case: Case, reconciler: NotificationReconciler) -> None:
    for setback, seconds in (
        (lambda key: reconciler.failed(key, ValueError("broken"), 3), 40),
        (reconciler.stalled, 3600),
    ):
        row = case.owe()
        setback(str(row.id))
        later = Notification.objects.get(pk=row.pk)
        waits = (later.next_reconcile_at - row.created_at).total_seconds()
        assert waits == pytest.approx(seconds, abs=5) and later.last_error


def test_runtime_sends_every_message_once(
    redis_client: redis.Redis, inbox: Inbox, reconciler: NotificationReconciler
) -> None:
    case = make_case("runtime", email="runtime@customer.example")
    rows = [case.owe("received") for _ in range(30)]
    queue = WorkQueue(redis_client, [QueueSpec("notifications")])
    queue.add("notifications", [str(row.id) for row in rows])
    queue.add("notifications", [str(row.id) for row in rows])
    host = Host(
        send_pump=lambda: None,
        is_stopping=lambda: False,
        database_errors=(OperationalError,),
        reset_database=connection.close_if_unusable_or_obsolete,
    )
    limits = Limits(batch=10, slots=16, pump_seconds=20, linger_seconds=0.2, hard_limit_seconds=60)
    Controller(queue, [reconciler], host, limits=limits).run()
    assert Notification.objects.filter(state="sent").count() == 30
    got = inbox.messages(to="runtime@customer.example")
    assert len(got) == len({m["message_id"] for m in got}) == 30
