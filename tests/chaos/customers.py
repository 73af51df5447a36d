"""Clients of the API as they must be written: what was not answered is asked again, under the same key."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import urllib3

from tests.chaos.plan import Purchase
from tests.stories.shop import HOME, Answer, Shop, expect

AT_ONCE = 6
PAUSE_SECONDS = 0.2


class TimeUp(Exception):
    """The run is over before everything was asked."""


class Customers:
    """Place every order, ship half of them, and ask for the money of all."""

    def __init__(self, shop: Shop, stopping: threading.Event) -> None:
        self._shop = shop
        self._stopping = stopping
        self.repeated = 0

    def ask_for_everything(self, purchases: Iterable[Purchase]) -> None:
        with ThreadPoolExecutor(AT_ONCE, "customer") as pool:
            for asked in [pool.submit(self._ask, purchase) for purchase in purchases]:
                asked.result()

    def _ask(self, purchase: Purchase) -> None:
        path = f"/orders/{purchase.number}"
        expect(self._until_answered(lambda: self._shop.send("PUT", path, _order(purchase))), 201)
        if purchase.delivered:
            parcel = _parcel(purchase)
            expect(self._until_answered(lambda: self._shop.send("POST", f"{path}/shipments", parcel, key="ship")), 201)
        wish = {"lines": "all"}
        expect(self._until_answered(lambda: self._shop.send("POST", f"{path}/refunds", wish, key="click")), 202)

    def _until_answered(self, ask: Callable[[], Answer]) -> Answer:
        while not self._stopping.is_set():
            try:
                answer = ask()
            except urllib3.exceptions.HTTPError:
                answer = Answer(0, None)
            if 0 < answer.status < 500 and not _is_still_at_work(answer):
                return answer
            self.repeated += 1
            time.sleep(PAUSE_SECONDS)
        raise TimeUp


def _is_still_at_work(answer: Answer) -> bool:
    return answer.status == 409 and answer.body["code"] == "idempotency_key_in_use"


def _order(purchase: Purchase) -> dict:
    total = purchase.amount_minor
    return {
        "currency": "EUR",
        "customer": {"email": f"{purchase.number}@customer.test", "phone": "+4915112345678"},
        "lines": [
            {"sku": "MUG", "name": "Mug", "quantity": purchase.quantity, "unit_price_minor": purchase.price_minor}
        ],
        "payments": [{"gateway": "sandbox", "reference": purchase.payment, "captured_minor": total}],
        "shipping_address": HOME,
    }


def _parcel(purchase: Purchase) -> dict:
    """It has arrived already."""
    return {
        "carrier": "DHL",
        "tracking_number": f"JD-{purchase.number}",
        "delivered_at": datetime.now(UTC).isoformat(),
    }
