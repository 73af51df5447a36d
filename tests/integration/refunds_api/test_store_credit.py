"""What a customer has of store credit, and a shop that lets him pay with it."""

import json
from importlib import import_module
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection

from orders.models import Order
from orders.roles import Role
from refunds.models import Refund, StoreCreditAccount
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, Crediting
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def accounts(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS


def credited(shop: Caller, order: Order, **customer: str) -> None:
    """5.00 of the order come back as store credit to whom it names."""
    Order.objects.filter(pk=order.pk).update(**customer)
    wish = {"lines": [{"id": "mug", "quantity": 1}], "refund_to": "store_credit"}
    asked = shop.post(f"/orders/{order.number}/refunds", wish)
    assert asked.status == 202, asked.body
    [refund] = asked.body["refunds"]
    [movement] = refund["status"]["gateway_refunds"]
    assert (movement["account"], movement["target"]) == ("sandbox", "store-credit")
    Crediting(Engine()).run(Refund.objects.get(order=order))


@pytest.fixture
def customer(shop, order) -> str:
    """Who was refunded 5.00 as store credit."""
    credited(shop, order, customer_reference="c-7")
    return "c-7"


def test_a_customer_s_balance_and_what_came_and_went(shop, customer):
    answer = shop.get(f"/store-credit?customer={customer}")
    assert answer.status == 200
    assert answer.body["balances"] == [{"currency": "EUR", "balance_minor": 500}]
    [entry] = answer.body["entries"]
    assert (entry["kind"], entry["amount_minor"], entry["currency"]) == ("refund", 500, "EUR")


def test_who_never_had_any_has_none(shop):
    assert shop.get("/store-credit?customer=nobody").body == {
        "customer": "nobody",
        "email": "",
        "balances": [],
        "entries": [],
    }


def test_what_is_spent_is_a_payment_to_be_stated(shop, customer):
    spent = shop.post(
        f"/store-credit/spend?customer={customer}", {"amount_minor": 300, "currency": "EUR", "reference": "O-9"}
    )
    assert spent.status == 201, spent.body
    assert spent.body["balance_minor"] == 200
    payment = spent.body["payment"]
    assert (payment["gateway"], payment["captured_minor"]) == ("store-credit", 300)
    lines = [{"sku": "TEA", "name": "Tea", "quantity": 1, "unit_price_minor": 300}]
    order = {"currency": "EUR", "lines": lines, "payments": [payment]}
    stated = shop.call("PUT", "/orders/O-9", json.dumps(order).encode(), {})
    assert stated.status == 201, stated.body


@pytest.fixture
def state(shop, customer):
    """States an order of 90.00, paid with 3.00 of store credit as changed."""
    spent = shop.post(f"/store-credit/spend?customer={customer}", {"amount_minor": 300, "currency": "EUR"})
    lines = [{"sku": "TEA", "name": "Tea", "quantity": 1, "unit_price_minor": 9000}]

    def put(number: str = "O-9", *, by: Caller = shop, currency: str = "EUR", **changes: Any) -> Any:
        order = {"currency": currency, "lines": lines, "payments": [spent.body["payment"] | changes]}
        return by.call("PUT", f"/orders/{number}", json.dumps(order).encode(), {})

    return put


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"captured_minor": 9000}, "captured_minor", "more_than_spent"),
        ({"captured_minor": 301}, "captured_minor", "more_than_spent"),
        ({"authorized_minor": 9000}, "authorized_minor", "more_than_spent"),
        ({"shared_total_minor": 9000}, "shared_total_minor", "more_than_spent"),
        ({"reference": "invented"}, "reference", "store_credit_not_spent"),
        ({"currency": "USD"}, "currency", "currency_mismatch"),
    ],
)
def test_what_was_never_spent_is_no_payment(state, changes, field, code):
    currency = changes.pop("currency", "EUR")
    refused = state(currency=currency, **changes)
    assert (refused.status, refused.code) == (422, code), refused.body
    assert refused.body["errors"][0]["field"] == f"payments[0].{field}"
    assert not Order.objects.filter(number="O-9").exists()
    assert state().status == 201


def test_what_was_spent_and_stated_does_not_grow(state):
    assert state().status == 201
    assert state(captured_minor=301).code == "more_than_spent"
    assert state().status == 200


