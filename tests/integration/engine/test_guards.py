"""What must never happen is refused by the database, whoever asks and however."""

import pytest
from django.db import IntegrityError, connection, transaction

from refunds.models import GatewayRefund, LedgerEntry, Refund, RefundEvent
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine

pytestmark = pytest.mark.django_db(transaction=True)

#: A sentence, and the statement that tries it on an order that is refunded in full.
FORBIDDEN = {
    "a state nobody knows": "UPDATE refunds_refund SET state = 'paid_back'",
    "an order state nobody knows": "UPDATE orders_order SET state = 'gone'",
    "a movement state nobody knows": "UPDATE refunds_gatewayrefund SET state = 'lost'",
    "more reserved than was captured": "UPDATE orders_paymentshare SET reserved_minor = 1",
    "more refunded than was captured": "UPDATE orders_paymentshare SET refunded_minor = refunded_minor + 1",
    "a payment allocated twice": "UPDATE orders_payment SET allocated_minor = total_minor + 1",
    "a unit refunded twice": "UPDATE orders_orderline SET held = 1",
    "a refunded unit shipped": "UPDATE orders_orderline SET shipped = 1",
    "an open refund without a clock": "UPDATE refunds_refund SET state = 'refunding', next_reconcile_at = NULL",
    "an event rewritten": "UPDATE refunds_refundevent SET data = '{}'",
    "an event taken out": "DELETE FROM refunds_refundevent",
    "a ledger entry rewritten": "UPDATE refunds_ledgerentry SET amount_minor = 1",
    "a ledger entry taken out": "DELETE FROM refunds_ledgerentry",
    "a policy version rewritten": "UPDATE refunds_policyversion SET spec = '{}'",
    "the amount of money that has been sent": "UPDATE refunds_gatewayrefund SET amount_minor = amount_minor + 1",
    "the number of money that has been sent": "UPDATE refunds_gatewayrefund SET number = 'another'",
    "money that moves nothing": "UPDATE refunds_gatewayrefund SET amount_minor = 0",
    "a refund of less than nothing": "UPDATE refunds_refund SET amount_minor = -1",
}


@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_the_database_refuses(engine: Engine, statement: str) -> None:
    [refund] = request(make_order(1000)).refunds
    engine.run(refund)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Refund.objects.get().state == "refunded"
    assert GatewayRefund.objects.get().amount_minor == 1000
    assert RefundEvent.objects.count() and LedgerEntry.objects.count()
