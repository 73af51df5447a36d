"""Amounts that went wrong in other systems, as their users reported them, asked of this one over its API."""

import pytest

from orders.roles import Role
from refunds.models import GatewayRefund
from tests.integration.asking.conftest import Bought, Shop, entries, line, off, pay, units
from tests.integration.refunds_api.clients import Answer

pytestmark = pytest.mark.django_db


def amount(order: Bought, minor: int) -> Answer:
    return order.ask({"amount_minor": minor}, role=Role.SUPERVISOR)


def test_two_steps_never_give_more_than_all(shop: Shop) -> None:
    """Report 15: all but one, then all again."""
    order = shop.order(line("A", 10000))
    assert amount(order, 9999).status == 202
    second = amount(order, 10000)
    assert (second.status, second.body["left_minor"]) == (409, 1) and "1 is left" in second.body["detail"]


def test_grants_add_up_and_those_that_wait_count(shop: Shop) -> None:
    """Report 16: 80 granted, 80 more refused, 20 left; the first is not even approved."""
    order = shop.order(line("A", 10000))
    assert amount(order, 8000).status == 202
    assert amount(order, 8000).body["left_minor"] == 2000
    by_line = order.ask({"adjustments": [{"sku": "A", "amount_minor": 2001}]})
    assert (by_line.code, by_line.body["left_minor"]) == ("more_than_left", 2000)
    assert amount(order, 2000).status == 202
    assert amount(order, 1).body["left_minor"] == 0


@pytest.mark.parametrize("gross", [True, False])
def test_rounded_tax_never_makes_the_full_refund_a_cent_too_much(shop: Shop, gross: bool) -> None:
    """Report 19: ten at 23.90 with 20 % in it, 25 % off."""
    lines = [line("A", 2390, quantity=10, tax_minor=2988)]
    coupon = [off(5975)]
    if not gross:
        lines = [{**line("A", 0, quantity=10, tax_minor=2988), "unit_price_minor": None, "line_total_minor": 19917}]
        coupon = [off(4980)]
    order = shop.order(*lines, discounts=coupon, prices_include_tax=gross, paid=17925, total_minor=17925)
    parts = [order.refund(units(A=n)) for n in (3, 4, 3)]
    assert sum(part["spec"]["amount_minor"] for part in parts) == 17925
    assert sum(part["sheet"]["tax_minor"] for part in parts) == 2988


def test_an_orders_discount_reaches_the_one_item(shop: Shop) -> None:
    """Report 21: 6 and 4, 10 % off."""
    order = shop.order(line("A", 600), line("B", 400), discounts=[off(100)])
    assert [order.worth(units(A=1)), order.worth(units(B=1))] == [540, 360]


def test_an_order_with_a_coupon_is_cancelled_for_what_was_paid(shop: Shop) -> None:
    """Report 22: 100 less 10."""
    order = shop.order(line("A", 10000), discounts=[off(1000)])
    cancelled = shop.by(Role.SHOP).post(f"/orders/{order.number}/cancel", {})
    [refund] = cancelled.body["refunds"]
    assert refund["spec"]["amount_minor"] == 9000 and pay(refund) == ["refunded"]
    assert order.get()["state"] == "cancelled"


def test_a_voucher_is_spread_on_partial_refunds(shop: Shop) -> None:
    """Report 23: one of two equal lines, 10 % off the order."""
    order = shop.order(line("A", 1000), line("B", 1000), discounts=[off(200)])
    assert order.worth(units(A=1)) == 900


@pytest.mark.parametrize("gross", [True, False])
def test_an_order_that_cost_nothing_is_refunded_without_a_gateway(shop: Shop, gross: bool) -> None:
    """Report 25: 100 % off, with tax."""
    order = shop.order(line("A", 1000), discounts=[off(1000)], prices_include_tax=gross)
    refund = order.refund({"lines": "all"})
    assert refund["spec"]["amount_minor"] == 0 and pay(refund) == ["refunded"]
    assert not GatewayRefund.objects.exists()


def test_a_second_refund_after_the_shipping_went_back_has_none(shop: Shop) -> None:
    """Report 27: A with the shipping, then B."""
    order = shop.order(line("A", 1000), line("B", 500), shipping_minor=300)
    assert order.worth(units(A=1) | {"shipping": True}) == 1300
    last = order.refund(units(B=1))
    assert last["spec"]["amount_minor"] == 500 and last["sheet"]["shipping_minor"] == 0


@pytest.mark.parametrize("gross, shipping", [(False, 500), (True, 600)])
def test_shipping_comes_back_with_its_tax(shop: Shop, gross: bool, shipping: int) -> None:
    """Report 29: 5.00 and 20 %."""
    taxed = {"prices_include_tax": gross, "shipping_minor": shipping, "shipping_tax_minor": 100}
    order = shop.order(line("A", 1000), **taxed)
    refund = order.refund({"lines": "all"})
    assert refund["spec"]["amount_minor"] == 1600 and refund["sheet"]["shipping_tax_minor"] == 100
    assert pay(refund) == ["refunded"] and order.get()["refund_state"] == "refunded"


@pytest.mark.parametrize("currency, minor", [("JPY", 5800), ("JPY", 9899), ("KWD", 18600), ("BHD", 18600)])
def test_a_currency_keeps_its_own_decimals(shop: Shop, currency: str, minor: int) -> None:
    """Reports 30 and 31: ¥5800 is 5800 minor units, 18.600 KWD are 18600."""
    order = shop.order(line("A", minor), currency=currency)
    refund = order.refund({"lines": "all"})
    assert (refund["spec"]["amount_minor"], refund["spec"]["currency"]) == (minor, currency)
    assert GatewayRefund.objects.get().amount_minor == minor


def test_what_did_not_arrive_is_not_paid(shop: Shop) -> None:
    """Report 33: three at 89.99 announced, two arrive."""
    order = shop.order(line("A", 8999, quantity=3))
    order.ship()
    refund = order.refund({"lines": "all"})
    number = refund["metadata"]["number"]
    pay(refund)
    shop.by(Role.SUPERVISOR).post(f"/refunds/{number}/approve", {})
    shop.by(Role.WAREHOUSE).post(f"/refunds/{number}/receive", {})
    found = {"lines": [{"sku": "A", "accepted": 2, "missing": 1}]}
    inspected = shop.by(Role.WAREHOUSE).post(f"/refunds/{number}/inspect", found)
    assert inspected.body["spec"]["amount_minor"] == 17998
    assert pay(refund) == ["refunded"]
    assert GatewayRefund.objects.get().amount_minor == 17998


def test_more_units_than_were_bought_or_the_same_again_are_refused(shop: Shop) -> None:
    """Report 34."""
    order = shop.order(line("A", 1000))
    three = order.ask(units(A=3))
    assert (three.status, three.code) == (422, "more_than_bought")
    assert order.ask(units(A=1)).status == 202
    again = order.ask(units(A=1))
    assert (again.status, again.code, again.body["left"]) == (409, "units_not_left", 0)


def test_each_step_of_a_sheet_is_explained(shop: Shop) -> None:
    order = shop.order(
        line("A", 1000, quantity=2, tax_minor=180), prices_include_tax=False, discounts=[off(200)], paid=1980
    )
    assert entries(order.refund(units(A=1))) == [("line", 1000), ("discount", -100), ("tax", 90)]
