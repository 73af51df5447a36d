"""Whatever is sent to the order doors: a problem with its code, nothing changed, never a 500."""

import json
from typing import Any

import pytest

from orders.models import Channel, Principal
from orders.roles import Role
from orders.services.keys import make_key
from tests.integration.orders.conftest import CALLS, ORDER, Api, MakeApi, refused, stored

LINE = ORDER["lines"][0]
BODIES = [
    (b"hello", (400, "unreadable_body")),
    (b'{"a": NaN}', (400, "unreadable_body")),
    (b'{"a": -Infinity}', (400, "unreadable_body")),
    (b'{"a": 1, "a": 2}', (400, "unreadable_body")),
    (b'{"a": "\xff"}', (400, "unreadable_body")),
    (b'{"a": "\xed\xa0\x80"}', (400, "unreadable_body")),
    (b"[" * 100_000, (400, "unreadable_body")),
    (b'{"a": ' + b"9" * 5000 + b"}", (400, "unreadable_body")),
    (b"[]", (422, "not_an_object")),
    (b"null", (422, "not_an_object")),
    (b'"text"', (422, "not_an_object")),
    (b'{"purpose": "order", "\\ud800\\u0000": 1}', (422, "unknown_field")),
    (b'{"a": "' + b"x" * 1_000_000 + b'"}', (413, "too_large")),
]

#: Valid addresses that no mail would go to.
UNWRITTEN = (
    '"quoted@at"@example.com',
    "a@[127.0.0.1]",
    '"\\"x"@example.com',
    "=?utf-8?q?x?=@example.com",
    '"a,b"@example.com',
    '"a"@example.com',
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("raw", "answered"), BODIES, ids=lambda value: repr(value)[:20])
def test_a_body_that_is_no_sound_json(shop: Api, parcel: int, call: str, raw: bytes, answered: tuple[int, str]) -> None:
    method, path, _ = CALLS[call]
    before = stored()
    response = shop.raw(method, path.format(shipment=parcel), raw)
    codes = [error["code"] for error in response.json()["errors"]]
    refused(response, answered[0], response.json()["code"] if answered[1] in codes else answered[1])
    assert stored() == before


def test_an_empty_body_where_one_is_needed(shop: Api, parcel: int) -> None:
    before = stored()
    refused(shop("PUT", "orders/1"), 400, "unreadable_body")
    refused(shop("POST", "orders/1/links"), 400, "unreadable_body")
    assert stored() == before


@pytest.mark.parametrize("call", CALLS)
def test_a_body_of_another_type(shop: Api, parcel: int, call: str) -> None:
    method, path, body = CALLS[call]
    for kind in ("text/plain", "application/json; charset=latin-1", "multipart/form-data"):
        response = shop.raw(method, path.format(shipment=parcel), json.dumps(body).encode(), content_type=kind)
        refused(response, 415, "unsupported_media_type")
    response = shop(method, path.format(shipment=parcel), body, accept="text/html")
    refused(response, 406, "not_acceptable")


KEYS = [
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "Bearer x",
    "Bearer \x00",
    "Bearer a.b",
    "Bearer " + "x" * 9000,
    "Bearer é.é",
]


@pytest.mark.parametrize("call", CALLS)
def test_keys_that_open_nothing(shop: Api, parcel: int, call: str) -> None:
    method, path, body = CALLS[call]
    before = stored()
    prefix, _, secret = shop.key.partition(".")
    for header in (*KEYS, f"Bearer {prefix}.{secret[::-1]}", f"Bearer 0000.{secret}", f"Basic {shop.key}"):
        response = shop(method, path.format(shipment=parcel), body, Authorization=header)
        refused(response, 401, "invalid_key")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
    refused(shop(method, path.format(shipment=parcel), body, Authorization=""), 401, "missing_key")
    Principal.objects.get(role=Role.SHOP).keys.update(revoked_at="2026-01-01T00:00:00Z")
    refused(shop(method, path.format(shipment=parcel), body), 401, "invalid_key")
    assert stored() == before


