"""The check of the books finds what is wrong in each of them, and nothing where all is right."""

import pytest
from django.db import connection

from orders.models import Order, PaymentShare
from refunds.models import LedgerEntry, Refund
from tests.consistency import violations
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine

pytestmark = pytest.mark.django_db(transaction=True)

DAMAGES = {
    "a payment share differs from the sum of its ledger": "UPDATE orders_paymentshare SET captured_minor = 2000",
    "a share's reserved or refunded money is not that of its movements": (
        "UPDATE orders_paymentshare SET captured_minor = 4000, reserved_minor = 1"
    ),
    "a line's counters are not those of its refunds": "UPDATE orders_orderline SET refunded_minor = 999",
    "a line has shipped other units than its parcels hold": "UPDATE orders_orderline SET quantity = 9, shipped = 1",
    "an order's refund state does not tell of its refunds": "UPDATE orders_order SET refund_state = 'none'",
    "a reversed refund is paid again by none, or by another amount": (
        "UPDATE refunds_gatewayrefund SET state = 'reversed', replaced_by = 'RF-0-2'"
    ),
    "money was paid under a refund that ended without": "UPDATE refunds_refund SET state = 'cancelled'",
    "a refund has ended, and it is still somebody's case that its money failed": (
        "INSERT INTO refunds_incident (kind, refund_id, data, opened_at, due_at, closed_by, note)"
        " SELECT 'refund_failed', id, '{}', now(), now(), '', '' FROM refunds_refund"
    ),
    "a refund is refunded while not all of its money is": "UPDATE refunds_gatewayrefund SET call = 'unknown'",
    "its events do not end where the refund says": "UPDATE refunds_refund SET event_seq = event_seq - 1",
}


@pytest.fixture(autouse=True)
def refunded_order() -> Order:
    order = make_order(1000)
    share = PaymentShare.objects.get(order=order)
    times = {"occurred_at": order.created_at, "recorded_at": order.created_at}
    LedgerEntry.objects.create(share=share, kind="capture", amount_minor=1000, **times)
    Engine().run(*request(order).refunds)
    return order


def test_books_that_agree():
    assert violations(connection.connection) == []


@pytest.mark.parametrize(("sentence", "damage"), DAMAGES.items())
def test_a_damaged_book(sentence: str, damage: str):
    with connection.cursor() as cursor:
        cursor.execute(damage)
    assert any(sentence in found for found in violations(connection.connection))


def test_a_changed_event(refunded_order: Order):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE refunds_refundevent DISABLE TRIGGER USER")
        cursor.execute("UPDATE refunds_refundevent SET actor = 'nobody' WHERE seq = 2")
        cursor.execute("ALTER TABLE refunds_refundevent ENABLE TRIGGER USER")
    [found] = violations(connection.connection)
    assert "its events do not end where the refund says" in found


def test_the_events_of_another_refund(refunded_order: Order):
    [other] = request(make_order(1000)).refunds
    [whole] = Refund.objects.filter(order=refunded_order)
    columns = "seq, kind, data, actor, role, occurred_at, hash"
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE refunds_refundevent DISABLE TRIGGER USER")
        cursor.execute("DELETE FROM refunds_refundevent WHERE refund_id = %s", [other.pk])
        cursor.execute("ALTER TABLE refunds_refundevent ENABLE TRIGGER USER")
        cursor.execute(
            f"INSERT INTO refunds_refundevent (refund_id, {columns})"
            f" SELECT %s, {columns} FROM refunds_refundevent WHERE refund_id = %s",
            [other.pk, whole.pk],
        )
    Refund.objects.filter(pk=other.pk).update(event_seq=whole.event_seq, event_head=whole.event_head)
    assert f"{other.number}: its events do not end where the refund says" in violations(connection.connection)
