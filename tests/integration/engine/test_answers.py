"""What gateways answer, on real rows: state, ledger, messages and cases after each story of one refund's money."""

from datetime import timedelta

import pytest
from django.db import transaction

from orders import clock
from orders.models import Order, PaymentShare
from orders.services.facts import LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from refunds.models import Refund, RefundEvent
from refunds.services.acts import cancel_refund, retry
from tests.factories import SHOP, request
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    ANSWERED_500,
    DECLINED,
    NOTHING,
    TIMED_OUT,
    asked_for,
    due_at,
    entries,
    gateway_holds,
    incidents,
    messages,
    movement,
    only_ask,
    only_send,
    order_of,
    standing,
    sums,
    unapplied,
    webhook,
)
from tests.integration.engine.returns import FINANCE, bought, fresh, pass_time, target
from workers.ports import Capabilities, NotSent, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

PAID = [("reserve", 1000), ("release", 1000), ("refund", 1000)]
SETTLED = timedelta(seconds=16)


def test_a_time_out_is_asked_about_and_found() -> None:
    """One refund at the gateway, no second send."""
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, TIMED_OUT)
    assert standing(refund) == "refunding, intended, unknown"
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    assert standing(refund) == "refunded, succeeded, idle"
    assert (movement(refund).attempt, movement(refund).gateway_refund_id) == (1, "a")
    assert (entries(refund), sums(refund), messages(refund)) == (PAID, (0, 1000), ["refunded_at_once"])


def test_a_time_out_that_is_absent_too_early_is_asked_about_again_and_then_sent_with_the_same_key() -> None:
    engine, refund = Engine(), asked_for()
    engine.answer(only_send(engine, refund), TIMED_OUT)
    engine.answer(only_ask(engine, refund), NOTHING)
    assert (standing(refund), engine.begin(refund).calls) == ("refunding, intended, unknown", [])
    assert due_at(refund) is not None and due_at(refund) < movement(refund).answer_due_at + SETTLED
    pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), NOTHING)
    again = only_send(engine, refund)
    assert (again.movement.idempotency_key, again.of.attempt) == (movement(refund).number, 2)
    engine.answer(again, accepted(again.movement))
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))


def test_an_answered_500_that_is_absent_is_sent_again_with_the_next_key() -> None:
    engine, refund = Engine(), asked_for()
    engine.answer(only_send(engine, refund), ANSWERED_500)
    pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), NOTHING)
    again = only_send(engine, refund)
    assert again.movement.idempotency_key == f"{movement(refund).number}.1"
    assert again.movement.number == movement(refund).number


def test_a_gateway_that_only_answers_500_is_tried_ever_more_slowly_and_shown() -> None:
    engine, refund = Engine(), asked_for()
    for failures in range(1, 5):
        engine.answer(only_send(engine, refund), ANSWERED_500)
        assert movement(refund).failures == failures
        pass_time(SETTLED)
        engine.answer(only_ask(engine, refund), NOTHING)
        pass_time(timedelta(seconds=10 * 2 ** (failures - 1)))
    assert (movement(refund).key_no, sums(refund)) == (4, (1000, 0))


def test_a_worker_that_died_with_the_call_out_is_asked_about_when_the_answer_is_overdue() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    assert engine.begin(refund).calls == []
    pass_time(timedelta(seconds=11))
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    assert standing(refund) == "refunded, succeeded, idle"


def test_a_decline_fails_it_frees_the_money_and_shows_it_once() -> None:
    """Public reports 54 and 57."""
    engine, refund = Engine(), asked_for()
    engine.answer(only_send(engine, refund), DECLINED)
    assert (standing(refund), movement(refund).failure_code) == ("failed, failed, idle", "declined")
    assert (entries(refund), sums(refund)) == ([("reserve", 1000), ("release", 1000)], (0, 0))
    assert (messages(refund), incidents(refund)) == (["failed"], ["refund_failed"])
    assert (order_of(refund).refund_state, engine.begin(refund).calls) == ("refund_requested", [])
    engine.begin(refund)
    assert (messages(refund), incidents(refund)) == (["failed"], ["refund_failed"])


def test_a_failed_refund_is_retried_under_the_same_number_and_key() -> None:
    """Public report 47."""
    engine, refund = Engine(), asked_for()
    first = only_send(engine, refund)
    engine.answer(first, DECLINED)
    retry(target(refund), actor=FINANCE)
    assert sums(refund) == (1000, 0)
    again = only_send(engine, refund)
    assert again.movement == first.movement
    engine.answer(again, accepted(again.movement))
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))
    assert messages(refund) == ["failed", "refunded"]


def test_where_a_failed_key_is_final_the_retry_has_the_next_key() -> None:
    engine, refund = Engine(Capabilities(failed_key_is_final=True)), asked_for()
    engine.answer(only_send(engine, refund), DECLINED)
    retry(target(refund), actor=FINANCE)
    assert only_send(engine, refund).movement.idempotency_key == f"{movement(refund).number}.1"


