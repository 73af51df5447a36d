"""Couriers: parcels fetched at the door, and parcels on their way out that are called back.

A parcel has one `waybill`: the courier's id of a pickup, or the tracking number of a parcel that somebody else sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from workers.ports.calls import Budget, Capabilities, NotSent, Refused, Unknown


class ParcelStatus(StrEnum):
    """Where a parcel is, in the carrier's words. Facts are ordered by the carrier's time, not by this list.

    Homeward: BOOKED until a courier COLLECTED it or MISSED the customer; RECEIVED is handed over in the warehouse,
    REFUSED is not taken by either side. Outward: IN_TRANSIT, DELIVERED to the customer, or RETURNING and RETURNED to
    the shop.
    """

    BOOKED = "booked"
    MISSED = "missed"
    COLLECTED = "collected"
    IN_TRANSIT = "in_transit"
    RECEIVED = "received"
    REFUSED = "refused"
    LOST = "lost"
    CANCELLED = "cancelled"
    RETURNING = "returning"
    RETURNED = "returned"
    DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class Slot:
    """When the courier comes: from, to (both aware). ValueError for a slot that no clock could hold."""

    starts_at: datetime
    ends_at: datetime

    def __post_init__(self) -> None:
        if None in (self.starts_at.utcoffset(), self.ends_at.utcoffset()) or self.starts_at >= self.ends_at:
            raise ValueError(f"no slot: {self.starts_at} to {self.ends_at}")


@dataclass(frozen=True, slots=True)
class PickupOrder:
    """A courier is asked to the door.

    `number` (`{refund number}-P{n}`) is ours for life and is what a look-up finds; the same `idempotency_key` with the
    same order never books a second courier. `contact` has name and phone. `slot` None: whenever the courier likes.
    `drop_off`: nobody is to come, the customer hands it in with a label.
    """

    number: str
    idempotency_key: str
    refund: str
    address: Mapping[str, Any]
    return_address: Mapping[str, Any]
    contact: Mapping[str, Any]
    parcels: int = 1
    slot: Slot | None = None
    drop_off: bool = False


@dataclass(frozen=True, slots=True)
class InterceptOrder:
    """A carrier is asked to stop a parcel on its way out. `refund` says for whom, and does not count for the key."""

    number: str
    idempotency_key: str
    refund: str
    tracking_number: str
    carrier: str = ""


@dataclass(frozen=True, slots=True)
class ParcelFact:
    """What the carrier says of one parcel at one time; `occurred_at` is the carrier's (aware).

    `number` is empty for a parcel that was not booked under one of ours, such as every outward one. `slot` is the
    one the courier keeps to; `reason` is the carrier's own text, for people. `label_url`: where the label is that the
    customer hands it in with.
    """

    number: str
    waybill: str
    status: ParcelStatus
    occurred_at: datetime
    slot: Slot | None = None
    reason: str = ""
    label_url: str = ""

    def __post_init__(self) -> None:
        """ValueError for what no row could hold: an adapter's ValueError is an unknown outcome, and is asked again."""
        texts = ((self.number, 56), (self.waybill, 100), (self.reason, 200), (self.label_url, 500))
        if self.label_url and not self.label_url.startswith(("https://", "http://")):
            raise ValueError(f"no address of a label: {self.label_url:.100}")
        if not self.waybill or any(len(text) > most or not text.isprintable() for text, most in texts):
            raise ValueError(f"no fact that could be kept: {self!r:.300}")
        if self.occurred_at.utcoffset() is None:
            raise ValueError("the carrier's time has no offset")


@dataclass(frozen=True, slots=True)
class Booked:
    """The courier has the order under our number; the status says how far (`booked`, or further on when repeated)."""

    fact: ParcelFact


@dataclass(frozen=True, slots=True)
class ParcelsFound:
    """What the courier holds. Of a look-up: the newest fact of each waybill under our number, empty when absent.
    Of tracking: everything said of one parcel, oldest first by the carrier's time, empty when it is not known."""

    facts: tuple[ParcelFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Cancelled:
    """No courier comes under this waybill any more."""

    fact: ParcelFact


@dataclass(frozen=True, slots=True)
class Intercepting:
    """The carrier will try to stop the parcel. The fact is where it stands now; only later facts tell how it ended."""

    fact: ParcelFact


SlotListing = tuple[Slot, ...] | Unknown | NotSent
Booking = Booked | Refused | Unknown | NotSent
ParcelLookUp = ParcelsFound | Unknown | NotSent
Cancellation = Cancelled | Refused | Unknown | NotSent
Interception = Intercepting | Refused | Unknown | NotSent


@dataclass(frozen=True, slots=True)
class CourierEvent:
    """One verified webhook. `event_id` is the courier's, the same for every copy; `kind` is "parcel.updated"."""

    event_id: str
    kind: str
    fact: ParcelFact


class Courier(Protocol):
    """One courier account. Methods are called from many threads at once and never raise for what a peer does."""

    @property
    def capabilities(self) -> Capabilities: ...

    def slots(self, address: Mapping[str, Any], *, budget: Budget) -> SlotListing:
        """When a courier could come to the address, soonest first; empty: nobody comes there."""
        ...

    def book(self, order: PickupOrder, *, budget: Budget) -> Booking:
        """Have a courier come. Refused: `none_available`, `bad_address`, or the courier's own code."""
        ...

    def look_up(self, number: str, *, budget: Budget) -> ParcelLookUp:
        """Everything the courier holds under our number; several waybills are possible. Changes nothing."""
        ...

    def cancel(self, number: str, *, waybill: str, key: str, budget: Budget) -> Cancellation:
        """Call a booked courier off; repeating it is safe. Refused: `already_collected`."""
        ...

    def intercept(self, order: InterceptOrder, *, budget: Budget) -> Interception:
        """Have a parcel stopped; repeating it under its key is safe, and is how an unknown outcome is settled.
        Refused: `too_late`."""
        ...

    def track(self, waybill: str, *, budget: Budget) -> ParcelLookUp:
        """All that was said of one parcel, by waybill or tracking number."""
        ...

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[CourierEvent, ...]:
        """Verify, then read. Empty: a kind the engine has no use for. Raises BadSignature or BadPayload."""
        ...