def test_what_orders_share_of_a_spend_is_no_more_than_was_spent(state):
    assert state("O-1", captured_minor=200, shared_total_minor=300).status == 201
    assert state("O-2", captured_minor=101, shared_total_minor=300).code == "payment_overallocated"
    assert state("O-2", captured_minor=100, shared_total_minor=300).status == 201


def test_the_same_key_spends_once(shop, customer):
    wanted = {"amount_minor": 300, "currency": "EUR"}
    first, again = (
        shop.post(f"/store-credit/spend?customer={customer}", wanted, Idempotency_Key="k-1") for _ in range(2)
    )
    assert first.body == again.body
    assert shop.get(f"/store-credit?customer={customer}").body["balances"][0]["balance_minor"] == 200


def test_more_than_there_is_is_refused_with_both_figures(shop, customer):
    low = shop.post(f"/store-credit/spend?customer={customer}", {"amount_minor": 501, "currency": "EUR"})
    assert (low.status, low.code) == (409, "store_credit_too_low")
    assert (low.body["left_minor"], low.body["asked_minor"]) == (500, 501)


@pytest.mark.parametrize("amount", [0, -1, 1.5, "1", None, True])
def test_no_amount_is_no_spending(shop, customer, amount):
    odd = shop.post(f"/store-credit/spend?customer={customer}", {"amount_minor": amount, "currency": "EUR"})
    assert odd.status == 422
    assert odd.body["errors"][0]["field"] == "amount_minor"


def test_only_a_shop_or_a_supervisor_spends(caller, customer):
    wanted = {"amount_minor": 1, "currency": "EUR"}
    refused = caller(Role.SUPPORT).post(f"/store-credit/spend?customer={customer}", wanted)
    assert (refused.status, refused.code) == (403, "role_forbidden")


@pytest.mark.parametrize("reference", ["Ada78449@Example.com", "ada@example.com", "a/b?c&d", "spend", "7%2F8"])
def test_the_name_that_was_credited_can_be_read_and_spent(shop, order, reference):
    credited(shop, order, customer_reference=reference, customer_email="Ada@Example.com")
    named = urlencode({"customer": reference})
    held = shop.get(f"/store-credit?{named}").body
    assert (held["customer"], held["balances"]) == (reference, [{"currency": "EUR", "balance_minor": 500}])
    spent = shop.post(f"/store-credit/spend?{named}", {"amount_minor": 500, "currency": "EUR"})
    assert (spent.status, spent.body["balance_minor"]) == (201, 0)


def test_a_reference_that_looks_like_an_address_is_another_customer_than_who_has_the_address(shop, channel, order):
    credited(shop, order, customer_reference="", customer_email="Ada@Example.com")
    other = rows.a_paid_order(channel)
    credited(shop, other, customer_reference="ada@example.com", customer_email="someone@example.com")
    spent = shop.post("/store-credit/spend?customer=ada@example.com", {"amount_minor": 500, "currency": "EUR"})
    assert (spent.status, spent.body["balance_minor"]) == (201, 0)
    [left] = shop.get("/store-credit?email=ADA@example.com").body["balances"]
    assert left["balance_minor"] == 500
    assert StoreCreditAccount.objects.count() == 2


@pytest.mark.parametrize("query", ["", "?customer=", "?customer=a&email=a@example.com", "?customer=a&customer=b"])
def test_whose_it_is_has_to_be_said_in_one_way(shop, query):
    odd = shop.get(f"/store-credit{query}")
    assert (odd.status, odd.body["errors"][0]["field"]) == (422, "customer")


def test_the_migration_keeps_to_the_reference_what_was_credited_to_one(shop, channel, order):
    credited(shop, order, customer_reference="", customer_email="Ada@Example.com")
    credited(shop, rows.a_paid_order(channel), customer_reference="bob@example.com")
    StoreCreditAccount.objects.update(by_email=False)
    with connection.cursor() as cursor:
        cursor.execute(import_module("refunds.migrations.0023_credit_by_email").BY_EMAIL)
    named = StoreCreditAccount.objects.order_by("holder").values_list("holder", "by_email")
    assert list(named) == [("ada@example.com", True), ("bob@example.com", False)]
