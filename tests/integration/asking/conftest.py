"""A shop that states orders and asks for refunds over the API, an engine that pays, and books that must be right."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from django.db import connection

from orders.models import Channel
from orders.roles import Role
from refunds.models import Refund
from tests.consistency import disagreements
from tests.integration.engine.conftest import Engine
from tests.integration.refunds_api.clients import Answer, Caller

_serial = count(1)


def line(sku: str, price: int, *, quantity: int = 1, **facts: Any) -> dict[str, Any]:
    return {"sku": sku, "name": f"The {sku}", "quantity": quantity, "unit_price_minor": price} | facts


def off(amount: int, **facts: Any) -> dict[str, Any]:
    return {"label": "Coupon", "amount_minor": amount} | facts


class Shop:
    """With one key per role, made when it is first used."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.callers: dict[Role, Caller] = {}

    def by(self, role: Role) -> Caller:
        if role not in self.callers:
            self.callers[role] = Caller(self.channel, role=role)
        return self.callers[role]

    def order(self, *lines: dict[str, Any], paid: int | None = None, **facts: Any) -> "Bought":
        """A stated order, paid as it costs unless `paid` says otherwise; `facts` as in the body."""
        bought = Bought(self, f"A-{next(_serial)}", {"currency": "EUR", "lines": [*lines]} | facts)
        if "payments" not in facts:
            minor = bought.cost if paid is None else paid
            bought.body["payments"] = [bought.payment(minor)] if minor else []
        assert bought.put().status == 201
        return bought


class Bought:
    """An order as the shop states it."""

    def __init__(self, shop: Shop, number: str, body: dict[str, Any]) -> None:
        self.shop, self.number, self.body = shop, number, body

    @property
    def cost(self) -> int:
        lines = self.body["lines"]
        price = sum(x.get("line_total_minor", x.get("unit_price_minor", 0) * x["quantity"]) for x in lines)
        price += self.body.get("shipping_minor", 0) - sum(d["amount_minor"] for d in self.body.get("discounts", ()))
        if self.body.get("prices_include_tax", True):
            return price
        return price + sum(x.get("tax_minor", 0) for x in lines) + self.body.get("shipping_tax_minor", 0)

    def payment(self, minor: int, reference: str = "", **facts: Any) -> dict[str, Any]:
        named = reference or f"pay-{self.number}"
        return {"gateway": "sandbox", "reference": named, "captured_minor": minor} | facts

    def put(self, **changes: Any) -> Answer:
        self.body |= changes
        return self._call("PUT", "", self.body)

    def get(self) -> Any:
        return self.shop.by(Role.SHOP).get(f"/orders/{self.number}").body

    def ship(self, *, delivered: bool = True) -> None:
        answer = self._call("POST", "/shipments", {})
        assert answer.status == 201, answer
        if delivered:
            self._call("POST", f"/shipments/{answer.body['id']}/delivered", {})

    def cancel(self) -> None:
        answer = self._call("POST", "/cancel", {})
        assert answer.status in (200, 202), answer

    def preview(self, body: Any, *, role: Role = Role.SHOP) -> Answer:
        return self.shop.by(role).post(f"/orders/{self.number}/refunds/preview", body)

    def ask(self, body: Any, *, role: Role = Role.SHOP, **headers: str) -> Answer:
        return self.shop.by(role).post(f"/orders/{self.number}/refunds", body, **headers)

    def refund(self, body: Any, *, role: Role = Role.SHOP) -> Any:
        """The one refund that is made, which is what the preview had promised."""
        promised = self.preview(body, role=role)
        assert promised.status == 200, promised
        made = self.ask(body, role=role)
        assert made.status == 202, made
        [refund] = made.body["refunds"]
        [part] = promised.body["refunds"]
        assert (part["route"], part["sheet"]) == (refund["status"]["route"], refund["sheet"])
        return refund

    def worth(self, body: Any) -> int:
        return self.refund(body)["spec"]["amount_minor"]

    def _call(self, method: str, path: str, body: Any) -> Answer:
        return self.shop.by(Role.SHOP).call(method, f"/orders/{self.number}{path}", json.dumps(body).encode(), {})


def units(**wanted: int) -> dict[str, Any]:
    return {"lines": [{"sku": sku, "quantity": quantity} for sku, quantity in wanted.items()]}


def entries(refund: Any) -> list[tuple[str, int]]:
    return [(entry["kind"], entry["amount_minor"]) for entry in refund["sheet"]["entries"]]


def pay(*refunds: Any) -> list[str]:
    """Let the engine carry the refunds to their end; their states."""
    numbers = [refund["metadata"]["number"] for refund in refunds]
    rows = list(Refund.objects.filter(number__in=numbers).order_by("id"))
    Engine().run(*rows)
    return [row.state for row in Refund.objects.filter(number__in=numbers).order_by("id")]


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop(Channel.objects.get(is_default=True))


@pytest.fixture(autouse=True)
def right_books(db: None) -> Iterator[None]:
    """Whatever the test did, every book agrees with every other afterwards."""
    yield
    connection.ensure_connection()
    assert disagreements(connection.connection) == []
