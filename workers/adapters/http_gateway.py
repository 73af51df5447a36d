"""Any shop's own gateway behind the signed HTTP protocol (docs/gateways.md). The sandbox speaks it too."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from workers.adapters import wire
from workers.adapters.http_call import Answer
from workers.adapters.signed_http import SignedPeer, asked, json_object, not_done, read
from workers.ports import (
    Accepted,
    BadPayload,
    Budget,
    Capabilities,
    Found,
    GatewayEvent,
    GatewayFact,
    LookUp,
    Movement,
    RefundListing,
    RefundPage,
    Reply,
    Unknown,
)

# The protocol asks of a gateway to keep a key's answer, a refusal included, so a retry needs the next key.
DEFAULT_CAPABILITIES = Capabilities(failed_key_is_final=True)


class HttpGateway:
    """One account at a gateway that speaks the signed HTTP protocol."""

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

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        """Move the money."""
        return self._post("/refunds", movement, budget)

    def void(self, movement: Movement, *, budget: Budget) -> Reply:
        """End the hold."""
        return self._post("/voids", movement, budget)

    def _post(self, path: str, movement: Movement, budget: Budget) -> Reply:
        body = {
            "number": movement.number,
            "payment_reference": movement.payment_reference,
            "amount_minor": movement.amount_minor,
            "currency": movement.currency,
        } | ({"payee": movement.payee} if movement.payee else {})
        answer = self._peer.post(path, body, key=movement.idempotency_key, budget=budget)
        if not isinstance(answer, Answer):
            return answer
        return not_done(answer) or _accepted(answer, movement)

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        """Everything the gateway holds under our number."""
        query = {"payment_reference": payment_reference, "number": number}
        found = asked(self._peer.get("/refunds", query, budget=budget), wire.facts)
        if not isinstance(found, tuple):
            return found
        if any(fact.number != number for fact in found):
            return Unknown("the look-up answered with another number")
        return Found(found)

    def look_up_void(self, movement: Movement, *, budget: Budget) -> LookUp:
        """It stands among the refunds, under its number."""
        return self.look_up(movement.payment_reference, movement.number, budget=budget)

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        """A page of all refunds created since, oldest first."""
        query = {"since": since.isoformat(), "cursor": cursor}
        return asked(self._peer.get("/refunds", query, budget=budget), _page)

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        """Verify, then read."""
        self._peer.verify(headers, body)
        try:
            return wire.events(json_object(body))
        except (ValueError, RecursionError) as exc:
            raise BadPayload(str(exc)) from exc


def _page(data: dict[str, Any]) -> RefundPage:
    return RefundPage(wire.facts_of_page(wire.a_list(data, "refunds")), next_cursor=str(data.get("next") or ""))


def _accepted(answer: Answer, movement: Movement) -> Accepted | Unknown:
    fact = read(answer, wire.fact)
    if isinstance(fact, Unknown):
        return fact
    wrong = _differences(fact, movement)
    return Unknown(f"the answer is about another {', '.join(wrong)}") if wrong else Accepted(fact)


def _differences(fact: GatewayFact, movement: Movement) -> list[str]:
    names = ("number", "amount_minor", "currency")
    return [name for name in names if getattr(fact, name) != getattr(movement, name)]