@pytest.mark.parametrize(
    ("answer", "back_off"), [(NotSent("refused"), 10), (Refused("rate_limited", retryable=True), 10)]
)
def test_what_never_left_or_is_refused_for_the_moment_is_sent_again_after_the_back_off(answer, back_off) -> None:
    engine, refund = Engine(), asked_for()
    engine.answer(only_send(engine, refund), answer)
    assert (standing(refund), engine.begin(refund).calls) == ("refunding, intended, idle", [])
    assert sums(refund) == (1000, 0)
    pass_time(timedelta(seconds=back_off + 1))
    assert only_send(engine, refund).movement.idempotency_key == movement(refund).number


@pytest.mark.parametrize(
    ("said", "then", "money"),
    [
        ("succeeded", "refunded, succeeded, idle", (0, 1000)),
        ("failed", "failed, failed, idle", (0, 0)),
        ("pending", "refunding, pending, idle", (1000, 0)),
    ],
)
def test_pending_keeps_its_reservation_until_the_gateway_says_more(said: str, then: str, money: tuple) -> None:
    """Public report 36."""
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    assert (standing(refund), sums(refund), messages(refund)) == ("refunding, pending, idle", (1000, 0), [])
    pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), gateway_holds(out, said))
    assert (standing(refund), sums(refund)) == (then, money)


def test_pending_is_asked_ever_more_slowly_and_shown_after_a_week() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    waits = []
    for _ in range(13):
        pass_time(movement(refund).retry_at - clock.now() + timedelta(seconds=5))
        engine.answer(only_ask(engine, refund), gateway_holds(out, "pending"))
        waits.append(round((movement(refund).retry_at - clock.now()).total_seconds()))
    assert waits[:5] == sorted(waits[:5]) and waits[-1] == 6 * 3600 == max(waits)
    assert incidents(refund) == []
    pass_time(timedelta(days=7))
    engine.begin(refund)
    assert incidents(refund) == ["outcome_pending"]


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
    """Public report 55: one refund, one message."""
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
    assert (messages(refund), incidents(refund)) == (["refunded_at_once", "failed"], ["refund_reversed"])
    assert fresh(refund).finished_at is None and due_at(refund) is not None


def test_a_reversal_that_is_only_found_by_asking_is_booked_as_what_it_was() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, TIMED_OUT)
    engine.answer(only_ask(engine, refund), gateway_holds(out, "reversed"))
    assert (standing(refund), sums(refund)) == ("failed, reversed, idle", (1000, 0))
    assert entries(refund) == [*PAID, ("reversal", 1000), ("reserve", 1000)]


def test_a_second_refund_under_our_number_is_booked_as_a_fact_and_shown() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    for _ in range(2):
        webhook(refund, "succeeded", "b")
        engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded", "succeeded"))
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 2000))
    assert entries(refund) == [*PAID, ("refund", 1000), ("excess", 1000)]
    assert incidents(refund) == ["excess", "second_refund_at_gateway"]


def test_a_second_refund_that_is_taken_back_at_the_gateway_is_taken_back_in_the_books() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    webhook(refund, "succeeded", "b")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded", "succeeded"))
    webhook(refund, "reversed", "b")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded", "reversed"))
    assert sums(refund) == (0, 1000)
    assert PaymentShare.objects.get(order_id=refund.order_id).excess_minor == 0


def test_copies_about_a_second_refund_in_one_pass_are_booked_once() -> None:
    engine, refund = Engine(Capabilities(look_up=False)), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    webhook(refund, "succeeded", "b", copies=3)
    engine.begin(refund)
    assert sums(refund) == (0, 2000)


def test_money_that_moved_for_a_cancelled_movement_is_booked_and_shown() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, NotSent("connection refused"))
    _cancel(refund)
    webhook(refund, "succeeded")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    assert (standing(refund), sums(refund)) == ("cancelled, cancelled, idle", (0, 1000))
    assert incidents(refund) == ["second_refund_at_gateway"]
    assert (engine.begin(refund).calls, due_at(refund)) == ([], None)


def test_a_late_fact_that_takes_money_others_have_reserved_is_excess_and_ends_with_it() -> None:
    """The first refund failed, its money went to a second one, and then the first succeeded after all."""
    engine, order = Engine(), bought(1000, quantity=2, captured=(1000,))
    [first] = request(order, ("A", 1)).refunds
    out = only_send(engine, first)
    engine.answer(out, DECLINED)
    [second] = request(order, ("A", 1)).refunds
    webhook(first, "pending")
    engine.answer(only_ask(engine, first), gateway_holds(out, "pending"))
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.excess_minor, share.free_minor) == (2000, 1000, 0)
    pass_time(SETTLED)
    engine.answer(only_ask(engine, first), gateway_holds(out, "failed"))
    share.refresh_from_db()
    assert (share.reserved_minor, share.excess_minor, share.free_minor) == (1000, 0, 0)
    assert fresh(second).state == "requested"


