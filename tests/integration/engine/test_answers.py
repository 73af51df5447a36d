"""What gateways answer, on real rows: state, ledger, messages and cases after each story of one refund's money."""

from datetime import timedelta

import pytest

from orders import clock
from orders.models import Order, PaymentShare
from refunds.models import Refund, RefundEvent
from refunds.services.acts import retry
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    ANSWERED_500,
    DECLINED,
    NOTHING,
    PAID,
    SETTLED,
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
)
from tests.integration.engine.returns import FINANCE, fresh, pass_time, target
from workers.ports import Capabilities, NotSent, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_time_out_is_asked_about_and_found() -> None:
    """One refund at the gateway, no second send. Controller check 36; upstream: TestFinalizersRemovedExpectations."""
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
    """Controller check 35; upstream: TestControllerExpectations."""
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
    """Controller check 36; upstream: TestFinalizersRemovedExpectations."""
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


def test_a_stale_decline_of_attempt_1_after_attempt_2_was_claimed_changes_nothing() -> None:
    """Two runtimes, and a test that cheats: the first one's answer comes when the second one's call is out. Controller
    check 40; upstream: TestDelayedJobUpdateEvent, TestSyncJobComplete."""
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
