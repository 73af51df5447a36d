"""The agents, the courier and the warehouse: each does what waits for him, and does it again if nothing came of it."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import urllib3

from tests.chaos.onlooker import Onlooker
from tests.chaos.plan import Purchase
from tests.stories.shop import Shop

AT_ONCE = 4
LOOK_SECONDS = 0.5
AGAIN_SECONDS = 3.0

_WAITING = """
SELECT "order".number, refund.number, refund.state, coalesce(pickup.state, ''), coalesce(pickup.waybill, '')
FROM refunds_refund refund JOIN orders_order "order" ON "order".id = refund.order_id
LEFT JOIN LATERAL (
    SELECT state, waybill FROM refunds_pickup WHERE refund_id = refund.id ORDER BY id DESC LIMIT 1
) AS pickup ON true
WHERE "order".number LIKE %s AND refund.state IN ('in_review', 'awaiting_return', 'inspecting')
"""


class People:
    def __init__(self, shop: Shop, purchases: Mapping[str, Purchase], prefix: str) -> None:
        self._shop = shop
        self._purchases = purchases
        self._prefix = prefix
        self._onlooker = Onlooker(shop.stack)
        self._done_at: dict[tuple[str, ...], float] = {}

    def work(self, stopping: threading.Event) -> None:
        with ThreadPoolExecutor(AT_ONCE, "person") as pool:
            while not stopping.wait(LOOK_SECONDS):
                list(pool.map(lambda act: act(), self._due_acts()))
        self._onlooker.close()

    def _due_acts(self) -> list[Callable[[], None]]:
        acts, now = [], time.monotonic()
        for row in self._onlooker.look(_WAITING, f"{self._prefix}-%") or []:
            act = self._act(*row)
            if act and self._done_at.get(row, float("-inf")) < now - AGAIN_SECONDS:
                self._done_at[row] = now
                acts.append(act)
        return acts

    def _act(self, order: str, refund: str, state: str, pickup: str, waybill: str) -> Callable[[], None] | None:
        match state, pickup:
            case "in_review", _:
                return lambda: self._say(refund, "approve", "support")
            case "awaiting_return", "booked":
                return lambda: self._tell(waybill, "collected")
            case "awaiting_return", "collected":
                return lambda: self._tell(waybill, "received")
            case "inspecting", _:
                lines = [{"sku": "MUG", "accepted": self._purchases[order].quantity}]
                return lambda: self._say(refund, "inspect", "warehouse", lines=lines)
        return None

    def _say(self, refund: str, action: str, role: str, **said: object) -> None:
        """An answer that is no success is met again when he looks the next time."""
        try:
            self._shop.send("POST", f"/refunds/{refund}/{action}", said, role=role)
        except urllib3.exceptions.HTTPError:
            return

    def _tell(self, waybill: str, way: str) -> None:
        self._shop.courier("POST", f"/parcels/{waybill}/{way}", {})