@pytest.mark.parametrize("call", [*CALLS, "get"])
def test_a_foreign_order_is_as_unknown_as_none(api_of: MakeApi, shop: Api, parcel: int, call: str) -> None:
    other = Channel.objects.create(slug="other", name="Other")
    foreign = api_of(Role.SHOP, other)
    method, path, body = CALLS.get(call, ("GET", "orders/1", None))
    before = stored()
    path = path.format(shipment=parcel)
    refused(foreign(method, f"{path}?channel=default", body), 404, "not_found")
    if call != "put":
        refused(foreign(method, path, body), 404, "not_found")
        refused(foreign(method, path.replace("orders/1", "orders/nope"), body), 404, "not_found")
    both = api_of(Role.SHOP, other, Channel.objects.get(is_default=True))
    refused(both(method, path, body), 422, "channel_required", "channel")
    assert stored() == before
    assert both(method, f"{path}?channel=default", body).status_code < 300


@pytest.mark.parametrize("query", ["channel=%00", "channel=", "channel=a&channel=b", "channel=%ED%A0%80"])
def test_odd_channels(shop: Api, parcel: int, query: str) -> None:
    refused(shop("GET", f"orders/1?{query}"), 422, "bad_parameter", "channel")
    refused(shop("GET", "orders/1?channel=nope"), 404, "not_found")


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é", "a\x00"])
def test_odd_idempotency_keys(shop: Api, parcel: int, key: str) -> None:
    before = stored()
    for method, path, body in list(CALLS.values())[1:]:
        response = shop(method, path.format(shipment=parcel), body, Idempotency_Key=key)
        refused(response, 422, "bad_idempotency_key", "Idempotency-Key")
    assert stored() == before


QUANTITIES = [
    (0, "too_small"),
    (-1, "too_small"),
    (1.5, "not_integer"),
    ("1e3", "not_integer"),
    (True, "not_integer"),
    (None, "null"),
    (10**30, "too_large"),
    ([], "not_integer"),
]


@pytest.mark.parametrize(("value", "code"), QUANTITIES)
def test_quantities_that_are_none(shop: Api, parcel: int, value: Any, code: str) -> None:
    before = stored()
    stated = shop("PUT", "orders/1", ORDER | {"lines": [LINE | {"quantity": value}]})
    refused(stated, 422, code, "lines[0].quantity")
    shipped = shop("POST", "orders/1/shipments", {"lines": [{"sku": "MUG", "quantity": value}]})
    refused(shipped, 422, code, "lines[0].quantity")
    assert stored() == before


