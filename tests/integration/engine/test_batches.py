"""Many refunds at once: of one order, over several payments, without room; and what it costs in statements."""

from datetime import timedelta

import pytest

from orders.errors import Conflict, Problem
from orders.models import Order, OrderLine, PaymentShare
from orders.states import Fulfilment
from refunds.models import GatewayRefund
from refunds.services.acts import cancel_refund
from refunds.services.requests import request_refunds
from tests.factories import SHOP, make_order, request, ship, wish
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    DECLINED,
    NOTHING,
    asked_for,
    incidents,
    messages,
    only_send,
    standing,
    sums,
)
from tests.integration.engine.returns import bought, fresh, pass_time, target
from tests.policies import put_in_force

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def again(order: Order) -> Order:
    return Order.objects.get(pk=order.pk)


def test_two_refunds_of_one_order_in_one_batch() -> None:
    engine, order = Engine(), bought(1000, 500, quantity=2)
    refunds = [request(order, ("A", 1)).refunds[0], request(order, ("A", 1), ("B", 2)).refunds[0]]
    engine.run(*refunds)
    assert [fresh(r).state for r in refunds] == ["refunded", "refunded"]
    order = again(order)
    assert (order.state, order.refund_state, sums(order)) == ("cancelled", "refunded", (0, 3000))


def test_one_of_two_refunds_of_an_order_fails() -> None:
    engine, order = Engine(), bought(1000, 500)
    good, bad = request(order, ("A", 1)).refunds[0], request(order, ("B", 1)).refunds[0]
    engine.run(good, bad, reply=lambda m: DECLINED if m.amount_minor == 500 else accepted(m))
    order = again(order)
    assert (fresh(good).state, fresh(bad).state) == ("refunded", "failed")
    assert (order.refund_state, sums(order)) == ("refund_requested", (0, 1000))


def test_a_part_is_a_part_and_the_rest_makes_it_whole() -> None:
    """Public report 41: 60 + 40 of 100 is refunded, not partially."""
    engine, order = Engine(), bought(6000, 4000)
    engine.run(*request(order, ("A", 1)).refunds)
    assert again(order).refund_state == "partially_refunded"
    engine.run(*request(order, ("B", 1)).refunds)
    assert again(order).refund_state == "refunded"


def test_several_payments_pay_in_proportion_and_all_must_succeed() -> None:
    engine, order = Engine(), bought(1000, captured=(600, 400))
    [refund] = request(order).refunds
    calls = engine.begin(refund).calls
    assert sorted(out.movement.amount_minor for out in calls) == [400, 600]
    engine.answer(calls[0], accepted(calls[0].movement))
    assert (fresh(refund).state, messages(refund)) == ("refunding", [])
    engine.answer(calls[1], accepted(calls[1].movement))
    assert (fresh(refund).state, messages(refund)) == ("refunded", ["refunded_at_once"])


def test_several_payments_of_which_one_declines_say_what_moved() -> None:
    """Controller check 80; upstream: kopf test_retry_error_delays_handler, kopf test_fatal_error_stops_handler, kopf
    test_retries_limited_handler_fails, kopf test_timed_out_handler_fails, kopf test_delayed_handlers_progress."""
    engine, order = Engine(), bought(1000, captured=(600, 400))
    [refund] = request(order).refunds
    engine.run(refund, reply=lambda m: DECLINED if m.amount_minor == 400 else accepted(m))
    moved = GatewayRefund.objects.filter(refund=refund).values_list("amount_minor", "state")
    assert sorted(moved) == [(400, "failed"), (600, "succeeded")]
    shares = PaymentShare.objects.filter(order=order).values_list("reserved_minor", "refunded_minor", "captured_minor")
    assert sorted(shares) == [(0, 0, 400), (0, 600, 600)]
    assert (fresh(refund).state, messages(refund), incidents(refund)) == ("failed", ["failed"], ["refund_failed"])


def test_no_room_means_waiting_and_nothing_is_claimed() -> None:
    """A cap, and not finished in between. Controller check 41; upstream: TestTrackJobStatusAndRemoveFinalizers "too
    many finished"."""
    engine, refunds = Engine(room=2), [asked_for() for _ in range(5)]
    first = engine.begin(*refunds)
    assert (len(first.calls), len(first.waiting)) == (2, 3)
    assert all(seconds >= 0.2 for seconds in first.waiting.values())
    assert GatewayRefund.objects.filter(call="sent").count() == 2
    waiting = [r for r in refunds if r.id in first.waiting]
    assert {standing(r) for r in waiting} == {"refunding, intended, idle"}
    second = engine.begin(*refunds)
    assert (len(second.calls), len(second.waiting)) == (2, 1)


