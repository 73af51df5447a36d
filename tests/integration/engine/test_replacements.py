"""Another one instead of the money (row 20), and the replacement given back (row 21): every book right, every message
once."""

from dataclasses import replace as replaced
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from orders import clock
from orders.errors import Conflict, Forbidden, Invalid, Problem
from orders.models import Order, PaymentShare
from orders.services.facts import CustomerFact, LineFact, OrderFacts, PaymentFact
from orders.services.lines import Sku
from orders.services.put_order import PutOrder, put_order
from refunds.calendars import Calendar
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund, RefundEvent
from refunds.services.acts import Approval, Inspected, approve, cancel_refund, hold, inspect, receive, replace, resume
from refunds.services.requests import request_refunds
from refunds.states import Goods, RefundState, Remedy
from tests.factories import request, ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    SHOP,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    in_force,
    live,
    pass_time,
    state,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
A = Sku("A")


@pytest.fixture
def courier() -> Courier:
    return Courier()


def awaited(engine: Engine, courier: Courier, *, captured: tuple[int, ...] = ()) -> Refund:
    """Come back, found right, and another one is wanted."""
    order = bought(1000, quantity=2, captured=captured)
    ship(order)
    [refund] = request(order, remedy=Remedy.REPLACEMENT, reason_code="defective").refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    inspect(target(refund), [Inspected(A, accepted=2)], actor=WAREHOUSE)
    work(engine, courier, refund)
    return fresh(refund)


@transaction.atomic
def sent(number: str, replaces: Refund | str, *, price: int = 1000, **fields: Any) -> PutOrder:
    name = replaces if isinstance(replaces, str) else replaces.number
    refund = Refund.objects.first()
    assert refund is not None
    lines, customer = (LineFact("A", "Thing A", 2, unit_price_minor=price),), CustomerFact(email="c@example.org")
    facts = OrderFacts(number, "EUR", lines, customer=customer, replaces=name, **fields)
    return put_order(facts, channel_id=refund.order.channel_id, actor=SHOP)


def told(*refunds: Refund) -> list[str]:
    mails = Notification.objects.filter(refund__in=refunds, channel="email").order_by("refund_id", "event_seq")
    return [mail.template for mail in mails]


def money(order: Order) -> list[tuple[int, int, int, int]]:
    shares = PaymentShare.objects.filter(order=order).order_by("id")
    return [(s.captured_minor, s.carried_minor, s.reserved_minor, s.refunded_minor) for s in shares]


def refused(code: str, number: str, replaces: Refund | str, **fields: Any) -> None:
    with pytest.raises(Problem) as error:
        sent(number, replaces, **fields)
    assert code in {error.value.code, *(e.code for e in error.value.errors)}


