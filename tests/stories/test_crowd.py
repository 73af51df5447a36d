"""A crowd on few orders: everybody writes at once, and in the end every book agrees with every other."""

import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.consistency import violations
from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Answer, Shop, ShopOrder
from tests.stories.webhooks import tell
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.sized]

THREADS = 32
ORDERS = 5
SECONDS = size(60)
UNITS = 40
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
AT_REST = {"refunded", "in_review", "cancelled", "failed"}


class Person:
    """One of the crowd: does this and that to any of the orders, and notes what became of it."""

    def __init__(self, shop: Shop, orders: list[ShopOrder], seed: int) -> None:
        self._shop = shop
        self._orders = orders
        self._chance = random.Random(seed)
        self.answers: Counter[tuple[str, int]] = Counter()
        self.failures: list[Answer] = []

    def act_until(self, end: float) -> None:
        acts: list[Callable[[ShopOrder], Answer]] = [
            self.ship, self.refund, self.state_anew, self.look, self.cancel_a_refund, self.tell_a_lie, self.deliver
        ]  # fmt: skip
        while time.monotonic() < end:
            act = self._chance.choices([*acts, self.cancel_order], weights=[4, 6, 3, 4, 2, 3, 2, 0.1])[0]
            answer = act(self._chance.choice(self._orders))
            self.answers[act.__name__, answer.status] += 1
            if answer.status >= 500 and not (answer.status == 503 and answer.body["code"] == "busy"):
                self.failures.append(answer)

    def ship(self, order: ShopOrder) -> Answer:
        return self._post(f"{order.path}/shipments", {"lines": [{"sku": "MUG", "quantity": 1}]})

    def refund(self, order: ShopOrder) -> Answer:
        quantity = self._chance.randint(1, 2)
        return self._post(f"{order.path}/refunds", {"lines": [{"sku": "MUG", "quantity": quantity}]})

    def cancel_order(self, order: ShopOrder) -> Answer:
        return self._post(f"{order.path}/cancel", {})

    def state_anew(self, order: ShopOrder) -> Answer:
        return order.put(quantity=UNITS + self._chance.randint(0, 40))

    def look(self, order: ShopOrder) -> Answer:
        return self._shop.send("GET", order.path)

    def cancel_a_refund(self, order: ShopOrder) -> Answer:
        answer = self.look(order)
        refunds = answer.body.get("refunds")
        return self._post(f"/refunds/{self._chance.choice(refunds)['number']}/cancel", {}) if refunds else answer

    def deliver(self, order: ShopOrder) -> Answer:
        answer = self.look(order)
        parcels = answer.body.get("shipments")
        if not parcels:
            return answer
        return self._post(f"{order.path}/shipments/{self._chance.choice(parcels)['id']}/delivered", {})

    def tell_a_lie(self, order: ShopOrder) -> Answer:
        refunds = order.gateway_refunds()
        if not refunds:
            return self.look(order)
        status = self._chance.choice(["pending", "succeeded", "failed", "reversed"])
        return tell(self._shop, self._chance.choice(refunds), payment=order.payment, status=status)

    def _post(self, path: str, body: Any) -> Answer:
        return self._shop.send("POST", path, body)


def test_a_crowd_on_few_orders_leaves_every_book_right(stack: Stack, shop: Shop):
    deadlocks = stack.query(DEADLOCKS)
    orders = [shop.place_order(quantity=UNITS) for _ in range(ORDERS)]
    people = [Person(shop, orders, seed) for seed in range(THREADS)]
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda person: person.act_until(end), people))

    assert [failure for person in people for failure in person.failures] == []
    done = sum((person.answers for person in people), Counter())
    assert min(done["ship", 201], done["refund", 202], done["state_anew", 200], done["tell_a_lie", 204]) > 0, done
    for order in orders:
        seen = eventually(order.look, lambda seen: all(refund["state"] in AT_REST for refund in seen["refunds"]))
        _agrees_with_its_refunds(seen)
        _agrees_with_the_gateway(order, seen)
    assert stack.query(DEADLOCKS) == deadlocks
    with stack.connect() as connection:
        assert violations(connection) == []


def _agrees_with_its_refunds(seen: dict[str, Any]) -> None:
    amounts: Counter[str] = Counter()
    for refund in seen["refunds"]:
        amounts[refund["state"]] += refund["amount_minor"]
    [payment], [line] = seen["payments"], seen["lines"]
    assert (payment["refunded_minor"], payment["reserved_minor"]) == (amounts["refunded"], amounts["in_review"])
    assert (line["refunded"] * 1000, line["held"] * 1000) == (amounts["refunded"], amounts["in_review"])
    assert line["shipped"] == sum(part["quantity"] for parcel in seen["shipments"] for part in parcel["lines"])
    assert seen["refund_state"] == _expected_refund_state(seen, amounts)


def _expected_refund_state(seen: dict[str, Any], amounts: Counter[str]) -> str:
    if amounts["in_review"]:
        return "refund_requested"
    if not amounts["refunded"]:
        return "none"
    return "partially_refunded" if seen["refundable"]["amount_minor"] else "refunded"


def _agrees_with_the_gateway(order: ShopOrder, seen: dict[str, Any]) -> None:
    paid = order.gateway_refunds()
    assert {refund["status"] for refund in paid} <= {"succeeded"}
    assert len({refund["number"] for refund in paid}) == len(paid)
    assert sum(refund["amount_minor"] for refund in paid) == seen["payments"][0]["refunded_minor"]
