"""The stage of the whole product as shipped, with its peers, and a shop that speaks with its API."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import urllib3

from benchmarks.ground import Ground
from workers.local.children import Child
from workers.local.product import start_product

#: The sandbox and the inbox are none of the product.
PEERS = {"sandbox", "inbox"}


@dataclass(frozen=True)
class Shop:
    """A client of the API. Thread-safe."""

    base_url: str
    key: str
    prefix: str
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _pool: urllib3.PoolManager = field(
        default_factory=lambda: urllib3.PoolManager(maxsize=16, retries=False, timeout=30)
    )

    def place_order(self) -> "Answer":
        number = f"{self.prefix}-{next(self._numbers)}"
        body = {
            "currency": "EUR",
            "customer": {"email": f"{number}@customer.test", "phone": "+4915100000000"},
            "lines": [{"sku": "MUG", "name": "Mug", "quantity": 1, "unit_price_minor": 1000}],
            "payments": [{"gateway": "sandbox", "reference": f"pay-{number}", "captured_minor": 1000}],
        }
        return self._send("PUT", f"/orders/{number}", body, order=number)

    def request_refund(self, order: str) -> "Answer":
        return self._send("POST", f"/orders/{order}/refunds", {"lines": "all"}, order=order)

    def _send(self, method: str, path: str, body: Any, *, order: str) -> "Answer":
        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = self._pool.request(method, f"{self.base_url}/api/v1{path}", json=body, headers=headers)
        return Answer(order, answer.status, time.monotonic() - begun)


@dataclass(frozen=True)
class Answer:
    order: str
    status: int
    seconds: float


@dataclass(frozen=True)
class Installation:
    ground: Ground
    shop: Shop
    processes: dict[str, Child]


@contextmanager
def opened(ground: Ground, rows: Sequence[str]) -> Iterator[Installation]:
    """Web, worker and scheduler, for all of its rows; ended at the end."""
    started: dict[str, Child] = {}
    try:
        key = shop_key(ground)
        started = start_product(ground.product, ground.children)
        yield Installation(ground, Shop(ground.product.addresses.base_url, key, "by-api"), started)
    finally:
        for child in started.values():
            ground.children.kill(child)


def shop_key(ground: Ground) -> str:
    """Of the demo's shop, which is loaded once."""
    file = ground.product.home.path / "demo-shop.json"
    if not file.exists():
        ground.children.run(ground.product.manage("load_demo", "--output", str(file)))
    key: str = json.loads(file.read_text())["keys"]["shop"][0]
    return key
