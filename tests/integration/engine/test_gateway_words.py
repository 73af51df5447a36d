"""What gateways say unasked, on real rows: webhooks in any order, late successes and reversals."""

import pytest

from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    DECLINED,
    PAID,
    SETTLED,
    TIMED_OUT,
    asked_for,
    due_at,
    entries,
    gateway_holds,
    incidents,
    messages,
    only_ask,
    only_send,
    order_of,
    standing,
    sums,
    unapplied,
    webhook,
)
from tests.integration.engine.returns import fresh, pass_time
from workers.ports import Capabilities

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_webhook_before_our_own_answer_waits_for_it() -> None:
    """Public report 2: one row, one refund."""
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    webhook(refund, "succeeded")
    assert (engine.begin(refund).calls, unapplied(refund)) == ([], 1)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    assert (standing(refund), unapplied(refund)) == ("refunded, succeeded, idle", 0)
    assert (entries(refund), engine.begin(refund).calls) == (PAID, [])


def test_a_webhook_that_knows_more_than_our_own_answer_is_asked_about() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    webhook(refund, "reversed")
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    assert standing(refund) == "refunded, succeeded, idle"
    engine.answer(only_ask(engine, refund), gateway_holds(out, "reversed"))
    assert standing(refund) == "failed, reversed, idle"


@pytest.mark.parametrize("told", [["succeeded"] * 3, ["pending", "succeeded"], ["succeeded", "pending"], []])
def test_webhooks_in_copies_in_reverse_or_not_at_all_end_alike(told: list[str]) -> None:
    """Public report 55: one refund, one message. Controller check 38; upstream: TestUIDTrackingExpectations,
    TestFinalizersRemovedExpectations."""
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    for status in told:
        webhook(refund, status)
    if not told:
        pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    for status in told:
        webhook(refund, status)
    assert engine.begin(refund).calls == []
    assert (standing(refund), unapplied(refund)) == ("refunded, succeeded, idle", 0)
    assert (entries(refund), messages(refund)) == (PAID, ["refunded_at_once"])


@pytest.mark.parametrize("told", [["succeeded"] * 3, ["pending", "succeeded"], ["succeeded", "pending"]])
def test_where_nobody_can_be_asked_the_webhook_is_the_fact(told: list[str]) -> None:
    engine, refund = Engine(Capabilities(look_up=False)), asked_for()
    engine.answer(only_send(engine, refund), TIMED_OUT)
    for status in told:
        webhook(refund, status)
    assert engine.begin(refund).calls == []
    assert (standing(refund), unapplied(refund)) == ("refunded, succeeded, idle", 0)
    assert (entries(refund), messages(refund)) == (PAID, ["refunded_at_once"])


def test_a_late_success_of_a_failed_refund_is_booked_and_told() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, DECLINED)
    webhook(refund, "succeeded")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))
    assert messages(refund) == ["failed", "refunded"]


def test_a_reversal_after_the_end_reopens_refund_and_order_and_keeps_the_money_for_it() -> None:
    """Public report 37."""
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    assert (order_of(refund).state, order_of(refund).refund_state) == ("cancelled", "refunded")
    webhook(refund, "reversed")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "reversed"))
    assert (standing(refund), sums(refund)) == ("failed, reversed, idle", (1000, 0))
    assert entries(refund) == [*PAID, ("reversal", 1000), ("reserve", 1000)]
    assert (order_of(refund).state, order_of(refund).refund_state) == ("paid", "refund_requested")
    assert (messages(refund), incidents(refund)) == (["refunded_at_once", "reversed"], ["refund_reversed"])
    assert fresh(refund).finished_at is None and due_at(refund) is not None


def test_a_reversal_that_is_only_found_by_asking_is_booked_as_what_it_was() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, TIMED_OUT)
    engine.answer(only_ask(engine, refund), gateway_holds(out, "reversed"))
    assert (standing(refund), sums(refund)) == ("failed, reversed, idle", (1000, 0))
    assert entries(refund) == [*PAID, ("reversal", 1000), ("reserve", 1000)]
