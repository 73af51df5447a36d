"""Stands behind an account that no configuration names: nothing leaves, and the refund says why it waits."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workers.ports import (
    BadSignature,
    Booking,
    Budget,
    Cancellation,
    Capabilities,
    CourierEvent,
    GatewayEvent,
    Interception,
    InterceptOrder,
    LookUp,
    Movement,
    NotSent,
    ParcelLookUp,
    PickupOrder,
    RefundListing,
    Reply,
    SlotListing,
)


class UnconfiguredGateway:
    """`why`: what it lacks, where there is more to say."""

    def __init__(self, account: str, why: str = "") -> None:
        self.capabilities = Capabilities(listing=False)
        self._why = NotSent(f"the gateway account {account} is not configured{why and ': '}{why}")

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        return self._why

    def void(self, movement: Movement, *, budget: Budget) -> Reply:
        return self._why

    def look_up_void(self, movement: Movement, *, budget: Budget) -> LookUp:
        return self._why

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        return self._why

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        return self._why

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        raise BadSignature(self._why.reason)


class UnconfiguredCourier:
    def __init__(self, account: str) -> None:
        self.capabilities = Capabilities()
        self._why = NotSent(f"the courier account {account or '(none is named)'} is not configured")

    def slots(self, address: Mapping[str, Any], *, budget: Budget) -> SlotListing:
        return self._why

    def book(self, order: PickupOrder, *, budget: Budget) -> Booking:
        return self._why

    def look_up(self, number: str, *, budget: Budget) -> ParcelLookUp:
        return self._why

    def cancel(self, number: str, *, waybill: str, key: str, budget: Budget) -> Cancellation:
        return self._why

    def intercept(self, order: InterceptOrder, *, budget: Budget) -> Interception:
        return self._why

    def track(self, waybill: str, *, budget: Budget) -> ParcelLookUp:
        return self._why

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[CourierEvent, ...]:
        raise BadSignature(self._why.reason)