def test_a_capture_stated_later_covers_the_excess_before_anything_is_free_again() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    webhook(refund, "succeeded", "b")
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded", "succeeded"))
    order, share = order_of(refund), PaymentShare.objects.get(order_id=refund.order_id)
    line = LineFact("A", "Thing", 1, unit_price_minor=1000)
    paid = PaymentFact("sandbox", share.payment.reference, 2500)
    with transaction.atomic():
        put_order(OrderFacts(order.number, "EUR", (line,), (paid,)), channel_id=order.channel_id, actor=SHOP)
    share.refresh_from_db()
    assert (share.captured_minor, share.excess_minor, share.free_minor) == (2500, 0, 500)


def test_a_stale_decline_of_attempt_1_after_attempt_2_was_claimed_changes_nothing() -> None:
    """Two runtimes, and a test that cheats: the first one's answer comes when the second one's call is out."""
    engine, refund = Engine(), asked_for()
    first = only_send(engine, refund)
    pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), NOTHING)
    second = only_send(engine, refund)
    assert (first.of.attempt, second.of.attempt) == (1, 2)
    before = _rows(refund)
    for answer in (DECLINED, accepted(first.movement, "failed", "x"), TIMED_OUT, ANSWERED_500, NotSent("no")):
        engine.answer(first, answer)
    assert _rows(refund) == before
    engine.answer(second, accepted(second.movement, "succeeded", "a"))
    assert (standing(refund), entries(refund)) == ("refunded, succeeded, idle", PAID)


def test_a_late_success_of_attempt_1_counts_and_attempt_2_is_found_out() -> None:
    engine, refund = Engine(), asked_for()
    first = only_send(engine, refund)
    pass_time(SETTLED)
    engine.answer(only_ask(engine, refund), NOTHING)
    second = only_send(engine, refund)
    engine.answer(first, accepted(first.movement, "succeeded", "a"))
    assert standing(refund) == "refunding, succeeded, sent"
    engine.answer(second, DECLINED)
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))


def test_without_look_up_and_keys_nothing_is_ever_sent_twice_by_itself() -> None:
    engine, refund = Engine(Capabilities(look_up=False, idempotency_keys=False)), asked_for()
    engine.answer(only_send(engine, refund), TIMED_OUT)
    assert incidents(refund) == ["outcome_unknown"]
    for _ in range(5):
        pass_time(timedelta(days=2))
        assert engine.begin(refund).calls == []
    assert (standing(refund), sums(refund)) == ("refunding, intended, unknown", (1000, 0))
    assert {c["type"] for c in fresh(refund).conditions if c["status"] == "True"} >= {"OutcomeUnknown"}


def test_with_keys_alone_the_same_key_is_repeated_while_the_gateway_remembers_it() -> None:
    engine, refund = Engine(Capabilities(look_up=False, key_lifetime_seconds=3600)), asked_for()
    first = only_send(engine, refund)
    engine.answer(first, TIMED_OUT)
    assert engine.begin(refund).calls == []
    pass_time(SETTLED)
    again = only_send(engine, refund)
    assert again.movement == first.movement
    engine.answer(again, TIMED_OUT)
    pass_time(timedelta(hours=1))
    assert engine.begin(refund).calls == []
    assert incidents(refund) == ["outcome_unknown"]


def test_received_is_told_after_a_minute_and_refunded_when_it_is() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    assert messages(refund) == []
    pass_time(timedelta(seconds=61))
    engine.answer(only_ask(engine, refund), gateway_holds(out, "pending"))
    assert messages(refund) == ["received"]
    pass_time(timedelta(minutes=5))
    engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded"))
    assert messages(refund) == ["received", "refunded"]


def test_an_order_of_nothing_is_refunded_without_a_call() -> None:
    """Public reports 25 and 53."""
    engine, refund = Engine(), asked_for(0)
    assert engine.begin(refund).calls == []
    assert (fresh(refund).state, messages(refund), order_of(refund).refund_state) == (
        "refunded",
        ["refunded_at_once"],
        "refunded",
    )


def test_an_order_with_no_way_to_reach_its_customer_is_refunded_all_the_same() -> None:
    """Situation 39."""
    engine, refund = Engine(), asked_for(1000, customer_email="", customer_phone="")
    out = only_send(engine, refund)
    assert "Unreachable" in {c["type"] for c in fresh(refund).conditions}
    engine.answer(out, accepted(out.movement))
    assert (standing(refund), messages(refund)) == ("refunded, succeeded, idle", [])


def _cancel(refund: Refund) -> None:
    on = target(refund)
    cancel_refund(number=on.number, channels=on.channels, actor=SHOP)


def _rows(refund: Refund) -> tuple:
    """Everything that an answer could have changed."""
    share = PaymentShare.objects.get(order_id=refund.order_id)
    row = movement(refund)
    return (
        {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields},
        fresh(refund).state,
        (share.reserved_minor, share.refunded_minor),
        RefundEvent.objects.filter(refund=refund).count(),
        Order.objects.get(pk=refund.order_id).resource_version,
    )
