"""What things are found by holds nothing that nobody sees; names and notes stay as they are."""

from typing import Any

import pytest

from tests.integration.orders.conftest import ORDER, Api, refused, stored

LINE, PAYMENT = ORDER["lines"][0], ORDER["payments"][0]
#: Zero width space, direction marks, byte order mark, soft hyphen, joiner, line separator, an emoji's tag.
UNSEEN = ("\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u200d", "\u2028", "\U000e0041")


def in_an_order(text: str) -> dict[str, dict[str, Any]]:
    """By the field's path: an order with this text there."""
    discount = {"label": "Coupon", "amount_minor": 1, "lines": [text]}
    changes = {
        "lines[0].sku": {"lines": [LINE | {"sku": text}]},
        "lines[0].id": {"lines": [LINE | {"id": text}]},
        "lines[0].bundle": {"lines": [LINE | {"bundle": text}]},
        "lines[0].gift_for": {"lines": [LINE | {"gift_for": text}]},
        "discounts[0].lines[0]": {"discounts": [discount]},
        "customer.reference": {"customer": {"reference": text}},
        "payments[0].reference": {"payments": [PAYMENT | {"reference": text}]},
    }
    return {path: ORDER | change for path, change in changes.items()}


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_an_identifier_with_a_character_that_nobody_sees_is_refused(shop: Api, parcel: int, unseen: str) -> None:
    before = stored()
    for path, order in in_an_order(f"MU{unseen}G").items():
        refused(shop("PUT", "orders/1", order), 422, "forbidden_character", path)
    for name in ("carrier", "tracking_number", "reference"):
        refused(shop("POST", "orders/1/shipments", {name: f"T{unseen}1"}), 422, "forbidden_character", name)
    for name in ("sku", "id"):
        line = {name: f"MUG{unseen}", "quantity": 1}
        refused(shop("POST", "orders/1/shipments", {"lines": [line]}), 422, "forbidden_character", f"lines[0].{name}")
        refused(shop("POST", "orders/1/refunds", {"lines": [line]}), 422, "forbidden_character", f"lines[0].{name}")
    refused(shop("PUT", f"orders/2{unseen}2", ORDER), 422, "bad_number", "number")
    assert stored() == before


def test_identifiers_in_every_script_and_free_texts_are_kept(shop: Api) -> None:
    named = LINE | {"sku": "马克杯 / Tasse-№1 é", "name": "\u202eMug\u202c 👩‍🔧"}
    assert shop("PUT", "orders/甲-1", ORDER | {"lines": [named], "total_minor": 2500}).status_code == 201
    [line] = shop("GET", "orders/甲-1").json()["lines"]
    assert {name: line[name] for name in ("sku", "name")} == {name: named[name] for name in ("sku", "name")}
    parcel = {"carrier": "顺丰速运", "tracking_number": "SF 1000-2"}
    assert shop("POST", "orders/甲-1/shipments", parcel).status_code == 201