def test_t2_never_claims_and_says_that_more_is_due_at_once() -> None:
    engine, order = Engine(room=1), bought(1000, captured=(600, 400))
    [refund] = request(order).refunds
    [out] = engine.begin(refund).calls
    done = engine.answer(out, accepted(out.movement))
    assert (done.calls, done.due_in[refund.id]) == ([], 0.0)
    assert GatewayRefund.objects.filter(call="sent").count() == 0


def test_above_the_limit_a_person_looks_first() -> None:
    engine = Engine()
    put_in_force(instant_limit_minor={"EUR": 50_000})
    above, at_most = asked_for(50_001), asked_for(50_000)
    engine.run(above, at_most)
    assert (fresh(above).state, fresh(at_most).state) == ("in_review", "refunded")
    assert (sums(above), fresh(above).deadline is not None) == ((50_001, 0), True)


def test_cancelling_gives_back_units_money_and_shipping() -> None:
    order = bought(1000, quantity=2, shipping_minor=500, captured=(2500,))
    [refund] = request(order).refunds
    assert (sums(order), again(order).shipping_refunded_minor) == ((2500, 0), 500)
    cancel_refund(target(refund), actor=SHOP)
    order = again(order)
    line = OrderLine.objects.get(order=order)
    assert (line.held, line.withheld, line.refunded_minor) == (0, 0, 0)
    assert (sums(order), order.shipping_refunded_minor, order.refund_state) == ((0, 0), 0, "none")
    assert messages(refund) == ["cancelled"]
    [anew] = request(order).refunds
    assert anew.amount_minor == 2500


def test_a_cancelled_refund_says_so_and_comes_to_rest() -> None:
    """The generation is observed by the pass that acts on it. Controller check 59; no upstream test."""
    engine, refund = Engine(), asked_for()
    cancel_refund(target(refund), actor=SHOP)
    assert engine.begin(refund).calls == []
    refund = fresh(refund)
    conditions = {c["type"]: (c["status"], c["reason"]) for c in refund.conditions}
    assert conditions["Succeeded"] == ("False", "Cancelled")
    assert (refund.observed_generation, refund.next_reconcile_at) == (refund.generation, None)


def test_the_same_units_are_refused_and_others_are_not() -> None:
    """Situation 36, public report 34."""
    order = bought(1000, 500, shipping_minor=300, captured=(1800,))
    request(order, ("A", 1))
    [second] = request_refunds([wish(order, ("A", 1))])
    assert isinstance(second, Conflict) and second.extra["left"] == 0
    [rest] = request(order, ("B", 1)).refunds
    assert rest.amount_minor == 800  # with the shipping, once
    assert sums(order) == (1800, 0)


def test_wishes_of_one_batch_see_each_other_and_one_that_fails_touches_none() -> None:
    order, other = bought(1000), bought(700)
    results = request_refunds([wish(order, ("A", 1)), wish(order, ("A", 1)), wish(order, ("Z", 1)), wish(other)])
    assert [isinstance(r, Problem) for r in results] == [False, True, True, False]
    assert (sums(order), sums(other)) == ((1000, 0), (700, 0))


def test_digital_goods_never_meet_a_courier_however_they_were_sent() -> None:
    """Situation 24."""
    order = bought(1000)
    ship(order)
    OrderLine.objects.filter(order=order).update(fulfilment=Fulfilment.DIGITAL)
    [refund] = request(order).refunds
    assert refund.route == "refund_only"


def test_an_order_without_lines_left_is_not_asked_about(engine: Engine) -> None:
    order = bought(1000)
    engine.run(*request(order).refunds)
    [nothing] = request_refunds([wish(order)])
    assert isinstance(nothing, Conflict) and nothing.code == "nothing_left"
    assert Order.objects.get(pk=order.pk).refund_state == "refunded"


def test_what_was_never_captured_is_not_refunded() -> None:
    """Public report 48: refused before the gateway."""
    order = make_order(1000)
    PaymentShare.objects.filter(order=order).update(captured_minor=0)
    [problem] = request_refunds([wish(order)])
    assert isinstance(problem, Conflict) and problem.code == "not_captured"


def test_asking_takes_no_claim() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    pass_time(timedelta(seconds=20))
    [ask] = engine.begin(refund).calls
    assert (ask.asks, ask.of.attempt, GatewayRefund.objects.get(refund=refund).attempt) == (True, 1, 1)
    engine.answer(ask, NOTHING)
    assert standing(refund) == "refunding, pending, idle"