def test_the_shop_is_asked_for_another_one_and_answers_with_its_order(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    [wanted] = RefundEvent.objects.filter(refund=refund, kind="refund.replacement_wanted")
    assert wanted.data == {
        "lines": [{"line": "A", "sku": "A", "quantity": 2}],
        "until": refund.deadline and refund.deadline.isoformat(),
    }
    assert (refund.state, money(refund.order)) == (RefundState.REFUNDING, [(2000, 0, 2000, 0)])
    new = sent("N-1", refund).order
    work(engine, courier, refund)
    ended = fresh(refund)
    assert (ended.state, ended.replaced_by, ended.amount_minor) == (RefundState.REFUNDED, "N-1", 2000)
    assert (money(refund.order), money(new)) == ([(2000, 0, 0, 2000)], [(2000, 2000, 0, 0)])
    movement = GatewayRefund.objects.get()
    assert (movement.kind, movement.state, movement.first_sent_at) == ("exchange", "external", None)
    assert told(refund) == ["received", "pickup_booked", "replacing", "replaced"]
    assert refund.order.refund_state != "none" and fresh(refund).order.refund_state == "refunded"


def test_of_several_payments_each_pays_its_part_of_the_new_order(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier, captured=(500, 1500))
    new = sent("N-1", refund).order
    assert sorted(money(new)) == [(500, 500, 0, 0), (1500, 1500, 0, 0)]
    carried = LedgerEntry.objects.filter(kind="carried").values_list("reference", flat=True)
    assert sorted(carried) == sorted(GatewayRefund.objects.values_list("number", flat=True))


def test_the_replacement_given_back_goes_to_the_payment_once(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    new = sent("N-1", refund).order
    work(engine, courier, refund)
    ship(new)
    [again] = request(new, goods=Goods.KEEP).refunds
    work(engine, courier, again)
    approve(target(again), Approval(), actor=AGENT)
    work(engine, courier, again)
    [movement] = GatewayRefund.objects.filter(refund=again)
    assert (state(again), movement.kind, movement.state, movement.amount_minor) == (
        "refunded",
        "refund",
        "succeeded",
        2000,
    )
    assert movement.share.payment_id == PaymentShare.objects.get(order=refund.order).payment_id
    assert money(new) == [(2000, 2000, 0, 2000)]
    assert told(again) == ["received", "refunded"]
    for order in (refund.order, new):
        assert isinstance(request_refunds([wish(order)])[0], Problem)


def test_a_replacement_of_a_replacement(engine: Engine, courier: Courier) -> None:
    first = awaited(engine, courier)
    new = sent("N-1", first).order
    work(engine, courier, first)
    ship(new)
    [again] = request(new, goods=Goods.KEEP, remedy=Remedy.REPLACEMENT).refunds
    work(engine, courier, again)
    approve(target(again), Approval(), actor=AGENT)
    work(engine, courier, again)
    last = sent("N-2", again).order
    work(engine, courier, again)
    assert (money(new), money(last)) == ([(2000, 2000, 0, 2000)], [(2000, 2000, 0, 0)])


def test_none_in_time_and_the_money_goes(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    live(engine, courier, refund, until=[RefundState.REFUNDED], limit=timedelta(days=8))
    assert told(refund) == ["received", "pickup_booked", "replacing", "refunded"]
    assert RefundEvent.objects.filter(refund=refund, kind="refund.replacement_overdue").count() == 1
    assert (fresh(refund).remedy, money(refund.order)) == ("money", [(2000, 0, 0, 2000)])
    refused("not_awaited", "N-1", refund)


def test_the_same_order_again_changes_nothing_and_another_is_refused(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    assert sent("N-1", refund).created
    assert not sent("N-1", refund).changed
    assert not sent("N-1", "").changed
    refused("already_replaced", "N-2", refund)
    refused("replaces_fixed", "N-1", _another(refund))
    assert Order.objects.filter(number="N-2").count() == 0
    assert LedgerEntry.objects.filter(kind="carried").count() == 1


def _another(refund: Refund) -> Refund:
    other = bought(700)
    ship(other)
    [made] = request(other).refunds
    return made


def test_the_original_order_stated_again_keeps_its_money(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    sent("N-1", refund)
    order, payment = refund.order, PaymentShare.objects.get(order=refund.order).payment
    paid = PaymentFact(payment.account, payment.reference, 2000)
    facts = OrderFacts(order.number, "EUR", (LineFact("A", "Thing A", 2, unit_price_minor=1000),), (paid,))
    with transaction.atomic():
        put_order(facts, channel_id=order.channel_id, actor=SHOP)
    assert money(order) == [(2000, 0, 0, 2000)]
    refused("payment_shared", "N-1", refund, payments=(paid,))


def test_a_dearer_one_is_paid_with_the_rest(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    more = PaymentFact("sandbox", "more-1", 600)
    new = sent("N-1", refund, price=1300, payments=(more,)).order
    assert sorted(money(new)) == [(600, 0, 0, 0), (2000, 2000, 0, 0)]
    assert not sent("N-1", refund, price=1300, payments=(more,)).changed


@pytest.mark.parametrize("asked_for", [Remedy.MONEY, Remedy.REPLACEMENT])
def test_what_is_not_awaited_is_refused(engine: Engine, courier: Courier, asked_for: Remedy) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order, remedy=asked_for).refunds
    work(engine, courier, refund)
    refused("not_awaited", "N-1", refund)
    refused("unknown_refund", "N-1", "RF-999")
    refused("own_refund", order.number, refund)


def test_an_order_made_before_can_be_said_to_replace(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    facts = OrderFacts("N-1", "EUR", (LineFact("A", "Thing A", 2, unit_price_minor=1000),))
    with transaction.atomic():
        made = put_order(facts, channel_id=refund.order.channel_id, actor=SHOP).order
    assert sent("N-1", refund).changed
    assert money(made) == [(2000, 2000, 0, 0)]


def test_an_agent_decides_and_thinks_better_of_it(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order, goods=Goods.KEEP).refunds
    work(engine, courier, refund)
    replace(target(refund), Remedy.REPLACEMENT, actor=AGENT)
    with pytest.raises(Conflict) as same:
        replace(target(refund), Remedy.REPLACEMENT, actor=AGENT)
    assert same.value.code == "remedy_unchanged"
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDING
    replace(target(refund), Remedy.MONEY, actor=SHOP)
    refused("not_awaited", "N-1", refund)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED
    assert told(refund) == ["received", "replacing", "refunded"]


def test_what_waits_for_another_one_can_be_cancelled(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order, goods=Goods.KEEP, remedy=Remedy.REPLACEMENT).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    cancel_refund(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert (state(refund), money(order)) == (RefundState.CANCELLED, [(1000, 0, 0, 0)])


def test_what_never_left_is_paid_back_whatever_was_wished(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    [refund] = request(order, remedy=Remedy.REPLACEMENT).refunds
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).remedy) == (RefundState.REFUNDED, "money")


def test_customers_ask_for_it_where_the_policy_lets_them(engine: Engine) -> None:
    order = bought(1000)
    ship(order)
    [answer] = request_refunds([wish(order, remedy=Remedy.REPLACEMENT, actor=CUSTOMER)])
    assert isinstance(answer, Forbidden) and answer.code == "no_replacements"
    in_force(replacements=True)
    [refund] = request(order, remedy=Remedy.REPLACEMENT, actor=CUSTOMER).refunds
    assert refund.remedy == "replacement"
    [answer] = request_refunds([replaced(wish(order), lines=(), amount_minor=100, remedy=Remedy.REPLACEMENT)])
    assert isinstance(answer, Invalid)


def test_a_hold_over_days_off_moves_no_clock_of_worked_days(engine: Engine, courier: Courier) -> None:
    today = clock.now().date()
    in_force(calendar=Calendar(holidays=frozenset(today + timedelta(days=n) for n in range(12))))
    refund = awaited(engine, courier)
    before = refund.deadline
    hold(target(refund), until=None, actor=AGENT)
    pass_time(timedelta(days=5))
    resume(target(refund), actor=AGENT)
    assert before and fresh(refund).deadline == before


def test_a_hold_stops_the_shops_clock_too(engine: Engine, courier: Courier) -> None:
    refund = awaited(engine, courier)
    before = refund.deadline
    hold(target(refund), until=None, actor=AGENT)
    pass_time(timedelta(days=10))
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).remedy) == (RefundState.REFUNDING, "replacement")
    resume(target(refund), actor=AGENT)
    after = fresh(refund).deadline
    assert before and after and after - before >= timedelta(days=10) and after > clock.now()
