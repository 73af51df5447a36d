"""What was reversed is paid again by a new movement with a number of its own, once, or refused."""

import pytest

from orders.errors import Conflict
from refunds.models import GatewayRefund, Notification, Refund
from refunds.selectors.message_facts import message_facts
from refunds.services.acts import close, retry
from tests.factories import request
from tests.integration.engine.conftest import Engine, accepted, fact
from tests.integration.engine.money import (
    DECLINED,
    PAID,
    entries,
    gateway_holds,
    incidents,
    messages,
    only_ask,
    only_send,
    order_of,
    sums,
    webhook,
)
from tests.integration.engine.returns import FINANCE, bought, state, target
from tests.integration.engine.threads import together
from workers.ports import Found

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def reversed_refund(engine: Engine, *, also: str = "") -> Refund:
    """Paid, and taken back by the gateway; `also`: how a second refund stands there under the same number."""
    [refund] = request(bought(1000)).refunds
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    webhook(refund, "reversed")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "reversed", *filter(None, [also])))
    assert state(refund) == "failed"
    return refund


def money(refund: Refund) -> list[str]:
    rows = GatewayRefund.objects.filter(refund=refund).order_by("id")
    return [f"{row.number.removeprefix(refund.number)} {row.state} {row.replaced_by[-2:]}".strip() for row in rows]


def test_a_reversed_refund_is_paid_again_under_a_new_number(engine: Engine) -> None:
    refund = reversed_refund(engine)
    retry(target(refund), actor=FINANCE)
    assert (money(refund), sums(refund)) == (["-1 reversed -2", "-2 intended"], (1000, 0))
    out = only_send(engine, refund)
    assert out.movement.number == out.movement.idempotency_key == f"{refund.number}-2"
    engine.answer(out, accepted(out.movement))
    assert (state(refund), order_of(refund).refund_state, order_of(refund).state) == (
        "refunded",
        "refunded",
        "cancelled",
    )
    assert (money(refund), sums(refund)) == (["-1 reversed -2", "-2 succeeded"], (0, 1000))
    taken_back = [("reversal", 1000), ("reserve", 1000)]
    assert entries(refund) == [*PAID, *taken_back, ("release", 1000), *PAID]
    assert messages(refund) == ["refunded_at_once", "reversed", "refunded"]
    assert engine.begin(refund).calls == [] and incidents(refund) == []


def test_the_one_that_pays_again_may_be_reversed_too(engine: Engine) -> None:
    refund = reversed_refund(engine)
    retry(target(refund), actor=FINANCE)
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "reversed"))
    assert (state(refund), sums(refund)) == ("failed", (1000, 0))
    retry(target(refund), actor=FINANCE)
    engine.run(refund)
    assert money(refund) == ["-1 reversed -2", "-2 reversed -3", "-3 succeeded"]
    assert (state(refund), sums(refund)) == ("refunded", (0, 1000))


def test_retried_twice_at_once_it_is_paid_again_once(engine: Engine) -> None:
    refund = reversed_refund(engine)
    done = together(*[lambda: retry(target(refund), actor=FINANCE)] * 2)
    assert sorted(type(answer).__name__ for answer in done) == ["Conflict", "Refund"]
    assert money(refund) == ["-1 reversed -2", "-2 intended"]


def test_of_two_payments_only_the_reversed_one_is_paid_again(engine: Engine) -> None:
    [refund] = request(bought(1000, captured=(400, 600))).refunds
    engine.run(refund, reply=lambda m: accepted(m, "reversed" if m.amount_minor == 600 else "succeeded"))
    assert (state(refund), money(refund)) == ("failed", ["-1 succeeded", "-2 reversed"])
    retry(target(refund), actor=FINANCE)
    out = only_send(engine, refund)
    assert (out.movement.number, out.movement.amount_minor) == (f"{refund.number}-3", 600)
    engine.answer(out, accepted(out.movement))
    assert state(refund) == "refunded"


def test_closed_after_it_could_not_be_paid_again_the_money_is_free_once(engine: Engine) -> None:
    refund = reversed_refund(engine)
    retry(target(refund), actor=FINANCE)
    engine.answer(only_send(engine, refund), DECLINED)
    close(target(refund), note="Paid in cash.", actor=FINANCE)
    assert (money(refund), sums(refund)) == (["-1 reversed -2", "-2 cancelled"], (0, 0))
    [*_, told] = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    assert (told.template, message_facts([told])[told.pk].announced) == ("cancelled", True)


def test_a_word_of_the_old_number_is_looked_into_before_the_new_one_leaves(engine: Engine) -> None:
    refund = reversed_refund(engine)
    webhook(refund, "succeeded", "b")
    retry(target(refund), actor=FINANCE)
    ask = only_ask(engine, refund)
    engine.answer(ask, Found((fact(ask.movement, "reversed", "a"), fact(ask.movement, "failed", "b"))))
    engine.run(refund)
    assert (state(refund), money(refund)) == ("refunded", ["-1 reversed -2", "-2 succeeded"])


def test_what_somebody_else_has_taken_is_not_paid_again(engine: Engine) -> None:
    refund = reversed_refund(engine, also="succeeded")
    assert sums(refund) == (1000, 1000)
    with pytest.raises(Conflict) as refused:
        retry(target(refund), actor=FINANCE)
    assert (refused.value.code, money(refund)) == ("money_not_left", ["-1 reversed"])
