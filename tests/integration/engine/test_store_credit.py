"""Refunds given as store credit: once, never "done" without it, and spent never below zero (public reports 7 and 8)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from orders.errors import Conflict, NotFound, Problem
from orders.models import Channel, Order, Payment, PaymentShare
from orders.roles import Actor, Role
from refunds.messages.render import render_message
from refunds.models import (
    GatewayRefund,
    LedgerEntry,
    Notification,
    Refund,
    StoreCreditAccount,
    StoreCreditEntry,
)
from refunds.selectors.message_facts import message_facts
from refunds.selectors.store_credit import holder_of
from refunds.services.requests import preview_refund, request_refunds
from refunds.services.store_credit import NotGiven, Spend, give, spend
from refunds.states import RefundTo
from tests.factories import SHOP, request, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, CREDIT, Crediting, balance, budget, entries, movements
from tests.integration.engine.returns import bought, fresh
from tests.policies import put_in_force
from workers.adapters.store_credit import StoreCreditGateway
from workers.ports import Accepted, Found, Movement, NotSent, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
CUSTOMER = Actor("customer:1", Role.CUSTOMER)


@pytest.fixture(autouse=True)
def accounts(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS


@pytest.fixture
def crediting(engine: Engine) -> Crediting:
    return Crediting(engine)


def as_credit(order: Order, *lines: tuple[str, int], **fields: Any) -> Refund:
    return request(order, *lines, refund_to=RefundTo.STORE_CREDIT, **fields).refunds[0]


def refusal(order: Order, **fields: Any) -> Problem:
    [result] = request_refunds([wish(order, **fields)])
    assert isinstance(result, Problem)
    return result


def kinds(order: Order) -> list[str]:
    booked = LedgerEntry.objects.filter(share__order=order).exclude(kind="capture").order_by("id")
    return list(booked.values_list("kind", flat=True))


def test_refund_as_store_credit_is_given_once_and_the_payment_is_left_alone(crediting):
    order = bought(500)
    refund = as_credit(order)
    crediting.run(refund)
    assert fresh(refund).state == "refunded"
    assert [account for account, _ in crediting.sent] == [CREDIT]
    assert movements(refund) == [("succeeded", CREDIT, 500)]
    assert (balance(order), entries()) == (500, [("refund", 500)])
    assert kinds(order) == ["reserve", "release", "credit"]
    assert PaymentShare.objects.get(order=order).refunded_minor == 500


def test_report_7_a_step_that_runs_twice_gives_once(crediting):
    order = bought(500)
    crediting.run(refund := as_credit(order))
    [movement] = GatewayRefund.objects.filter(refund=refund)
    with ThreadPoolExecutor(4) as threads:
        again = [threads.submit(_given_in_a_thread, movement.number) for _ in range(8)]
    assert {one.result() for one in again} == {StoreCreditEntry.objects.get().pk}
    assert balance(order) == 500


def _given_in_a_thread(number: str) -> int:
    try:
        entry = give(number, amount_minor=500, currency="EUR")
        assert isinstance(entry, StoreCreditEntry)
        return entry.pk
    finally:
        connection.close()


def test_two_first_attempts_at_once_give_once(engine, crediting):
    order = bought(500)
    [out] = engine.begin(refund := as_credit(order)).calls
    with ThreadPoolExecutor(4) as threads:
        given = [threads.submit(_given_in_a_thread, out.movement.number) for _ in range(8)]
    assert len({one.result() for one in given}) == 1
    engine.answer(out, crediting.credit.refund(out.movement, budget=budget()))
    assert (fresh(refund).state, balance(order)) == ("refunded", 500)


def test_an_answer_that_was_lost_is_found_by_the_look_up(engine, crediting):
    order = bought(500)
    [out] = engine.begin(refund := as_credit(order)).calls
    assert isinstance(crediting.credit.refund(out.movement, budget=budget()), Accepted)
    found = crediting.credit.look_up("", out.movement.number, budget=budget())
    assert isinstance(found, Found)
    assert [(f.number, f.amount_minor, f.status) for f in found.facts] == [(out.movement.number, 500, "succeeded")]
    assert refund.state == "requested"


def test_report_8_never_done_without_the_credit(engine, crediting):
    order = bought(500)
    [out] = engine.begin(refund := as_credit(order)).calls
    Order.objects.filter(pk=order.pk).update(customer_email="", customer_reference="")
    refused = crediting.credit.refund(out.movement, budget=budget())
    assert isinstance(refused, Refused)
    assert refused.code == "no_holder"
    engine.answer(out, refused)
    assert fresh(refund).state == "failed"
    assert entries() == []
    assert PaymentShare.objects.get(order=order).refunded_minor == 0


def test_nothing_is_given_once_the_time_is_spent(crediting):
    reply = crediting.credit.refund(Movement("RF-1-1", "RF-1-1", "", 5, "EUR"), budget=budget(0))
    assert isinstance(reply, NotSent)


def test_what_no_movement_is_behind_is_not_given():
    assert isinstance(given := give("RF-9-1", amount_minor=5, currency="EUR"), NotGiven)
    assert given.code == "unknown_movement"


def test_credit_of_one_customer_grows_over_his_orders_and_apart_from_others(crediting):
    first, second = bought(500, customer_reference="c-7"), bought(300, customer_reference="c-7")
    other = bought(100)
    for order in (first, second, other):
        crediting.run(as_credit(order))
    assert (balance(first), balance(second), balance(other)) == (800, 800, 100)
    assert StoreCreditAccount.objects.count() == 2


def test_nobody_to_have_it_is_said_at_the_request():
    order = bought(500, customer_email="", customer_reference="")
    assert refusal(order, refund_to=RefundTo.STORE_CREDIT).code == "no_store_credit"


def test_a_shop_without_store_credit_says_so(settings):
    settings.GATEWAY_ACCOUNTS = {"sandbox": {"adapter": "http"}}
    assert refusal(bought(500), refund_to=RefundTo.STORE_CREDIT).code == "no_store_credit"


def test_policy_gives_store_credit_where_nothing_else_is_said(crediting):
    put_in_force(refund_to="store_credit")
    order = bought(500, 300)
    crediting.run(refund := request(order, ("A", 1)).refunds[0])
    agent = request(order, ("B", 1), refund_to=RefundTo.ORIGINAL).refunds[0]
    crediting.run(agent)
    assert movements(refund) == [("succeeded", CREDIT, 500)]
    assert movements(agent) == [("succeeded", "", 300)]


def test_customer_cannot_say_otherwise_than_the_policy(crediting):
    put_in_force(refund_to="store_credit")
    order = bought(500)
    refund = request(order, refund_to=RefundTo.ORIGINAL, actor=CUSTOMER).refunds[0]
    assert movements(refund) == [("intended", CREDIT, 500)]


def test_preview_says_where_the_money_goes():
    order = bought(500)
    [given] = preview_refund(wish(order, refund_to=RefundTo.STORE_CREDIT)).payments
    assert (given.account, given.target, given.amount_minor) == ("sandbox", CREDIT, 500)


def test_target_freezes_with_the_first_claim(engine):
    refund = as_credit(bought(500))
    GatewayRefund.objects.filter(refund=refund).update(target="")
    engine.begin(refund)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        GatewayRefund.objects.filter(refund=refund).update(target=CREDIT)


def bought_with_credit(crediting: Crediting, *, given: int, spent: int) -> tuple[Order, Order]:
    """An order whose refund is the credit, and one that was paid with some of it."""
    source = bought(given, customer_reference="c-7")
    crediting.run(as_credit(source))
    entry = spend(spending(source, spent, "O-next"), actor=SHOP)
    order = bought(spent, customer_reference="c-7", account=CREDIT)
    Payment.objects.filter(shares__order=order).update(reference=entry.number)
    return source, order


def spending(order: Order, amount_minor: int, reference: str = "", currency: str = "EUR") -> Spend:
    holder = holder_of(order)
    assert holder
    return Spend(holder, amount_minor, currency, reference)


def test_what_was_paid_with_credit_comes_back_as_credit(crediting):
    source, order = bought_with_credit(crediting, given=500, spent=400)
    assert balance(source) == 100
    crediting.run(refund := request(order).refunds[0])
    assert (fresh(refund).state, balance(source)) == ("refunded", 500)
    assert entries() == [("refund", 500), ("spend", -400), ("return", 400)]
    assert movements(refund) == [("succeeded", "", 400)]


def test_no_more_comes_back_than_was_spent(crediting):
    _, order = bought_with_credit(crediting, given=500, spent=400)
    PaymentShare.objects.filter(order=order).update(captured_minor=900)
    order.lines.update(list_minor=900, unit_price_minor=900)
    LedgerEntry.objects.create(share=order.shares.get(), kind="capture", amount_minor=500, **_times())
    crediting.run(refund := request(order).refunds[0])
    assert fresh(refund).state == "failed"
    assert GatewayRefund.objects.get(refund=refund).failure_code == "amount_too_large"


def _times() -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT refundry_now()")
        now = cursor.fetchone()[0]
    return {"occurred_at": now, "recorded_at": now}


def test_spending_is_refused_with_both_figures_where_there_is_less(crediting):
    order = bought(500)
    crediting.run(as_credit(order))
    with pytest.raises(Conflict, match="500 EUR are left") as refused:
        spend(spending(order, 501), actor=SHOP)
    assert refused.value.extra == {"left_minor": 500, "asked_minor": 501}
    with pytest.raises(NotFound):
        spend(spending(order, 1, currency="USD"), actor=SHOP)


def test_two_who_spend_at_once_never_go_below_zero(crediting):
    order = bought(500)
    crediting.run(as_credit(order))
    with ThreadPoolExecutor(8) as threads:
        spent = [threads.submit(_spends_in_a_thread, spending(order, 200)) for _ in range(8)]
    assert sorted(one.result() for one in spent) == [False] * 6 + [True] * 2
    assert balance(order) == 100


def _spends_in_a_thread(wanted: Spend) -> bool:
    try:
        spend(wanted, actor=SHOP)
    except Conflict:
        return False
    finally:
        connection.close()
    return True


def test_its_ledger_only_grows_and_never_goes_below_zero(crediting):
    order = bought(500)
    crediting.run(as_credit(order))
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        StoreCreditEntry.objects.update(amount_minor=1)
    with pytest.raises(IntegrityError, match="store_credit_never_negative"), transaction.atomic():
        StoreCreditAccount.objects.update(balance_minor=-1)


def test_its_list_names_what_was_given_and_not_what_was_spent(crediting):
    bought_with_credit(crediting, given=500, spent=400)
    since = StoreCreditAccount.objects.get().created_at
    page = StoreCreditGateway().list_refunds(since, "", budget=budget())
    assert [(f.amount_minor, f.currency) for f in page.facts] == [(500, "EUR")]
    assert page.next_cursor == ""


def test_another_channel_s_credit_is_another_account(crediting):
    order = bought(500, customer_reference="c-7")
    crediting.run(as_credit(order))
    elsewhere = Channel.objects.create(slug="elsewhere", name="Elsewhere")
    other = bought(100, customer_reference="c-7", channel=elsewhere)
    assert (balance(order), balance(other)) == (500, 0)


def test_the_customer_is_told_that_it_is_store_credit(crediting):
    crediting.run(refund := as_credit(bought(500)))
    mail = Notification.objects.get(refund=refund, template="refunded_at_once", channel="email")
    assert "We have added €5.00 to your store credit." in render_message(message_facts([mail])[mail.pk]).text


def held_besides(order: Order, minor: int) -> None:
    """So much more is authorized on its payment and was not captured."""
    LedgerEntry.objects.create(share=order.shares.get(), kind="authorize", amount_minor=minor, **_times())
    PaymentShare.objects.filter(order=order).update(authorized_minor=minor)


def test_captured_money_becomes_store_credit_where_more_is_held_besides(crediting):
    held_besides(order := bought(500), 300)
    crediting.run(refund := as_credit(order))
    assert movements(refund) == [("succeeded", CREDIT, 500)]
    assert (fresh(refund).state, balance(order)) == ("refunded", 500)


def test_money_that_was_not_captured_does_not_become_store_credit(crediting):
    held_besides(order := bought(800, captured=[500]), 300)
    previewed = preview_refund(wish(order, refund_to=RefundTo.STORE_CREDIT)).payments
    assert [(given.target, given.amount_minor) for given in previewed] == [(CREDIT, 500), ("", 300)]
    refund = as_credit(order)
    assert movements(refund) == [("intended", CREDIT, 500), ("intended", "", 300)]
    crediting.run(refund)
    assert movements(refund) == [("succeeded", CREDIT, 500), ("intended", "", 300)]