@pytest.mark.parametrize(
    ("lines", "answered", "field"),
    [
        ([], (422, "empty"), "lines"),
        ([{"sku": "NO", "quantity": 1}], (422, "unknown_line"), "lines[0]"),
        ([{"sku": "MUG", "quantity": 3}], (409, "not_shippable"), "lines"),
        ([{"sku": "TEA", "quantity": 1}], (409, "not_shippable"), "lines"),
        ([{"sku": "MUG", "quantity": 1}, {"id": "MUG", "quantity": 1}], (422, "repeated"), "lines[1]"),
        ([{"quantity": 1}], (422, "line_required"), "lines[0]"),
        ([{"sku": "MUG", "id": "MUG", "quantity": 1}], (422, "line_required"), "lines[0]"),
        ([{"sku": "M\0", "quantity": 1}], (422, "forbidden_character"), "lines[0].sku"),
        ([{"sku": "\ud800", "quantity": 1}], (422, "forbidden_character"), "lines[0].sku"),
        ([{"sku": "x" * 101, "quantity": 1}], (422, "too_long"), "lines[0].sku"),
        ([{"sku": "MUG", "quantity": 1, "colour": "red"}], (422, "unknown_field"), "lines[0].colour"),
        ("all", (422, "not_a_list"), "lines"),
    ],
)
def test_lines_that_cannot_be_shipped(
    shop: Api, parcel: int, lines: Any, answered: tuple[int, str], field: str
) -> None:
    before = stored()
    refused(shop("POST", "orders/1/shipments", {"lines": lines}), *answered, field)
    assert stored() == before


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"currency": "EURO"}, "unknown_currency", "currency"),
        ({"currency": "eur"}, "unknown_currency", "currency"),
        ({"currency": "XXX"}, "unknown_currency", "currency"),
        ({"currency": "XAU"}, "unknown_currency", "currency"),
        ({"currency": "CLF"}, "unknown_currency", "currency"),
        ({"lines": []}, "empty", "lines"),
        ({"lines": [LINE | {"sku": "\0"}]}, "forbidden_character", "lines[0].sku"),
        ({"lines": [LINE | {"name": "\udfff"}]}, "forbidden_character", "lines[0].name"),
        ({"lines": [LINE | {"unit_price_minor": -1}]}, "too_small", "lines[0].unit_price_minor"),
        ({"lines": [LINE | {"unit_price_minor": 10.0}]}, "not_integer", "lines[0].unit_price_minor"),
        ({"lines": [LINE | {"fulfilment": "drone"}]}, "unknown_value", "lines[0].fulfilment"),
        ({"lines": [LINE | {"labels": {"a": "\0"}}]}, "forbidden_value", "lines[0].labels"),
        ({"shipping_minor": 2**63}, "too_large", "shipping_minor"),
        ({"version": -1}, "too_small", "version"),
        ({"version": 2**63}, "too_large", "version"),
        ({"customer": []}, "invalid", "customer"),
        ({"customer": {"email": "nobody"}}, "invalid", "customer.email"),
        ({"customer": {"email": "a@b.c\nBcc: x@y.z"}}, "forbidden_character", "customer.email"),
        *(({"customer": {"email": email}}, "invalid", "customer.email") for email in UNWRITTEN),
        ({"customer": {"email": '"a b"@example.com'}}, "invalid", "customer.email"),
        ({"customer": {"phone": "call me"}}, "malformed", "customer.phone"),
        ({"customer": {"phone": "112"}}, "malformed", "customer.phone"),
        ({"customer": {"locale": "../etc"}}, "malformed", "customer.locale"),
        ({"shipping_address": "here"}, "not_an_object", "shipping_address"),
        ({"payments": [{"gateway": "sandbox"}]}, None, None),
        ({"payments": [ORDER["payments"][0] | {"gateway": "SAND BOX"}]}, "malformed", "payments[0].gateway"),
        ({"payments": [ORDER["payments"][0] | {"captured_minor": "3000"}]}, None, "payments[0].captured_minor"),
        ({"ordered_at": "yesterday"}, "not_a_time", "ordered_at"),
        ({"prices_include_tax": "no"}, "not_boolean", "prices_include_tax"),
        ({"discounts": [{"label": "x", "amount_minor": 1, "funded_by": "me"}]}, None, "discounts[0].funded_by"),
        ({"colour": "red"}, "unknown_field", "colour"),
    ],
)
def test_orders_with_a_wrong_field(
    shop: Api, parcel: int, changes: dict[str, Any], code: str | None, field: str | None
) -> None:
    before = stored()
    response = shop("PUT", "orders/1", ORDER | changes)
    refused(response, 422, code or response.json()["code"], field)
    assert stored() == before


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "required", "purpose"),
        ({"purpose": "steal"}, "unknown_value", "purpose"),
        ({"purpose": "refund", "expires_in": 0}, "too_small", "expires_in"),
        ({"purpose": "refund", "expires_in": 10**9}, "too_large", "expires_in"),
        ({"purpose": "refund", "return_url": "javascript:alert(1)"}, "malformed", "return_url"),
        ({"purpose": "refund", "return_url": "https://shop.test\n"}, "forbidden_character", "return_url"),
        ({"purpose": "refund", "return_url": "//shop.test"}, "malformed", "return_url"),
        ({"purpose": "refund", "return_url": "https://good.test@evil.test/"}, "malformed", "return_url"),
    ],
)
def test_links_with_a_wrong_field(shop: Api, parcel: int, body: dict[str, Any], code: str, field: str) -> None:
    refused(shop("POST", "orders/1/links", body), 422, code, field)


def test_times_ahead_of_our_clock(shop: Api, parcel: int) -> None:
    before = stored()
    late = "2999-01-01T00:00:00Z"
    told = shop("POST", f"orders/1/shipments/{parcel}/delivered", {"occurred_at": late})
    refused(told, 422, "in_the_future", "occurred_at")
    refused(shop("POST", "orders/1/shipments", {"shipped_at": late}), 422, "in_the_future", "shipped_at")
    assert stored() == before


def test_chunks_that_nobody_ends_need_a_length(shop: Api, parcel: int) -> None:
    refused(shop("POST", "orders/1/shipments", transfer_encoding="chunked"), 411, "length_required")


def test_a_key_with_no_channel_sees_nothing(db: None) -> None:
    principal = Principal.objects.create(name="lost", role=Role.SHOP)
    refused(Api(make_key(principal))("GET", "orders/1"), 404, "not_found")
