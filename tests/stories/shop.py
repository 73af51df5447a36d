"""What a story sees of the product, and all of it over HTTP: a shop, its customers, their inbox, and the gateway."""

import threading
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import urllib3

from tests.processes import Stack
from tests.waiting import eventually

LANGUAGES = {"en": "Refund", "zh-Hans": "退款"}
HOME = {"name": "Ada", "street": "Hauptstr. 1", "postal_code": "10115", "city": "Berlin", "country": "DE"}
_numbers = count(1)


class Answer(NamedTuple):
    status: int
    body: Any


class Call(NamedTuple):
    """One request to the API, `path` below /api/v1."""

    method: str
    path: str
    body: Any = None
    key: str = ""
    role: str = "shop"


class Shop:
    """A client of the API with the shop's key, or that of another role, and of the sandbox's and the inbox's doors."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self._pool = urllib3.PoolManager(maxsize=40, retries=False, timeout=30)
        self._prefix = uuid.uuid4().hex[:6]

    def send(self, method: str, path: str, body: Any = None, *, key: str = "", role: str = "shop") -> Answer:
        """A request below /api/v1; `key` is its Idempotency-Key."""
        headers = self.stack.authorization(role) | ({"Idempotency-Key": key} if key else {})
        return self._http(method, f"{self.stack.base_url}/api/v1{path}", body, headers)

    def send_together(self, calls: Sequence[Call]) -> list[Answer]:
        """All of them in the same moment, answers in the same order."""
        start = threading.Barrier(len(calls))

        def one(call: Call) -> Answer:
            start.wait(timeout=10)
            return self.send(call.method, call.path, call.body, key=call.key, role=call.role)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(one, calls))

    def get(self, path: str) -> Any:
        return expect(self.send("GET", path), 200)

    def post_signed(self, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        answer = self._pool.request("POST", f"{self.stack.base_url}{path}", body=body, headers=headers)
        return Answer(answer.status, answer.data)

    def gateway(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        return expect(self._http(method, f"{self.stack.sandbox_url}/gateway{path}", body), status)

    def courier(self, method: str, path: str, body: Any = None) -> Any:
        return expect(self._http(method, f"{self.stack.sandbox_url}/courier{path}", body), 200)

    def inbox(self, path: str) -> Any:
        return expect(self._http("GET", f"{self.stack.inbox_url}{path}"), 200)

    def place_order(self, *script: Any, quantity: int = 1, locale: str = "en") -> "ShopOrder":
        """A paid order of `quantity` mugs at 10.00; the gateway answers its refunds as the script says."""
        order = self.new_order(quantity=quantity, locale=locale)
        if script:
            self.gateway("PUT", f"/scripts/{order.payment}", {"refunds": list(script)})
        expect(order.put(), 201)
        return order

    def new_order(self, *, quantity: int = 1, locale: str = "en") -> "ShopOrder":
        """One that the product does not know yet."""
        return ShopOrder(self, f"{self._prefix}-{next(_numbers)}", quantity=quantity, locale=locale)

    def _http(self, method: str, url: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        sent = {"json": body} if body is not None else {}
        answer = self._pool.request(method, url, headers=headers, **sent)
        return Answer(answer.status, answer.json() if answer.data else None)


@dataclass(frozen=True)
class ShopOrder:
    shop: Shop
    number: str
    quantity: int = 1
    locale: str = "en"

    @property
    def payment(self) -> str:
        return f"pay-{self.number}"

    @property
    def marks(self) -> tuple[str, str]:
        """What a trap is laid for (see `traps`)."""
        return self.number, self.payment

    @property
    def email(self) -> str:
        return f"{self.number}@customer.test"

    @property
    def path(self) -> str:
        return f"/orders/{self.number}"

    @property
    def total_minor(self) -> int:
        return 1000 * self.quantity

    def put(self, *, quantity: int | None = None, **facts: Any) -> Answer:
        """State the order, with another quantity than it was placed with if told, and other facts."""
        n = quantity or self.quantity
        phone = "+49151" + f"{int.from_bytes(self.number.encode()) % 10**8:08}"
        body = {
            "currency": "EUR",
            "customer": {"email": self.email, "phone": phone, "locale": self.locale},
            "lines": [{"sku": "MUG", "name": "Mug", "quantity": n, "unit_price_minor": 1000}],
            "payments": [{"gateway": "sandbox", "reference": self.payment, "captured_minor": 1000 * n}],
            "shipping_address": HOME,
        }
        return self.shop.send("PUT", self.path, body | facts)

    def look(self) -> Any:
        return self.shop.get(self.path)

    def becomes(self, refund_state: str) -> Any:
        return eventually(self.look, lambda order: order["refund_state"] == refund_state)

    def asking(self, lines: Any = "all", *, key: str = "") -> Call:
        return Call("POST", f"{self.path}/refunds", {"lines": lines}, key)

    def request_refund(self, lines: Any = "all") -> "Case":
        [case] = self.request_refunds(lines).values()
        return case

    def request_refunds(self, lines: Any = "all") -> "dict[str, Case]":
        """The refunds of one request, by their routes."""
        refunds = expect(self.shop.send(*self.asking(lines)[:3]), 202)["refunds"]
        return {refund["status"]["route"]: Case(self, refund["metadata"]["number"]) for refund in refunds}

    def gateway_refunds(self) -> list[Any]:
        return self._ledger()["refunds"]

    def sends(self) -> list[Any]:
        """Every request to pay that reached the gateway, answered or not."""
        return [call for call in self._ledger()["calls"] if call["method"] == "POST"]

    def questions(self) -> list[Any]:
        """Every look-up that reached the gateway."""
        return [call for call in self._ledger()["calls"] if call["method"] == "GET"]

    def _ledger(self) -> Any:
        return self.shop.gateway("GET", f"/ledger?reference={self.payment}")


@dataclass(frozen=True)
class Case:
    """One refund of an order."""

    order: ShopOrder
    number: str

    def look(self) -> Any:
        return self.order.shop.get(f"/refunds/{self.number}")

    def becomes(self, state: str) -> Any:
        return eventually(self.look, lambda refund: refund["status"]["state"] == state)

    def comes_to_rest(self, state: str) -> Any:
        """The state is reached, and everything the customer is owed has been sent."""
        return eventually(self.look, partial(_is_at_rest, state=state))

    def movement(self) -> Any:
        [movement] = self.look()["status"]["gateway_refunds"]
        return movement

    def trail(self) -> list[Any]:
        """The refund's events, oldest first."""
        return self.order.shop.get(f"/refunds/{self.number}/events?limit=200")["items"]

    def messages(self, channel: str) -> list[Any]:
        """Every delivery to the customer about this refund, duplicates too."""
        return [m for m in self.order.shop.inbox(f"/messages?refund={self.number}") if m["channel"] == channel]

    def told(self) -> list[str]:
        """The messages the customer was sent, as `channel: template`, sorted."""
        sent = self.look()["status"]["notifications"]
        return sorted(f"{m['channel']}: {m['template']}" for m in sent if m["state"] == "sent")


def _is_at_rest(refund: Any, *, state: str) -> bool:
    status = refund["status"]
    messages = status["notifications"]
    return status["state"] == state and bool(messages) and all(m["state"] == "sent" for m in messages)


def expect(answer: Answer, status: int) -> Any:
    """The body of an answer that has this status."""
    assert answer.status == status, answer
    return answer.body
