"""Plays the steps of one order: each is a verb and what is said with it, in the words of docs/demo.md.

Every step may be played again: calls carry an Idempotency-Key of their own, and a parcel that was told of once is not
told of again. So a load that was interrupted goes on where it stopped.
"""

import shlex
import uuid
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote

from orders.management.demo import DemoOrder
from workers.local.demo.client import Installation, WentWrong, wait_for
from workers.local.demo.customer import Customer

STEP_SECONDS = 60.0
CARRIERS = {"CN": "SF", "JP": "Yamato", "US": "UPS"}
Said = dict[str, Any]


class Player:
    """One order. `refunds` are those asked for so far, by their routes at that time; `number` is the one in hand."""

    def __init__(self, at: Installation, order: DemoOrder, *, seconds: float = STEP_SECONDS) -> None:
        self.at = at
        self.order = order
        self.refunds: dict[str, str] = {}
        self.number = ""
        self.doing = ""
        self._seconds = seconds
        self._shipments: list[Any] = []
        self._key = ""

    def prepare(self) -> None:
        """Tell the gateway how to answer, then state the order."""
        for reference, script in zip(self.order.payments, self.order.gateway, strict=False):
            self.at.sandbox("PUT", f"/gateway/scripts/{quote(reference)}", {"refunds": script})
        self.state()

    def state(self, **labels: str) -> None:
        """The order as the shop has it, with these labels."""
        self.at.api("PUT", self._path, {**self.order.facts, "labels": labels})

    def play(self, steps: Sequence[str] | None = None) -> None:
        """The order's steps, one after another. Raises WentWrong with the step's words."""
        for index, step in enumerate(self.order.steps if steps is None else steps):
            self.doing = step
            self._key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.order.number}/{index}/{step}"))
            verb, *said = shlex.split(step)
            try:
                VERBS[verb](self, *said)
            except WentWrong as exc:
                raise WentWrong(f"{self.order.number}, {step}: {exc}") from exc

    def look(self) -> Any:
        """The refund in hand."""
        return self.at.api("GET", f"/refunds/{self.number}")

    def trail(self, number: str = "") -> list[Any]:
        """All that happened to a refund, oldest first."""
        found: list[Any] = self.at.api("GET", f"/refunds/{number or self.number}/events?limit=200")["items"]
        return found

    # --- The shop and its customer

    def ship(self, *units: str, left: bool = False) -> None:
        """So many units leave, or all that can; `left`: the carrier has them, whatever a refund holds."""
        parcel = f"{self.order.number}-{len(self._shipments) + 1}"
        country = self.order.facts["shipping_address"]["country"]
        body = {"carrier": CARRIERS.get(country, "DHL"), "tracking_number": parcel, "reference": parcel, "left": left}
        lines = {"lines": _units(units)} if units else {}
        self._shipments.append(self._post(f"{self._path}/shipments", body | lines))

    def leave(self, *units: str) -> None:
        self.ship(*units, left=True)

    def delivered(self) -> None:
        self._post(f"{self._path}/shipments/{self._shipments[-1]['id']}/delivered", {})

    def ask(self, *said: str, role: str = "shop") -> None:
        """The shop asks for its customer: for units, or for all."""
        units, named = _told(said)
        body = {"lines": _units(units) if units else "all", **named}
        answer = self._post(f"{self._path}/refunds", body, role=role)
        self._take_up(answer["refunds"])

    def phone(self, *said: str) -> None:
        """The customer has called, and an agent asks for him."""
        self.ask(*said, role="support")

    def give(self, *said: str) -> None:
        """The shop gives something back by itself: so much off prices, the `shipping`, or what was `overpaid`."""
        plain, named = _told(said)
        pairs = zip(plain[::2], plain[1::2], strict=False)
        adjusted = [{"sku": sku, "amount_minor": int(minor)} for sku, minor in pairs]
        what: Said = {"adjustments": adjusted} if adjusted else {plain[0]: True}
        answer = self._post(f"{self._path}/refunds", {**what, "initiator": "merchant", **named})
        self._take_up(answer["refunds"])

    def click(self, *said: str) -> None:
        """The customer asks for units, or for all, on his own page."""
        units, named = _told(said)
        names = {line["sku"]: line["name"] for line in self.order.facts["lines"]}
        wanted = {names[unit["sku"]]: unit["quantity"] for unit in _units(units)} or self._everything()
        url = self._post(f"{self._path}/links", {"purpose": "order"})["url"]
        request = Customer(self.at, url).ask(wanted, **named)
        refunds = self.at.api("GET", f"/refunds?order={quote(self.order.number)}")["items"]
        self._take_up([refund for refund in refunds if refund["metadata"]["request"] == request])

    def on(self, route: str) -> None:
        """Take up another refund of the request."""
        self.number = self.refunds[route]

    # --- People

    def approve(self, *said: str) -> None:
        units, named = _told(said)
        self.reaches("in_review")
        self._act("approve", {**({"lines": _units(units)} if units else {}), **named}, role="support")

    def reject(self, reason: str) -> None:
        self.reaches("in_review")
        self._act("reject", {"reason": reason}, role="support")

    def offer(self, amount_minor: str, note: str) -> None:
        self.reaches("in_review")
        self._act("offer", {"amount_minor": int(amount_minor), "note": note}, role="support")

    def hold(self) -> None:
        self.reaches("in_review")
        self._act("hold", {}, role="support")

    def cancel(self) -> None:
        self._act("cancel", None)

    def posted(self, carrier: str, tracking_number: str) -> None:
        self._act("ship_back", {"carrier": carrier, "tracking_number": tracking_number})

    def inspect(self, sku: str, *found: str) -> None:
        self.reaches("inspecting")
        counted = {name: int(count) for name, count in _told(found)[1].items()}
        self._act("inspect", {"lines": [{"sku": sku, **counted}]}, role="warehouse")

    def retry(self) -> None:
        self.reaches("failed")
        self._act("retry", None, role="finance")

    def close(self, note: str) -> None:
        self._act("close", {"note": note}, role="finance")

    # --- The courier

    def courier(self, *answers: str) -> None:
        """How the courier answers bookings for this refund."""
        self.at.sandbox("PUT", f"/courier/scripts/{self.number}", {"book": list(answers)})

    def booked(self) -> None:
        """A courier is to come, for the first time or again."""
        self._wait("a courier is booked", lambda: self._times("pickup.booked") > self._times("pickup.missed"))

    def parcel(self, *ways: str) -> None:
        """What becomes of the parcel home, each known to the product before the next."""
        for way in ways:
            if not self._times(f"pickup.{way}"):
                self.booked()
                self._move(self.look()["status"]["pickup"]["waybill"], way)
                self._happens(f"pickup.{way}")

    def carrier(self, *ways: str) -> None:
        """What becomes of the parcel that is on its way to the customer; it is stopped before."""
        self._happens("intercept.accepted")
        for way in ways:
            if not self._times(f"shipment.{way}"):
                self._move(self._shipments[-1]["tracking_number"], way)
                self._happens(f"shipment.{way}")

    # --- What must come about

    def reaches(self, state: str) -> None:
        """The refund has been in this state, now or before."""
        self._happens(f"refund.{state}")

    def pending(self) -> None:
        self._happens("gateway_refund.pending")

    def ends(self, state: str) -> None:
        """It is in this state, and everything the customer is owed has been sent."""
        self._wait(f"refund {state}, and its messages sent", lambda: _rests(self.look(), state))

    def gets(self, *amounts: str) -> None:
        """The gateway moved these amounts on all payments, and nothing beside."""
        ledgers = [self.at.sandbox("GET", f"/gateway/ledger?reference={quote(p)}") for p in self.order.payments]
        moved = sorted(r["amount_minor"] for ledger in ledgers for r in ledger["refunds"] if r["status"] == "succeeded")
        if moved != sorted(map(int, amounts)):
            raise WentWrong(f"the gateway moved {moved}")

    def told(self, *templates: str) -> None:
        """These mails were sent about the refund, in this order."""
        sent = [m["template"] for m in self.look()["status"]["notifications"] if m["channel"] == "email"]
        if sent != list(templates):
            raise WentWrong(f"the customer was sent {sent}")

    # --- How

    @cached_property
    def _path(self) -> str:
        return f"/orders/{quote(self.order.number)}"

    def _take_up(self, refunds: list[Any]) -> None:
        in_order = sorted(refunds, key=lambda refund: int(refund["metadata"]["number"].rpartition("-")[2]))
        self.refunds = {refund["status"]["route"]: refund["metadata"]["number"] for refund in in_order}
        self.number = next(iter(self.refunds.values()))

    def _everything(self) -> dict[str, int]:
        """Of each line what can be refunded, by its name."""
        lines = self.at.api("GET", self._path)["lines"]
        return {line["name"]: line["refundable"]["quantity"] for line in lines}

    def _post(self, path: str, body: Said | None, *, role: str = "shop") -> Any:
        return self.at.api("POST", path, body, role=role, key=self._key)

    def _act(self, action: str, body: Said | None, *, role: str = "shop") -> None:
        self._post(f"/refunds/{self.number}/{action}", body, role=role)

    def _wait(self, what: str, look: Callable[[], Any]) -> Any:
        return wait_for(what, look, seconds=self._seconds)

    def _happens(self, event: str) -> None:
        """It is in the refund's trail, now or before."""
        self._wait(event, lambda: self._times(event))

    def _times(self, event: str) -> int:
        return sum(each["type"] == event for each in self.trail())

    def _move(self, waybill: str, way: str) -> None:
        self.at.sandbox("POST", f"/courier/parcels/{quote(waybill)}/{way}")


VERBS: dict[str, Callable[..., None]] = {
    "leaves": Player.leave,
    "gives": Player.give,
    **{verb.__name__: verb for verb in (
        Player.ship, Player.delivered, Player.ask, Player.phone, Player.click, Player.on, Player.approve, Player.reject,
        Player.offer, Player.hold, Player.cancel, Player.posted, Player.inspect, Player.retry, Player.close,
        Player.courier, Player.booked, Player.parcel, Player.carrier, Player.reaches, Player.pending, Player.ends,
        Player.gets, Player.told,
    )},
}  # fmt: skip


def _told(said: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Units first, then what is named: MUG 2 reason=damaged."""
    plain = [word for word in said if "=" not in word]
    return plain, dict(word.split("=", 1) for word in said if "=" in word)


def _units(words: Sequence[str]) -> list[Said]:
    return [{"sku": sku, "quantity": int(n)} for sku, n in zip(words[::2], words[1::2], strict=True)]


def _rests(refund: Any, state: str) -> bool:
    status = refund["status"]
    return status["state"] == state and all(message["state"] == "sent" for message in status["notifications"])
