"""The road of shipped goods, and the people on it: an agent, the warehouse, a carrier who says where parcels are.

    parcel = ship(order)
    parcel.delivered()
    road = Road(order.request_refund())
    road.agent("approve")
    road.booked()
    road.courier("collected", "received")
    road.warehouse("inspect", lines=[{"sku": "MUG", "accepted": 1}])
    road.ends("refunded")

The shop, the agent and the warehouse have keys of their own; the carrier is the sandbox's, and tells by webhook.
"""

from dataclasses import dataclass
from itertools import count
from typing import Any

from tests.stories.shop import Answer, Call, Case, ShopOrder, expect
from tests.waiting import eventually

MUG = "MUG"
_parcels = count(1)


@dataclass(frozen=True)
class Parcel:
    """A parcel on its way to the customer."""

    order: ShopOrder
    id: str
    tracking_number: str

    def delivered(self) -> None:
        """As the shop reports it."""
        path = f"{self.order.path}/shipments/{self.id}/delivered"
        assert expect(self.order.shop.send("POST", path, {}), 200)["applied"]

    def told(self, way: str, **facts: Any) -> Any:
        """As the carrier reports it, by webhook."""
        return self.order.shop.courier("POST", f"/parcels/{self.tracking_number}/{way}", facts)

    def intercepts(self) -> list[Any]:
        """What the carrier was asked to stop."""
        return self.order.shop.courier("GET", f"/ledger?waybill={self.tracking_number}")["intercepts"]


def ship(order: ShopOrder, quantity: int | None = None, *, left: bool = False) -> Parcel:
    """So many mugs leave, or all that can be shipped."""
    call = shipping(order, quantity, left=left)
    body = expect(order.shop.send(*call[:3]), 201)
    return Parcel(order, body["id"], call.body["tracking_number"])


def shipping(order: ShopOrder, quantity: int | None = None, *, left: bool = False) -> Call:
    """The shop's word that mugs leave, or (`left`) that the carrier has them already."""
    lines = {"lines": [{"sku": MUG, "quantity": quantity}]} if quantity else {}
    body = {"carrier": "DHL", "tracking_number": f"JD-{order.number}-{next(_parcels)}", "left": left}
    return Call("POST", f"{order.path}/shipments", body | lines)


def mugs(quantity: int) -> list[Any]:
    return [{"sku": MUG, "quantity": quantity}]


@dataclass(frozen=True)
class Road:
    """One refund, and what people and the courier do to it."""

    case: Case

    def act(self, action: str, role: str, **said: Any) -> Answer:
        path = f"/refunds/{self.case.number}/{action}"
        return self.case.order.shop.send("POST", path, said, role=role)

    def agent(self, action: str, **said: Any) -> Any:
        return expect(self.act(action, "support", **said), 200)

    def warehouse(self, action: str, **said: Any) -> Any:
        return expect(self.act(action, "warehouse", **said), 200)

    def approved(self, route: str) -> Any:
        """An agent finds it in review, on this route, and approves all of it."""
        assert self.case.becomes("in_review")["status"]["route"] == route
        return self.agent("approve")

    def pickup(self) -> Any:
        """The parcel home that is wanted, None before there is one."""
        return self.case.look()["status"]["pickup"]

    def booked(self) -> Any:
        """Wait for a courier to be booked."""
        return eventually(self.pickup, lambda pickup: pickup and pickup["state"] == "booked")

    def courier(self, *ways: str, **facts: Any) -> None:
        """What becomes of the parcel home, one after another, each known here before the next."""
        for way in ways:
            waybill = self.pickup()["waybill"]
            self.case.order.shop.courier("POST", f"/parcels/{waybill}/{way}", facts)
            eventually(self.pickup, lambda pickup, way=way: pickup["state"] == way)

    def fetched(self) -> None:
        """Booked, collected, in transit, received: the warehouse may look at it."""
        self.booked()
        self.courier("collected", "in_transit", "received")
        self.case.becomes("inspecting")

    def inspected(self, **found: int) -> Any:
        return self.warehouse("inspect", lines=[{"sku": MUG, **found}])

    def bookings(self) -> list[Any]:
        """Every pickup the courier has for this refund, each as it stands with him."""
        return self._ledger()["pickups"]

    def calls(self) -> list[Any]:
        """Every request about this refund that reached the courier."""
        return self._ledger()["calls"]

    def lines(self) -> list[Any]:
        return self.case.look()["spec"]["lines"]

    def movements(self) -> list[str]:
        """The numbers under which its money moves."""
        return [movement["number"] for movement in self.case.look()["status"]["gateway_refunds"]]

    def ends(self, state: str) -> Any:
        """The state is reached, and everything the customer is owed has been sent."""
        return self.case.comes_to_rest(state)

    def trail(self) -> list[str]:
        """What has happened to it, oldest first."""
        return [event["type"] for event in self.case.trail()]

    def mails(self) -> list[str]:
        """The mails about it that were sent, in order, by what they tell."""
        return self._told("email")

    def texts(self) -> list[str]:
        """The SMS about it that were sent, in order, by what they tell."""
        return self._told("sms")

    def incidents(self) -> list[str]:
        """The open cases that a person has to look at."""
        rows = self.case.order.shop.stack.query(
            "SELECT kind FROM refunds_incident incident JOIN refunds_refund refund ON refund.id = refund_id"
            " WHERE refund.number = %s AND incident.closed_at IS NULL ORDER BY kind",
            self.case.number,
        )
        return [kind for (kind,) in rows]

    def _told(self, channel: str) -> list[str]:
        messages = self.case.look()["status"]["notifications"]
        return [m["template"] for m in messages if (m["channel"], m["state"]) == (channel, "sent")]

    def _ledger(self) -> Any:
        return self.case.order.shop.courier("GET", f"/ledger?refund={self.case.number}")
