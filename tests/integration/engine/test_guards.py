"""What must never happen is refused by the database itself, whoever tries it."""

import pytest
from django.db import DatabaseError, connection, transaction

from refunds.models import GatewayRefund, RefundEvent
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import asked_for, only_send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

REFUSED = [
    # what is tried                              the guard that refuses it
    ("UPDATE refunds_refund SET state = 'done', next_reconcile_at = now()", "refund_state_known"),
    ("UPDATE refunds_refund SET route = 'by_air'", "refund_route_known"),
    ("UPDATE refunds_refund SET amount_minor = -1", "refund_amount_not_negative"),
    ("UPDATE refunds_refund SET state = 'refunding', next_reconcile_at = NULL", "refund_open_has_a_clock"),
    ("UPDATE refunds_refund SET observed_generation = generation + 1", "refund_observed_within_generation"),
    ("UPDATE refunds_gatewayrefund SET state = 'gone'", "movement_state_known"),
    ("UPDATE refunds_gatewayrefund SET call = 'maybe'", "movement_call_known"),
    ("UPDATE refunds_gatewayrefund SET call = 'sent', sent_at = NULL", "movement_sent_has_a_clock"),
    ("UPDATE refunds_gatewayrefund SET amount_minor = 999", "frozen"),
    ("UPDATE refunds_gatewayrefund SET currency = 'USD'", "frozen"),
    ("UPDATE refunds_gatewayrefund SET number = 'RF-9-9'", "frozen"),
    ("UPDATE refunds_gatewayrefund SET share_id = share_id + 1", "frozen"),
    ("UPDATE refunds_gatewayrefund SET amount_minor = 0", "frozen"),
    (
        "INSERT INTO refunds_ledgerentry SELECT 0, kind, 0, '', occurred_at, recorded_at, NULL, share_id"
        " FROM refunds_ledgerentry LIMIT 1",
        "ledger_amount_positive",
    ),
    ("DELETE FROM refunds_gatewayrefund", "refunds_ledgerentry"),
    ("UPDATE refunds_refundevent SET kind = 'refund.rejected'", "append-only"),
    ("UPDATE refunds_refundevent SET data = '{}'", "append-only"),
    ("DELETE FROM refunds_refundevent", "append-only"),
    ("UPDATE refunds_ledgerentry SET amount_minor = 1", "append-only"),
    ("DELETE FROM refunds_ledgerentry", "append-only"),
    ("UPDATE refunds_policyversion SET spec = '{}'", "append-only"),
    ("UPDATE orders_order SET state = 'lost'", "order_state_known"),
    ("UPDATE orders_order SET refund_state = 'maybe'", "order_refund_state_known"),
    ("UPDATE orders_paymentshare SET reserved_minor = 1001", "payment_never_overspent"),
    ("UPDATE orders_paymentshare SET refunded_minor = captured_minor + 1", "payment_gone_within_captured"),
    ("UPDATE orders_paymentshare SET disputed_minor = 1", "payment_gone_within_captured"),
    ("UPDATE orders_paymentshare SET reserved_minor = -1, refunded_minor = 0", "payment_sums_not_negative"),
    ("UPDATE orders_payment SET allocated_minor = total_minor + 1", "payment_never_overallocated"),
    ("UPDATE orders_orderline SET held = held + 1", "line_unit_never_refunded_twice"),
    ("UPDATE orders_orderline SET refunded = refunded + 1", "line_unit_never_refunded_twice"),
    ("UPDATE orders_orderline SET shipped = 1", "line_held_unit_never_shipped"),
    ("UPDATE orders_orderline SET withheld = -1", "line_counts"),
]


@pytest.mark.parametrize(("statement", "guard"), REFUSED)
def test_raw_sql_is_refused(statement: str, guard: str) -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement))
    with pytest.raises(DatabaseError, match=guard), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_until_it_is_first_sent_a_movement_may_still_be_made_smaller() -> None:
    refund = asked_for()
    with transaction.atomic():
        assert GatewayRefund.objects.filter(refund=refund).update(amount_minor=999) == 1
        transaction.set_rollback(True)


def test_two_events_cannot_have_one_place_in_the_chain() -> None:
    refund = asked_for()
    first = RefundEvent.objects.get(refund=refund, seq=1)
    first.pk, first.hash = None, b"forged"
    with pytest.raises(DatabaseError, match="event_seq_once"), transaction.atomic():
        first.save(force_insert=True)
