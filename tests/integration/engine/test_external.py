"""Money that a person says was paid in another way, or was not sent: a fact with its proof, in part or whole."""

from itertools import count

import pytest

from orders.errors import Conflict, Invalid
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.services.acts import External, close, record_external, retry
from tests.factories import request
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    DECLINED,
    TIMED_OUT,
    asked_for,
    entries,
    gateway_holds,
    incidents,
    messages,
    only_send,
    sums,
    webhook,
)
from tests.integration.engine.returns import FINANCE, bought, fresh, target
from workers.ports import Capabilities

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
_proofs = count(1)
DUMB = Capabilities(look_up=False, idempotency_keys=False)


def test_what_was_paid_outside_settles_a_failed_refund_with_its_proof(engine: Engine) -> None:
    refund = failed(engine)
    paid(refund, 1000, proof="T-1")
    engine.begin(refund)
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 1000))
    assert LedgerEntry.objects.get(kind="external").reference == "T-1"
    assert messages(refund) == ["failed", "refunded"]


def test_a_part_paid_outside_leaves_the_rest_to_a_retry(engine: Engine) -> None:
    refund = failed(engine)
    paid(refund, 400)
    engine.begin(refund)
    assert (fresh(refund).state, sums(refund)) == ("failed", (0, 400))
    with pytest.raises(Invalid) as refused:
        paid(refund, 700)
    assert (refused.value.code, refused.value.extra["left_minor"]) == ("more_than_missing", 600)
    retry(target(refund), actor=FINANCE)
    engine.run(refund)
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 1000))


def test_one_proof_counts_once_however_often_it_is_sent(engine: Engine) -> None:
    refund = failed(engine)
    paid(refund, 400, proof="T-9")
    with pytest.raises(Conflict) as refused:
        paid(refund, 400, proof="T-9")
    assert (refused.value.code, sums(refund)) == ("already_recorded", (0, 400))
    paid(refund, 400, proof="T-10")
    assert sums(refund) == (0, 800)


def test_of_several_payments_one_is_named(engine: Engine) -> None:
    [refund] = request(bought(1000, quantity=3, captured=(1000, 2000))).refunds
    engine.run(refund, reply=lambda movement: DECLINED)
    with pytest.raises(Invalid) as refused:
        paid(refund, 1000)
    assert refused.value.code == "unknown_payment"
    for movement in GatewayRefund.objects.filter(refund=refund):
        paid(refund, movement.amount_minor, payment=movement.share.payment.reference)
    engine.begin(refund)
    assert fresh(refund).state == "refunded"


def test_money_that_no_gateway_answers_about_is_recorded_by_a_persons_word(engine: Engine) -> None:
    engine, refund = Engine(DUMB), asked_for()
    engine.answer(only_send(engine, refund), TIMED_OUT)
    assert engine.begin(refund).calls == []
    paid(refund, 400)
    engine.begin(refund)
    assert (fresh(refund).state, sums(refund)) == ("failed", (0, 400))
    paid(refund, 600)
    engine.begin(refund)
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 1000))


def test_money_that_was_not_sent_by_a_persons_word_is_sent_again_under_its_key(engine: Engine) -> None:
    engine, refund = Engine(DUMB), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, TIMED_OUT)
    retry(target(refund), actor=FINANCE)
    again = only_send(engine, refund)
    assert again.movement.idempotency_key == out.movement.idempotency_key
    engine.answer(again, accepted(again.movement))
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 1000))


def test_what_was_taken_back_and_then_paid_outside_is_settled(engine: Engine) -> None:
    refund = asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    webhook(refund, "reversed")
    for ask in engine.begin(refund).calls:
        engine.answer(ask, gateway_holds(out, "reversed"))
    assert (fresh(refund).state, sums(refund)) == ("failed", (1000, 0))
    paid(refund, 300)
    paid(refund, 700)
    engine.begin(refund)
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 1000))


def test_a_success_after_it_was_paid_outside_is_excess_and_a_case(engine: Engine) -> None:
    refund = asked_for()
    out = only_send(engine, refund)
    engine.answer(out, DECLINED)
    paid(refund, 1000)
    webhook(refund, "succeeded")
    for ask in engine.begin(refund).calls:
        engine.answer(ask, gateway_holds(out, "succeeded"))
    assert (fresh(refund).state, sums(refund)) == ("refunded", (0, 2000))
    assert ("excess", 1000) in entries(refund)


def test_an_id_that_had_failed_and_succeeds_after_it_was_closed_or_paid_outside_is_booked(engine: Engine) -> None:
    """Found by the model: what the gateway held under the id of an ended movement was taken for known."""
    closed, handed = asked_for(), asked_for()
    for refund in (closed, handed):
        out = only_send(engine, refund)
        engine.answer(out, accepted(out.movement, "failed", "a"))
        close(target(refund), note="Gone.", actor=FINANCE) if refund is closed else paid(refund, 1000)
        webhook(refund, "succeeded")
        for ask in engine.begin(refund).calls:
            engine.answer(ask, gateway_holds(out, "succeeded"))
    assert (sums(closed), sums(handed)) == ((0, 1000), (0, 2000))
    assert incidents(closed) == ["orphaned_refund"]


def failed(engine: Engine) -> Refund:
    refund = asked_for()
    engine.answer(only_send(engine, refund), DECLINED)
    assert fresh(refund).state == "failed"
    return refund


def paid(refund: Refund, amount_minor: int, payment: str = "", proof: str = "") -> None:
    """By a proof of its own, unless one is named."""
    record_external(
        target(refund), External(amount_minor, proof or f"T-{next(_proofs)}", payment=payment), actor=FINANCE
    )
