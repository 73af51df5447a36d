"""A shop with a key, and a client that speaks JSON with it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from orders.models import Channel, IdempotencyRecord, Order, OrderLine, Payment, Principal, Shipment
from orders.roles import Role
from orders.services.keys import make_key

ORDER: dict[str, Any] = {
    "currency": "EUR",
    "customer": {"name": "Ada", "email": "ada@example.test", "phone": "+491701234567", "locale": "en"},
    "lines": [
        {"sku": "MUG", "name": "Mug", "quantity": 2, "unit_price_minor": 1000},
        {"sku": "TEA", "name": "Tea", "quantity": 1, "unit_price_minor": 500},
    ],
    "shipping_minor": 500,
    "payments": [{"gateway": "sandbox", "reference": "pay-1", "captured_minor": 3000}],
}

CALLS = {
    "put": ("PUT", "orders/1", ORDER),
    "ship": ("POST", "orders/1/shipments", {"lines": [{"sku": "MUG", "quantity": 1}], "carrier": "DHL"}),
    "fact": ("POST", "orders/1/shipments/{shipment}/delivered", {"occurred_at": "2026-01-01T00:00:00Z"}),
    "link": ("POST", "orders/1/links", {"purpose": "refund"}),
}


class Api:
    """`api("PUT", "orders/1", {...})` with one key; `raw` sends bytes as they are."""

    def __init__(self, key: str) -> None:
        self.key, self.client = key, Client(enforce_csrf_checks=True, raise_request_exception=False)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        raw = b"" if body is None else json.dumps(body).encode()
        return self.raw(method, path, raw, **headers)

    def raw(self, method: str, path: str, raw: bytes, **headers: str) -> HttpResponse:
        named = {"Authorization": f"Bearer {self.key}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        content_type = named.pop("content-type", "application/json")
        return self.client.generic(method, f"/api/v1/{path}", raw, content_type=content_type, headers=named)


MakeApi = Callable[..., Api]


@pytest.fixture
def api_of(db: None) -> MakeApi:
    """A client with a fresh key of this role, in the default channel unless others are named."""

    def make(role: Role, *channels: Channel) -> Api:
        principal = Principal.objects.create(name=role.value, role=role)
        principal.channels.set(channels or Channel.objects.filter(is_default=True))
        return Api(make_key(principal))

    return make


@pytest.fixture
def shop(api_of: MakeApi) -> Api:
    return api_of(Role.SHOP)


@pytest.fixture
def parcel(shop: Api) -> int:
    """An order with a parcel on its way; what every test must leave as it is."""
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    response = shop("POST", "orders/1/shipments", {"lines": [{"sku": "TEA", "quantity": 1}]})
    return response.json()["id"]


def refused(response: HttpResponse, status: int, code: str, field: str | None = None) -> None:
    assert response.headers["Content-Type"] == "application/problem+json", response.content
    problem = response.json()
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code), problem
    assert problem["title"] and problem["detail"]
    if field is not None:
        assert [error["field"] for error in problem["errors"]] == [field]


def stored() -> list[Any]:
    tables = (Order, OrderLine, Payment, Shipment, IdempotencyRecord)
    return [list(table.objects.order_by("id").values()) for table in tables]
