"""Webhooks are stored once, without a lock, and wake the refund they speak of."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.errors import Invalid
from refunds.models import InboundWebhook
from refunds.services import inbox
from tests.integration.refunds_api import rows
from workers.ports import GatewayEvent, GatewayStatus
from workers.workqueue import QueueSpec, WorkQueue, ok

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> rows.Case:
    return rows.Case(rows.default_channel())


@pytest.fixture
def woken(redis_client) -> Callable[[], list[str]]:
    """Takes the keys that wait in the queue, and is done with them."""
    queue = WorkQueue(redis_client, [QueueSpec("refunds")])

    def take() -> list[str]:
        leases = queue.get("test", 100, stay=True).leases
        queue.finish([(lease, ok()) for lease in leases])
        return [lease.key for lease in leases]

    return take


def an_event(case: rows.Case, **fields: object) -> GatewayEvent:
    event = GatewayEvent(
        event_id="evt_1",
        kind="refund.updated",
        payment_reference="pay-1",
        number=case.movement.number,
        gateway_refund_id="re_1",
        status=GatewayStatus.SUCCEEDED,
        amount_minor=500,
        currency="EUR",
        occurred_at=clock.now(),
    )
    return replace(event, **fields)


def store(django_capture_on_commit_callbacks, account: str, *events: GatewayEvent) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        inbox.store_events(account, events)


def test_an_event_is_stored_with_its_refund_and_wakes_it(case, woken, django_capture_on_commit_callbacks) -> None:
    """Controller check 51; upstream: TestAddPod, TestUpdatePod, TestDeletePod, TestDeletePodOrphan,
    TestJobPodLookup."""
    store(django_capture_on_commit_callbacks, "sandbox", an_event(case))
    stored = InboundWebhook.objects.get()
    assert (stored.account, stored.event_id, stored.kind, stored.refund) == (
        "sandbox",
        "evt_1",
        "refund.updated",
        case.refund,
    )
    assert stored.payload["status"] == "succeeded" and stored.payload["amount_minor"] == 500
    assert stored.applied_at is None
    assert woken() == [str(case.refund.pk)]


def test_events_of_one_delivery_are_stored_in_the_order_told(case, django_capture_on_commit_callbacks) -> None:
    told = ["evt_9", "evt_10", "evt_1"]
    store(django_capture_on_commit_callbacks, "sandbox", *(an_event(case, event_id=event_id) for event_id in told))
    assert list(InboundWebhook.objects.order_by("id").values_list("event_id", flat=True)) == told


def test_a_copy_changes_nothing_and_still_wakes_until_applied(case, woken, django_capture_on_commit_callbacks) -> None:
    for amount in (500, 999):
        store(django_capture_on_commit_callbacks, "sandbox", an_event(case, amount_minor=amount))
        assert woken() == [str(case.refund.pk)]
    assert InboundWebhook.objects.get().payload["amount_minor"] == 500
    InboundWebhook.objects.update(applied_at=clock.now())
    store(django_capture_on_commit_callbacks, "sandbox", an_event(case))
    assert woken() == []


def test_an_account_speaks_only_of_its_own_payments(case, woken, django_capture_on_commit_callbacks) -> None:
    store(django_capture_on_commit_callbacks, "another", an_event(case))
    assert InboundWebhook.objects.get().refund is None
    assert woken() == []


def test_what_nobody_here_asked_for_is_kept(case, woken, django_capture_on_commit_callbacks) -> None:
    """Controller check 51; upstream: TestAddPod, TestUpdatePod, TestDeletePod, TestDeletePodOrphan,
    TestJobPodLookup."""
    store(django_capture_on_commit_callbacks, "sandbox", an_event(case, number="", kind="dispute.opened", status=None))
    assert InboundWebhook.objects.get().refund is None
    assert woken() == []


def test_many_events_of_one_body_take_one_statement(case) -> None:
    events = [an_event(case, event_id=f"evt_{number}") for number in range(50)]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        inbox.store_events("sandbox", [*events, events[0]])
    statements = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(statements) == 1
    assert InboundWebhook.objects.count() == 50


@pytest.mark.parametrize(
    "fields",
    [
        {"event_id": "evt\x00"},
        {"event_id": "e" * 201},
        {"kind": "k" * 41},
        {"gateway_refund_id": "re_\ud800"},
        {"number": "RT\x00"},
        {"gateway_refund_id": "r" * 201},
        {"currency": "EURO"},
        {"amount_minor": 10**15 + 1},
        {"amount_minor": 10**30},
        {"amount_minor": -1},
    ],
)
def test_a_fact_that_no_row_could_hold_is_refused(case, fields) -> None:
    with pytest.raises(Invalid) as refused:
        inbox.store_events("sandbox", [an_event(case, **fields)])
    assert refused.value.code == "webhook_unstorable"
    assert not InboundWebhook.objects.exists()


def test_a_long_failure_code_is_cut_short(case) -> None:
    inbox.store_events("sandbox", [an_event(case, failure_code="f" * 100)])
    assert InboundWebhook.objects.get().payload["failure_code"] == "f" * 60


@pytest.mark.django_db(transaction=True)
def test_a_locked_order_does_not_hold_up_its_webhooks(case) -> None:
    other = connections["default"].copy()
    try:
        with other.cursor() as cursor, connection.cursor() as own:
            cursor.execute("BEGIN")
            cursor.execute("SELECT id FROM orders_order WHERE id = %s FOR NO KEY UPDATE", [case.order.pk])
            own.execute("SET lock_timeout = '5s'")
            inbox.store_events("sandbox", [an_event(case)])
            own.execute("RESET lock_timeout")
    finally:
        other.close()
    assert InboundWebhook.objects.get().refund == case.refund
