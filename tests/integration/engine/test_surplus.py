"""Money that moved beside what was meant: booked as the fact it is, shown, and ended when it ends."""

import pytest
from django.db import transaction

from orders.models import PaymentShare
from orders.services.facts import LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from refunds.models import Incident, Refund
from refunds.services.acts import cancel_refund
from tests.factories import SHOP, request
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    DECLINED,
    PAID,
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
    webhook,
)
from tests.integration.engine.returns import bought, target
from workers.ports import Capabilities, NotSent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_second_refund_under_our_number_is_booked_as_a_fact_and_shown() -> None:
    """Controller check 34; upstream: TestControllerExpectations."""
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
    ended = Incident.objects.get(order_id=refund.order_id, kind="excess")
    assert (ended.closed_by, ended.closed_at is None, ended.note != "") == ("system", False, True)


def test_more_excess_of_a_share_is_told_by_its_one_case() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    steps = [
        ("b", ["succeeded", "succeeded"], 1000),
        ("c", ["succeeded", "succeeded", "succeeded"], 2000),
        ("b", ["succeeded", "reversed", "succeeded"], 1000),
    ]
    for told_of, held, excess_minor in steps:
        webhook(refund, held["abc".index(told_of)], told_of)
        engine.answer(only_ask(engine, refund), gateway_holds(out, *held))
        [case] = Incident.objects.filter(order_id=refund.order_id, kind="excess")
        assert (case.closed_at, case.data["amount_minor"]) == (None, excess_minor)


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
    assert incidents(refund) == ["orphaned_refund"]
    assert (engine.begin(refund).calls, due_at(refund)) == ([], None)


def test_a_late_fact_takes_what_others_have_reserved_and_not_sent(engine: Engine) -> None:
    """The first refund failed, its money went to a second one, and then the first succeeded after all."""
    order = bought(1000, quantity=2, captured=(1000,))
    [first] = request(order, ("A", 1)).refunds
    out = only_send(engine, first)
    engine.answer(out, DECLINED)
    [second] = request(order, ("A", 1)).refunds
    webhook(first, "pending")
    engine.answer(only_ask(engine, first), gateway_holds(out, "pending"))
    engine.begin(second)
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.excess_minor, share.free_minor) == (1000, 0, 0)
    assert (standing(second), messages(second)) == ("failed, failed, idle", ["failed"])


def test_a_late_fact_never_takes_what_others_have_sent(engine: Engine) -> None:
    order = bought(1000, quantity=2, captured=(1000,))
    [first] = request(order, ("A", 1)).refunds
    out = only_send(engine, first)
    engine.answer(out, DECLINED)
    [second] = request(order, ("A", 1)).refunds
    sent = only_send(engine, second)
    webhook(first, "succeeded")
    engine.answer(only_ask(engine, first), gateway_holds(out, "succeeded"))
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.refunded_minor, share.excess_minor) == (1000, 1000, 1000)
    assert incidents(second) == ["excess"]
    engine.answer(sent, accepted(sent.movement))
    assert (standing(first), standing(second)) == ("refunded, succeeded, idle", "refunded, succeeded, idle")
    assert (sums(order), incidents(second)) == ((0, 2000), ["excess"])


def test_what_a_fact_took_while_it_was_out_is_given_up_when_it_turns_out_not_to_have_left(engine: Engine) -> None:
    order = bought(1000, quantity=2, captured=(1000,))
    [first] = request(order, ("A", 1)).refunds
    out = only_send(engine, first)
    engine.answer(out, DECLINED)
    [second] = request(order, ("A", 1)).refunds
    sent = only_send(engine, second)
    webhook(first, "succeeded")
    engine.answer(only_ask(engine, first), gateway_holds(out, "succeeded"))
    engine.answer(sent, NotSent("connection refused"))
    assert (standing(second), sums(order)) == ("failed, failed, idle", (0, 1000))
    assert incidents(second) == ["refund_failed"]


def test_a_second_refund_that_failed_and_then_succeeds_after_all_is_booked() -> None:
    engine, refund = Engine(), asked_for()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "a"))
    for status in ("pending", "failed", "succeeded", "reversed"):
        webhook(refund, status, "b")
        engine.answer(only_ask(engine, refund), gateway_holds(out, "succeeded", status))
    booked = [entry for entry in entries(refund) if not entry[0].startswith("excess")]
    assert booked == [*PAID, ("reserve", 1000), ("release", 1000), ("refund", 1000), ("reversal", 1000)]
    assert (sums(refund), incidents(refund)) == ((0, 1000), ["second_refund_at_gateway"])


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
    assert Incident.objects.get(order=order, kind="excess").closed_by == "system"


def _cancel(refund: Refund) -> None:
    cancel_refund(target(refund), actor=SHOP)
