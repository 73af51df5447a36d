"""Refunds of money that is held and not captured: they wait for the capture, or end with the hold."""

import pytest
from django.db import transaction

from orders.models import Order, PaymentShare
from orders.services.facts import CustomerFact, LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund
from refunds.selectors.message_facts import message_facts
from tests.factories import SHOP, make_order, request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages
from tests.integration.engine.returns import fresh

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_refund_of_money_that_is_held_waits_and_is_paid_once_it_is_captured(engine: Engine) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    assert engine.begin(refund).calls == []
    assert (fresh(refund).state, condition(refund)) == ("refunding", "AwaitingCapture")
    state(order, captured=1000, authorized=1000)
    engine.run(refund)
    assert (fresh(refund).state, columns(order)) == ("refunded", {"captured": 1000, "refunded": 1000})
    assert condition(refund) == ""


def test_a_hold_that_ends_ends_the_refund_with_nothing_to_move(engine: Engine) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    engine.begin(refund)
    state(order, captured=0, authorized=0)
    assert engine.begin(refund).calls == []
    assert (fresh(refund).state, columns(order), messages(refund)) == ("refunded", {}, ["refunded_at_once"])
    kinds = list(LedgerEntry.objects.order_by("id").values_list("kind", flat=True))
    assert kinds == ["authorize", "reserve", "release", "authorize_ended"]
    told = Notification.objects.get(refund=refund, channel="email")
    assert message_facts([told])[told.pk].way == "released"


def test_what_was_captured_is_paid_and_the_rest_of_the_hold_is_released(engine: Engine) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    engine.begin(refund)
    state(order, captured=600, authorized=600)
    engine.run(refund)
    assert (fresh(refund).state, columns(order)) == ("refunded", {"captured": 600, "refunded": 600})
    moved = GatewayRefund.objects.filter(refund=refund).exclude(state="cancelled").order_by("id")
    assert [(m.kind, m.state, m.amount_minor) for m in moved] == [
        ("void", "external", 400),
        ("refund", "succeeded", 600),
    ]


def test_what_is_captured_in_part_is_refunded_first(engine: Engine) -> None:
    order = held_order(400, 600)
    state(order, captured=400, authorized=1000)
    first, second = (request(order, (sku, 1)).refunds[0] for sku in "AB")
    engine.run(first, second)
    assert [fresh(refund).state for refund in (first, second)] == ["refunded", "refunding"]
    assert condition(second) == "AwaitingCapture"
    assert columns(order) == {"captured": 400, "authorized": 600, "reserved": 600, "refunded": 400}


def held_order(*prices: int) -> Order:
    """An order whose whole price is held on one payment."""
    order = make_order(*prices)
    PaymentShare.objects.filter(order=order).update(captured_minor=0)
    share = PaymentShare.objects.get(order=order)
    type(share.payment).objects.filter(pk=share.payment_id).update(total_minor=0, allocated_minor=0)
    state(order, captured=0, authorized=sum(prices))
    return order


def state(order: Order, *, captured: int, authorized: int) -> None:
    """The shop tells of its payment."""
    share, things = PaymentShare.objects.select_related("payment").get(order=order), order.lines.order_by("position")
    paid = PaymentFact("sandbox", share.payment.reference, captured, authorized_minor=authorized)
    lines = tuple(LineFact(x.sku, x.name, x.quantity, unit_price_minor=x.unit_price_minor) for x in things)
    facts = OrderFacts(order.number, "EUR", lines, (paid,), customer=CustomerFact(email="ada@example.org"))
    with transaction.atomic():
        put_order(facts, channel_id=order.channel_id, actor=SHOP)


def columns(order: Order) -> dict[str, int]:
    share = PaymentShare.objects.get(order=order)
    names = ("captured", "authorized", "reserved", "refunded", "excess")
    return {name: value for name in names if (value := getattr(share, f"{name}_minor"))}


def condition(refund: Refund) -> str:
    found = [c["type"] for c in fresh(refund).conditions if c["type"] in ("AwaitingCapture", "DisputeOpen")]
    return found[0] if found else ""
