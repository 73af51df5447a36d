"""What a customer has of store credit, and a shop that lets him pay with it."""

import json
from typing import Any

import pytest

from orders.models import Order
from orders.roles import Role
from refunds.models import Refund
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, Crediting

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def accounts(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS


@pytest.fixture
def customer(shop, order) -> str:
    """Who was refunded 5.00 as store credit."""
    Order.objects.filter(pk=order.pk).update(customer_reference="c-7")
    wish = {"lines": [{"id": "mug", "quantity": 1}], "refund_to": "store_credit"}
    asked = shop.post(f"/orders/{order.number}/refunds", wish)
    assert asked.status == 202, asked.body
    [movement] = asked.body["refunds"][0]["status"]["gateway_refunds"]
    assert (movement["account"], movement["target"]) == ("sandbox", "store-credit")
    Crediting(Engine()).run(Refund.objects.get())
    return "c-7"


def test_a_customer_s_balance_and_what_came_and_went(shop, customer):
    answer = shop.get(f"/store-credit/{customer}")
    assert answer.status == 200
    assert answer.body["balances"] == [{"currency": "EUR", "balance_minor": 500}]
    [entry] = answer.body["entries"]
    assert (entry["kind"], entry["amount_minor"], entry["currency"]) == ("refund", 500, "EUR")


def test_who_never_had_any_has_none(shop):
    assert shop.get("/store-credit/nobody").body == {"customer": "nobody", "balances": [], "entries": []}


def test_what_is_spent_is_a_payment_to_be_stated(shop, customer):
    spent = shop.post(f"/store-credit/{customer}/spend", {"amount_minor": 300, "currency": "EUR", "reference": "O-9"})
    assert spent.status == 201, spent.body
    assert spent.body["balance_minor"] == 200
    payment = spent.body["payment"]
    assert (payment["gateway"], payment["captured_minor"]) == ("store-credit", 300)
    lines = [{"sku": "TEA", "name": "Tea", "quantity": 1, "unit_price_minor": 300}]
    order = {"currency": "EUR", "lines": lines, "payments": [payment]}
    stated = shop.call("PUT", "/orders/O-9", json.dumps(order).encode(), {})
    assert stated.status == 201, stated.body


def test_the_same_key_spends_once(shop, customer):
    wanted = {"amount_minor": 300, "currency": "EUR"}
    first, again = (shop.post(f"/store-credit/{customer}/spend", wanted, Idempotency_Key="k-1") for _ in range(2))
    assert first.body == again.body
    assert shop.get(f"/store-credit/{customer}").body["balances"][0]["balance_minor"] == 200


def test_more_than_there_is_is_refused_with_both_figures(shop, customer):
    low = shop.post(f"/store-credit/{customer}/spend", {"amount_minor": 501, "currency": "EUR"})
    assert (low.status, low.code) == (409, "store_credit_too_low")
    assert (low.body["left_minor"], low.body["asked_minor"]) == (500, 501)


@pytest.mark.parametrize("amount", [0, -1, 1.5, "1", None, True])
def test_no_amount_is_no_spending(shop, customer, amount):
    odd = shop.post(f"/store-credit/{customer}/spend", {"amount_minor": amount, "currency": "EUR"})
    assert odd.status == 422
    assert odd.body["errors"][0]["field"] == "amount_minor"


def test_only_a_shop_or_a_supervisor_spends(caller, customer):
    wanted = {"amount_minor": 1, "currency": "EUR"}
    refused = caller(Role.SUPPORT).post(f"/store-credit/{customer}/spend", wanted)
    assert (refused.status, refused.code) == (403, "role_forbidden")
