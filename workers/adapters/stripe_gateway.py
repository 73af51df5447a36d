"""Stripe, by its official library. Our number is in each refund's metadata, which is what a look-up finds."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import stripe

from orders.currencies import STRIPE
from workers.adapters import stripe_wire
from workers.adapters.signed_http import json_object
from workers.adapters.stripe_holds import StripeHolds
from workers.adapters.stripe_receipts import EXPANDED
from workers.adapters.stripe_transport import CallLost, DeadlineTransport
from workers.adapters.wire import NONSENSE
from workers.ports import (
    Accepted,
    BadPayload,
    BadSignature,
    Budget,
    Capabilities,
    Found,
    GatewayEvent,
    LookUp,
    Movement,
    NotSent,
    RefundListing,
    RefundPage,
    Refused,
    Reply,
    Unknown,
)

PAGE = 100
TOLERANCE_SECONDS = 300
# Stripe answers a key with what it first answered, errors included, for at least a day.
CAPABILITIES = Capabilities(failed_key_is_final=True, key_lifetime_seconds=86_400, voids=True)

T = TypeVar("T")


class StripeGateway:
    """One Stripe account. `base_url` is set where it is not Stripe's own (tests, a proxy)."""

    def __init__(
        self, api_key: str, *, webhook_secret: str, base_url: str = "", capabilities: Capabilities = CAPABILITIES
    ) -> None:
        self.capabilities = capabilities
        self._webhook_secret = webhook_secret
        self._transport = DeadlineTransport()
        client = stripe.StripeClient(
            api_key,
            http_client=self._transport,
            max_network_retries=0,
            base_addresses={"api": base_url.rstrip("/")} if base_url else {},
        )
        self._refunds = client.v1.refunds
        self._holds = StripeHolds(client.v1.payment_intents)

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        """Move the money."""
        try:
            params: Any = {
                **_payment(movement.payment_reference),
                "amount": STRIPE.theirs(movement.amount_minor, movement.currency),
                "metadata": {stripe_wire.NUMBER: movement.number},
                "expand": list(EXPANDED),
            }
        except ValueError as exc:
            return Refused("amount_not_expressible", str(exc))
        options: Any = {"idempotency_key": movement.idempotency_key}
        return self._within(budget, lambda: _accepted(self._refunds.create(params, options), movement))

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        """All refunds of the payment that carry our number."""

        def found() -> Found:
            refunds = self._all(_payment(payment_reference))
            return Found(tuple(stripe_wire.fact(r) for r in refunds if stripe_wire.number_of(r) == number))

        return _never_refused(self._within(budget, found))

    def void(self, movement: Movement, *, budget: Budget) -> Reply:
        """Cancel the payment intent."""
        return self._within(budget, lambda: self._holds.end(movement))

    def look_up_void(self, movement: Movement, *, budget: Budget) -> LookUp:
        """Whether the payment intent is cancelled."""
        return _never_refused(self._within(budget, lambda: self._holds.ended(movement)))

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        """A page of all refunds created since, newest first as Stripe lists them."""
        query = {"created": {"gte": int(since.timestamp())}, **({"starting_after": cursor} if cursor else {})}

        def page() -> RefundPage:
            rows, more = self._page(query)
            return RefundPage(stripe_wire.facts_of_page(rows), next_cursor=str(rows[-1]["id"]) if more else "")

        return _never_refused(self._within(budget, page))

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        """Verify, then read."""
        self._verify({name.lower(): value for name, value in headers.items()}.get("stripe-signature", ""), body)
        try:
            return stripe_wire.events(json_object(body))
        except (*NONSENSE, RecursionError) as exc:
            raise BadPayload(f"{type(exc).__name__}: {exc}") from exc

    def _verify(self, signature: str, body: bytes) -> None:
        if not self._webhook_secret:
            raise BadSignature("the account has no webhook secret")
        try:
            stripe.WebhookSignature.verify_header(
                body.decode("utf-8"), signature, self._webhook_secret, TOLERANCE_SECONDS
            )
        except (stripe.SignatureVerificationError, UnicodeDecodeError) as exc:
            raise BadSignature(str(exc)) from exc

    def _within(self, budget: Budget, call: Callable[[], T]) -> T | Refused | Unknown | NotSent:
        with self._transport.within(budget):
            try:
                return call()
            except CallLost as exc:
                return exc.reply
            except stripe.StripeError as exc:
                return stripe_wire.refusal(exc)
            except NONSENSE as exc:
                return Unknown(f"the answer makes no sense: {type(exc).__name__} {exc}"[:300])

    def _all(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        rows, more = self._page(query)
        while more:
            page, more = self._page({**query, "starting_after": rows[-1]["id"]})
            rows += page
        return rows

    def _page(self, query: Mapping[str, Any]) -> tuple[list[dict[str, Any]], bool]:
        params: Any = {"limit": PAGE, "expand": [f"data.{name}" for name in EXPANDED], **query}
        answer = self._refunds.list(params).to_dict()
        return answer["data"], bool(answer.get("has_more")) and bool(answer["data"])


def _payment(reference: str) -> dict[str, str]:
    return {"payment_intent" if reference.startswith("pi_") else "charge": reference}


def _accepted(refund: stripe.Refund, movement: Movement) -> Accepted | Unknown:
    fact = stripe_wire.fact(refund.to_dict())
    names = ("number", "amount_minor", "currency")
    wrong = [name for name in names if getattr(fact, name) != getattr(movement, name)]
    return Unknown(f"the answer is about another {', '.join(wrong)}") if wrong else Accepted(fact)


def _never_refused(reply: T | Refused | Unknown | NotSent) -> T | Unknown | NotSent:
    if isinstance(reply, Refused):
        return Unknown(f"the look-up was refused: {reply.code} {reply.message}"[:300])
    return reply
