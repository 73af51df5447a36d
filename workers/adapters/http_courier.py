"""Any courier behind the signed HTTP protocol (docs/couriers.md): a bridge to a carrier, or the sandbox."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from workers.adapters import courier_wire
from workers.adapters.http_call import Answer
from workers.adapters.signed_http import Reading, SignedPeer, T, asked, json_object, not_done, read
from workers.ports import (
    BadPayload,
    Booked,
    Booking,
    Budget,
    Cancellation,
    Cancelled,
    Capabilities,
    CourierEvent,
    Intercepting,
    Interception,
    InterceptOrder,
    NotSent,
    ParcelFact,
    ParcelLookUp,
    ParcelsFound,
    ParcelStatus,
    PickupOrder,
    Refused,
    SlotListing,
    Unknown,
)

# The protocol asks of a courier to keep a key's answer, a refusal included, so a retry needs the next key.
DEFAULT_CAPABILITIES = Capabilities(failed_key_is_final=True)
#: Under these codes a 409 is a definite no, where else it leaves open what became of the key.
CONFLICTS = ("none_available", "bad_address", "already_collected", "too_late")
UNKNOWN_PARCEL = "unknown_parcel"


class HttpCourier:
    """One account at a courier that speaks the signed HTTP protocol."""

    def __init__(
        self,
        base_url: str,
        *,
        secret: str,
        capabilities: Capabilities = DEFAULT_CAPABILITIES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.capabilities = capabilities
        self._peer = SignedPeer(base_url, secret=secret, clock=clock)

    def slots(self, address: Mapping[str, Any], *, budget: Budget) -> SlotListing:
        """When a courier could come to the address."""
        query = {name: str(address.get(name) or "") for name in ("postal_code", "country")}
        return asked(self._peer.get("/slots", query, budget=budget), courier_wire.slots)

    def book(self, order: PickupOrder, *, budget: Budget) -> Booking:
        """Have a courier come."""
        body = courier_wire.pickup_body(order)
        answer = self._peer.post("/pickups", body, key=order.idempotency_key, budget=budget)
        fact = _done(answer, courier_wire.fact)
        if not isinstance(fact, ParcelFact):
            return fact
        return Booked(fact) if fact.number == order.number else _another("number")

    def look_up(self, number: str, *, budget: Budget) -> ParcelLookUp:
        """Everything the courier holds under our number."""
        found = asked(self._peer.get("/pickups", {"number": number}, budget=budget), courier_wire.facts)
        if not isinstance(found, tuple):
            return found
        return ParcelsFound(found) if all(fact.number == number for fact in found) else _another("number")

    def cancel(self, number: str, *, waybill: str, key: str, budget: Budget) -> Cancellation:
        """Call a booked courier off."""
        path = f"/pickups/{quote(waybill, safe='')}/cancel"
        fact = _done(self._peer.post(path, {"number": number}, key=key, budget=budget), courier_wire.fact)
        if not isinstance(fact, ParcelFact):
            return fact
        if (fact.number, fact.waybill) != (number, waybill):
            return _another("number or waybill")
        return Cancelled(fact) if fact.status == ParcelStatus.CANCELLED else _another("status")

    def intercept(self, order: InterceptOrder, *, budget: Budget) -> Interception:
        """Have a parcel stopped on its way out."""
        body = courier_wire.intercept_body(order)
        told = _done(
            self._peer.post("/intercepts", body, key=order.idempotency_key, budget=budget), courier_wire.intercept
        )
        if not isinstance(told, tuple):
            return told
        number, fact = told
        if (number, fact.waybill) != (order.number, order.tracking_number):
            return _another("number or tracking number")
        return Intercepting(fact)

    def track(self, waybill: str, *, budget: Budget) -> ParcelLookUp:
        """All that was said of one parcel."""
        answer = self._peer.get(f"/parcels/{quote(waybill, safe='')}", {}, budget=budget)
        refusal = not_done(answer) if isinstance(answer, Answer) else None
        if isinstance(refusal, Refused) and refusal.code == UNKNOWN_PARCEL:
            return ParcelsFound()
        found = asked(answer, courier_wire.history)
        if not isinstance(found, tuple):
            return found
        return ParcelsFound(found) if all(fact.waybill == waybill for fact in found) else _another("waybill")

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[CourierEvent, ...]:
        """Verify, then read."""
        self._peer.verify(headers, body)
        try:
            return courier_wire.events(json_object(body))
        except (ValueError, RecursionError) as exc:
            raise BadPayload(str(exc)) from exc


def _done(answer: Answer | Unknown | NotSent, reading: Reading[T]) -> T | Refused | Unknown | NotSent:
    """What became of a call that was to change something."""
    if not isinstance(answer, Answer):
        return answer
    refusal = not_done(answer, conflicts=CONFLICTS)
    return read(answer, reading) if refusal is None else refusal


def _another(what: str) -> Unknown:
    return Unknown(f"the answer is about another {what}")
