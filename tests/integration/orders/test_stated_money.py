"""What a shop may state of its money: deposits, supplements, gifts, sets, minimums, and what came back before."""

from typing import Any

import pytest
from django.db import connection

from orders.models import Order, Payment
from refunds.models import LedgerEntry
from tests.consistency import disagreements
from tests.integration.orders.conftest import ORDER, Api, refused, stored

MUG, TEA = ORDER["lines"]
PAYMENT = ORDER["payments"][0]

WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "a supplement above shipping": (
        {"shipping_supplement_minor": 501},
        "shipping_supplement_minor",
        "supplement_above_shipping",
    ),
    "a deposit above the total": ({"non_refundable_minor": 3001}, "non_refundable_minor", "deposit_above_total"),
    "a minimum that its lines do not cost": (
        {"discounts": [{"label": "5 off 26", "amount_minor": 500, "minimum_minor": 2600}]},
        "discounts[0].minimum_minor",
        "minimum_not_reached",
    ),
    "a minimum that is not reached by the lines it is for": (
        {"discounts": [{"label": "T", "amount_minor": 5, "lines": ["TEA"], "minimum_minor": 501}]},
        "discounts[0].minimum_minor",
        "minimum_not_reached",
    ),
    "a gift for an unknown line": ({"lines": [MUG, TEA | {"gift_for": "CUP"}]}, "lines[1].gift_for", "unknown_line"),
    "a gift for itself": ({"lines": [MUG, TEA | {"gift_for": "TEA"}]}, "lines[1].gift_for", "gift_of_itself"),
    "a gift for a gift": (
        {"lines": [MUG, TEA | {"gift_for": "MUG"}, TEA | {"sku": "BAG", "gift_for": "TEA"}]},
        "lines[2].gift_for",
        "gift_of_a_gift",
    ),
    "a set of one unit": ({"lines": [MUG, TEA | {"bundle": "box"}]}, "lines[1].bundle", "bundle_of_one"),
    "a tax rate in words": ({"lines": [MUG, TEA | {"tax_rate": "19 %"}]}, "lines[1].tax_rate", "malformed"),
    "a method nobody knows": ({"payments": [PAYMENT | {"method": "gold"}]}, "payments[0].method", "unknown_value"),
    "more units back before than bought": (
        {"lines": [MUG | {"refunded_before": {"quantity": 3, "amount_minor": 1}}, TEA]},
        "lines[0].refunded_before.quantity",
        "more_than_bought",
    ),
    "more money back before than paid for the line": (
        {"lines": [MUG | {"refunded_before": {"quantity": 2, "amount_minor": 2001}}, TEA]},
        "lines[0].refunded_before.amount_minor",
        "more_than_paid",
    ),
    "more shipping back before than paid": (
        {"shipping_refunded_before_minor": 501},
        "shipping_refunded_before_minor",
        "more_than_paid",
    ),
    "more back before than was ever captured": (
        {
            "lines": [MUG | {"refunded_before": {"quantity": 1, "amount_minor": 1000}}, TEA],
            "payments": [PAYMENT | {"captured_minor": 500}],
        },
        "lines[0].refunded_before.amount_minor",
        "more_than_captured",
    ),
    "shipping back before that no payment is left for": (
        {
            "lines": [MUG | {"refunded_before": {"quantity": 1, "amount_minor": 1000}}, TEA],
            "shipping_refunded_before_minor": 1,
            "payments": [PAYMENT | {"captured_minor": 1000}],
        },
        "shipping_refunded_before_minor",
        "more_than_captured",
    ),
    "more back before than captured": (
        {"payments": [PAYMENT | {"refunded_before_minor": 3001}]},
        "payments[0].refunded_before_minor",
        "above_captured",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_refused_with_its_field(shop: Api, name: str) -> None:
    changes, field, code = WRONG[name]
    before = stored()
    refused(shop("PUT", "orders/1", ORDER | changes), 422, code, field)
    assert stored() == before


@pytest.mark.django_db
def test_what_is_stated_is_read_again_and_the_same_again_changes_nothing(shop: Api) -> None:
    gift = TEA | {"sku": "BAG", "gift_for": "MUG", "tax_rate": "7"}
    body = ORDER | {
        "lines": [MUG | {"id": "1", "tax_rate": "19", "bundle": "box"}, TEA, gift],
        "discounts": [{"label": "D", "amount_minor": 500, "funded_by": "platform", "minimum_minor": 2000}],
        "shipping_supplement_minor": 200,
        "non_refundable_minor": 300,
        "points_earned": 30,
        "payments": [PAYMENT | {"method": "gift_card"}],
    }
    assert shop("PUT", "orders/1", body).status_code == 201
    order = shop("GET", "orders/1").json()
    named = ("shipping_supplement_minor", "non_refundable_minor", "points_earned", "overpaid_minor")
    assert [order[name] for name in named] == [200, 300, 30, 0]
    assert [(x["tax_rate"], x["bundle"], x["gift_for"]) for x in order["lines"]] == [
        ("19", "box", ""),
        ("", "", ""),
        ("7", "", "1"),
    ]
    assert order["discounts"][0]["minimum_minor"] == 2000
    assert order["payments"][0]["method"] == "gift_card"
    version = Order.objects.get().resource_version
    assert shop("PUT", "orders/1", body).status_code == 200
    assert Order.objects.get().resource_version == version


@pytest.mark.django_db
def test_a_payment_keeps_its_method_where_a_later_statement_says_none(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER | {"payments": [PAYMENT | {"method": "points"}]})
    assert shop("PUT", "orders/1", ORDER).status_code == 200
    assert Payment.objects.get().method == "points"


@pytest.mark.django_db
def test_what_was_captured_beyond_the_total_is_said(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER | {"payments": [PAYMENT, PAYMENT | {"reference": "pay-2"}]})
    assert shop("GET", "orders/1").json()["overpaid_minor"] == 3000
    edited = ORDER | {"lines": [MUG], "payments": [PAYMENT, PAYMENT | {"reference": "pay-2"}]}
    assert shop("PUT", "orders/1", edited).status_code == 200
    assert shop("GET", "orders/1").json()["overpaid_minor"] == 3500


MIGRATED = ORDER | {
    "lines": [MUG | {"refunded_before": {"quantity": 1, "amount_minor": 1000}, "tax_minor": 320}, TEA],
    "shipping_refunded_before_minor": 500,
    "payments": [PAYMENT | {"refunded_before_minor": 1500}],
}


@pytest.mark.django_db
def test_what_came_back_before_is_not_refundable_again(shop: Api) -> None:
    assert shop("PUT", "orders/1", MIGRATED).status_code == 201
    order = shop("GET", "orders/1").json()
    assert order["refund_state"] == "partially_refunded"
    assert [line["refundable"]["quantity"] for line in order["lines"]] == [1, 1]
    assert order["refundable"] == {"amount_minor": 1500, "shipping_minor": 0, "why_not": None}
    assert order["lines"][0]["refunded_before"] == {"quantity": 1, "amount_minor": 1000}
    assert (order["payments"][0]["free_minor"], order["payments"][0]["refunded_before_minor"]) == (1500, 1500)
    entry = LedgerEntry.objects.get(kind="external")
    assert (entry.amount_minor, entry.reference) == (1500, "refunded_before")
    assert shop("POST", "orders/1/refunds", {"lines": [{"sku": "MUG", "quantity": 2}]}).status_code == 409
    answer = shop("POST", "orders/1/refunds", {"lines": "all"})
    assert answer.json()["refunds"][0]["spec"]["amount_minor"] == 1500
    assert disagreements(connection.connection) == []


@pytest.mark.django_db
def test_what_came_back_before_stays_as_first_stated(shop: Api) -> None:
    shop("PUT", "orders/1", MIGRATED)
    before = stored()
    assert shop("PUT", "orders/1", MIGRATED).status_code == 200
    unmentioned = MIGRATED | {"lines": [MUG | {"tax_minor": 320}, TEA], "payments": [PAYMENT]}
    assert shop("PUT", "orders/1", unmentioned).status_code == 200
    assert stored() == before
    other = MIGRATED | {"lines": [MUG | {"refunded_before": {"quantity": 2, "amount_minor": 2000}}, TEA]}
    refused(shop("PUT", "orders/1", other), 409, "refunded_before_fixed", "lines[0].refunded_before")
    other = MIGRATED | {"payments": [PAYMENT | {"refunded_before_minor": 1}]}
    refused(shop("PUT", "orders/1", other), 409, "refunded_before_fixed", "payments[0].refunded_before_minor")
    other = MIGRATED | {"shipping_refunded_before_minor": 1}
    refused(shop("PUT", "orders/1", other), 409, "refunded_before_fixed", "shipping_refunded_before_minor")
    assert stored() == before
