"""Stands behind an account that no configuration names: nothing leaves, and the refund says why it waits."""

from collections.abc import Mapping
from datetime import datetime

from workers.ports import (
    BadSignature,
    Budget,
    Capabilities,
    GatewayEvent,
    LookUp,
    Movement,
    NotSent,
    RefundListing,
    Reply,
)


class UnconfiguredGateway:
    def __init__(self, account: str) -> None:
        self.capabilities = Capabilities()
        self._why = NotSent(f"the gateway account {account} is not configured")

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        return self._why

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        return self._why

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        return self._why

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        raise BadSignature(self._why.reason)
