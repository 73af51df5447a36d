"""What the pictures of a shop that is being removed show; see `tests.browser.screenshots`."""

import json
from itertools import count
from typing import Any

from tests.browser.customers import Customer, link_of
from tests.processes import Stack
from tests.stories.road import mugs, ship
from tests.stories.shop import Answer, Shop
from tests.waiting import eventually

_serial = count(1)
_ESTABLISHED = """
SELECT 1 FROM refunds_manifest m, jsonb_array_elements(m.conditions) c
WHERE m.name = %s AND c ->> 'type' = 'Established' AND c ->> 'status' = 'True'
"""


class ClosingShop(Shop):
    """A channel of its own, with a key, until it is closed."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack)
        self._slug = f"closing-{next(_serial)}"
        spec = {"title": "Oak & Lantern", "contact": "help@oak.example"}
        manifest = {"apiVersion": "refundry/v1", "kind": "Channel", "metadata": {"name": self._slug}, "spec": spec}
        file = stack.home.path / f"{self._slug}.json"
        file.write_text(json.dumps(manifest))
        stack.manage("apply", "-f", str(file))
        eventually(lambda: stack.query(_ESTABLISHED, self._slug))
        stack.manage("people", "add", self._slug, "--role", "shop", "--channel", self._slug)
        self._key = (stack.home.logs / "manage-people.log").read_text().splitlines()[-1]

    def send(self, method: str, path: str, body: Any = None, *, key: str = "", role: str = "shop") -> Answer:
        headers = {"Authorization": f"Bearer {self._key}"} | ({"Idempotency-Key": key} if key else {})
        return self._http(method, f"{self.stack.base_url}/api/v1{path}", body, headers)

    def closes(self) -> None:
        self.stack.manage("delete", f"channel/{self._slug}")


def _elsewhere(customer: Customer) -> tuple[Customer, ClosingShop]:
    shop = ClosingShop(customer.shop.stack)
    return Customer(shop, customer.page, customer.language), shop


def closing(customer: Customer) -> None:
    """One is refunded, one was never sent, and one too many was paid for; nothing more can be asked for."""
    here, shop = _elsewhere(customer)
    placed = here.buys(3)
    ship(placed, 1).delivered()
    placed.request_refund(mugs(1)).becomes("refunded")
    placed.put(payments=[{"gateway": "sandbox", "reference": placed.payment, "captured_minor": 3500}])
    link = link_of(placed)
    shop.closes()
    customer.page.goto(link)


def closing_form(customer: Customer) -> None:
    """Whoever knows its address, or opened it before."""
    here, shop = _elsewhere(customer)
    placed = here.buys(3)
    link = link_of(placed)
    shop.closes()
    customer.page.goto(f"{link}/refund")


SCENES = (closing, closing_form)
