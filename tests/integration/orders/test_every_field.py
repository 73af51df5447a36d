"""Every field of every order call, with every odd value: a problem or an answer, never a 500.

`make test` gives each field a quarter of the values, the next field the next quarter; `make soak` all of them.
"""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from orders.models import Order
from tests.integration.orders.conftest import ORDER, Api
from tests.sizes import SOAK

pytestmark = [pytest.mark.django_db, pytest.mark.sized]

WHOLE: dict[str, Any] = ORDER | {
    "customer": ORDER["customer"] | {"reference": "c-1"},
    "labels": {"tier": "gold", "tags": ["a", 1, True, None]},
    "version": 1,
    "lines": [
        {
            "id": "l-1",
            "sku": "MUG",
            "name": "Mug",
            "quantity": 2,
            "unit_price_minor": 1000,
            "line_total_minor": 2000,
            "tax_minor": 320,
            "fulfilment": "ship",
            "labels": {"fragile": True},
            "gift_for": "l-2",
            "bundle": "b",
            "tax_rate": "19",
            "refunded_before": {"quantity": 1, "amount_minor": 100},
        },
        {"id": "l-2", "sku": "TEA", "name": "Tea", "quantity": 1, "unit_price_minor": 0},
    ],
    "prices_include_tax": True,
    "discounts": [{"label": "Ten", "amount_minor": 10, "lines": ["l-1"], "funded_by": "shop", "minimum_minor": 9}],
    "shipping_minor": 500,
    "shipping_tax_minor": 80,
    "shipping_supplement_minor": 100,
    "shipping_refunded_before_minor": 50,
    "shipping_address": {"line1": "Street 1", "country": "DE"},
    "payments": [
        {
            "gateway": "sandbox",
            "reference": "pay-1",
            "captured_minor": 2490,
            "currency": "EUR",
            "captured_at": "2026-01-01T00:00:00Z",
            "authorized_minor": 2490,
            "shared_total_minor": 2490,
            "method": "card",
            "refunded_before_minor": 150,
        }
    ],
    "non_refundable_minor": 300,
    "points_earned": 24,
    "total_minor": 2490,
    "ordered_at": "2026-01-01T00:00:00Z",
    "expected_ship_at": "2027-01-01T00:00:00Z",
    "invoice": {"number": "INV-1", "issued_at": "2026-01-01T00:00:00Z"},
    "legal_entity": "Shop GmbH",
    "tax_country": "DE",
}
PARCEL = {
    "lines": [{"id": "l-1", "quantity": 1}],
    "carrier": "DHL",
    "tracking_number": "JD1",
    "reference": "p-1",
    "left": False,
    "shipped_at": "2026-01-01T00:00:00Z",
    "delivered_at": "2026-01-02T00:00:00Z",
}
LINK = {"purpose": "refund", "expires_in": 60, "return_url": "https://shop.test/"}
ODD = [
    None,
    True,
    0,
    -1,
    1,
    1.5,
    10**15,
    2**63,
    10**40,
    "",
    " ",
    "1e3",
    "\0",
    "\ud800",
    "x" * 5000,
    "é" * 300,
    "2026-02-30T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
    [],
    [None],
    [[]],
    {},
    {"\0": "\udfff"},
]
Path = tuple[str | int, ...]


def paths(node: Any, path: Path = ()) -> Iterator[Path]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, below in children:
        yield (*path, key)
        yield from paths(below, (*path, key))


def variants(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for n, path in enumerate(paths(body)):
        for value in ODD if SOAK else ODD[n % 4 :: 4]:
            changed = copy.deepcopy(body)
            node = changed
            for step in path[:-1]:
                node = node[step]
            node[path[-1]] = value
            yield changed


def sound(response: Any, sent: Any) -> None:
    assert response.status_code in (200, 201, 409, 422), (response.status_code, sent, response.content)
    if response.status_code >= 400:
        assert response.json()["code"] and response.json()["detail"], sent


def test_putting_an_order(shop: Api) -> None:
    assert shop("PUT", "orders/whole", WHOLE).status_code == 201
    for n, body in enumerate(variants(WHOLE)):
        for payment in body["payments"] if isinstance(body["payments"], list) else []:
            if isinstance(payment, dict) and payment.get("reference") == "pay-1":
                payment["reference"] = f"pay-n-{n}"
        sound(shop("PUT", f"orders/n-{n}", body), body)
        sound(shop("PUT", "orders/whole", body | {"version": None}), body)
    for order in Order.objects.all()[:200]:
        assert shop("GET", f"orders/{order.number}").status_code == 200


def test_shipping_reporting_and_linking(shop: Api) -> None:
    many = copy.deepcopy(WHOLE) | {"discounts": [], "total_minor": None}
    many["lines"][0] |= {"quantity": 1_000_000, "unit_price_minor": 1, "line_total_minor": None, "tax_minor": 0}
    assert shop("PUT", "orders/1", many).status_code == 201
    for body in variants(PARCEL):
        sound(shop("POST", "orders/1/shipments", body), body)
    for body in variants({"occurred_at": "2026-01-01T00:00:00Z"}):
        sound(shop("POST", f"orders/1/shipments/{first_shipment(shop)}/lost", body), body)
    for body in variants(LINK):
        sound(shop("POST", "orders/1/links", body), body)
    assert shop("GET", "orders/1").status_code == 200


def first_shipment(shop: Api) -> int:
    return shop("GET", "orders/1").json()["shipments"][0]["id"]
