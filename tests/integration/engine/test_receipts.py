"""What a gateway tells the books is kept with its movement, whoever told it, and costs no statement."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from refunds.messages.facts import MessageFacts
from refunds.models import GatewayRefund, Notification
from refunds.records import counted
from refunds.selectors.message_facts import message_facts
from refunds.services.inbox import store_events
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine, accepted, fact, movement_of
from workers.ports import Accepted, Found, GatewayEvent, GatewayStatus, Movement, Receipt, receipt_from

pytestmark = pytest.mark.django_db

TOLD = Receipt(
    accepted_at=datetime(2026, 12, 1, 10, tzinfo=UTC),
    receiving_account="card ending 0403",
    settled_minor=1000,
    settled_currency="EUR",
    fee_minor=15,
    raw={"id": "gw"},
)
LATER = Receipt(bank_reference="74537601234567890123456", succeeded_at=datetime(2026, 12, 1, 10, 0, 5, tzinfo=UTC))


def with_receipt(movement: Movement) -> Accepted:
    return Accepted(replace(fact(movement), receipt=TOLD))


def test_the_reply_brings_it(engine: Engine) -> None:
    refund = request(make_order(1000)).refunds[0]
    engine.run(refund, reply=with_receipt)
    assert receipt_from(movement_of(refund).receipt) == TOLD
    [message] = [m for m in Notification.objects.filter(refund=refund, channel="email")]
    told: MessageFacts = message_facts([message])[message.pk]
    assert told.moved.accounts == ("card ending 0403",)


def test_a_webhook_about_what_is_known_adds_to_it(engine: Engine) -> None:
    refund = request(make_order(1000)).refunds[0]
    engine.run(refund, reply=with_receipt)
    movement = movement_of(refund)
    store_events("sandbox", [event_of(movement, LATER)])
    engine.begin(refund)
    kept = receipt_from(movement_of(refund).receipt)
    assert kept == replace(TOLD, bank_reference=LATER.bank_reference, succeeded_at=LATER.succeeded_at)


def test_a_receipt_of_another_refund_under_the_number_is_not_taken(engine: Engine) -> None:
    refund = request(make_order(1000)).refunds[0]
    engine.run(refund, reply=with_receipt)
    other = replace(event_of(movement_of(refund), LATER), gateway_refund_id="somebody-else")
    store_events("sandbox", [other])
    out = engine.begin(refund).calls
    for asked in out:
        engine.answer(asked, Found((fact(asked.movement),)))
    assert receipt_from(movement_of(refund).receipt) == TOLD


def test_it_costs_no_statement(engine: Engine) -> None:
    def statements(reply: Accepted) -> int:
        refund = request(make_order(1000)).refunds[0]
        [out] = engine.begin(refund).calls
        answer = Accepted(replace(fact(out.movement), receipt=reply.fact.receipt))
        with counted() as run:
            engine.answer(out, answer)
        return len(run)

    plain = Movement("n", "n", "p", 1000, "EUR")
    assert statements(with_receipt(plain)) == statements(accepted(plain))


def event_of(movement: GatewayRefund, receipt: Receipt) -> GatewayEvent:
    return GatewayEvent(
        event_id=f"evt-{movement.number}",
        kind="refund.updated",
        payment_reference=movement.share.payment.reference,
        number=movement.number,
        gateway_refund_id=movement.gateway_refund_id or "",
        status=GatewayStatus.SUCCEEDED,
        amount_minor=movement.amount_minor,
        currency=movement.currency,
        occurred_at=None,
        receipt=receipt,
    )
