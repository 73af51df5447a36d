"""The sandbox's courier in a story: how he is to answer about one refund, what he was asked, what he tells.

road = in_review(shop)
courier = Courier(road)
courier.answers(book=["timeout_after_success"])
road.agent("approve")
assert len(courier.sends()) == 1
courier.tells("collected", webhook_copies=3)
"""

from dataclasses import dataclass
from typing import Any

from tests.stories.road import Road, ship
from tests.stories.shop import Shop
from tests.waiting import eventually

#: A booking that only asking finds.
UNTOLD = {"behaviour": "succeed", "webhook_copies": 0}


def in_review(shop: Shop, *script: Any) -> Road:
    """A refund of delivered goods that an agent is to look at; the gateway will answer as the script says."""
    order = shop.place_order(*script)
    ship(order).delivered()
    road = Road(order.request_refund())
    road.case.becomes("in_review")
    return road


def words(shop: Shop, waybill: str, *, applied: bool = True) -> int:
    """How many of the carrier's words about a parcel have been taken in, or only stored; copies count once."""
    [(count,)] = shop.stack.query(
        "SELECT count(*) FROM refunds_inboundwebhook WHERE payload->>'waybill' = %s"
        " AND (applied_at IS NOT NULL OR NOT %s)",
        waybill,
        applied,
    )
    return count


@dataclass(frozen=True)
class Courier:
    road: Road

    @property
    def first_pickup(self) -> str:
        """The number under which he is asked first; also what a trap is laid for."""
        return f"{self.road.case.number}-P1"

    def answers(self, **script: list[Any]) -> None:
        """How he is to answer `book` and `cancel`, see docs/sandbox.md."""
        self._shop.courier("PUT", f"/scripts/{self.road.case.number}", script)

    def tells(self, way: str, *, waybill: str = "", **facts: Any) -> None:
        """By webhook, about the parcel he is fetching now if no other is named."""
        waybill = waybill or self.road.pickup()["waybill"]
        self._shop.courier("POST", f"/parcels/{waybill}/{way}", facts)

    def is_heard(self) -> None:
        """Wait until all that he told of each of his parcels by webhook has been taken in."""
        for booking in self.road.bookings():
            told = len(booking["history"])
            eventually(lambda booking=booking, told=told: words(self._shop, booking["waybill"]) == told)

    def sends(self) -> list[Any]:
        """Every request to come that reached him, answered or not."""
        return [call for call in self._asked("POST") if call["path"].endswith("/pickups")]

    def cancels(self) -> list[Any]:
        """Every request not to come."""
        return [call for call in self._asked("POST") if call["path"].endswith("/cancel")]

    def questions(self) -> list[Any]:
        """Every question what he has under our number."""
        return [call for call in self._asked("GET") if "/pickups?" in call["path"]]

    def _asked(self, method: str) -> list[Any]:
        return [call for call in self.road.calls() if call["method"] == method]

    @property
    def _shop(self) -> Shop:
        return self.road.case.order.shop
