"""Holds at Stripe: a payment intent that is to be captured by hand, and is cancelled instead.

https://docs.stripe.com/api/payment_intents/cancel: it can be cancelled while it `requires_capture`, whole, and what was
held is given back; what was captured or cancelled already is an error. A cancelled one has no room for our number: that
it is cancelled is all there is to be found.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import stripe

from orders.currencies import STRIPE
from workers.ports import (
    ALREADY_CAPTURED,
    CANNOT_VOID,
    Accepted,
    Found,
    GatewayFact,
    GatewayStatus,
    Movement,
    Refused,
    Unknown,
)

#: What Stripe says to a cancellation that another act on the payment intent was quicker than.
OVERTAKEN = "payment_intent_unexpected_state"


class StripeHolds:
    """Raises what Stripe's library raises."""

    def __init__(self, intents: Any) -> None:
        self._intents = intents

    def end(self, movement: Movement) -> Accepted | Refused | Unknown:
        """Cancel it, if it holds what is asked for and nothing else."""
        if not _is_intent(movement):
            return Refused(CANNOT_VOID, "only a payment intent can be cancelled")
        intent = self._read(movement)
        if intent["status"] == "requires_capture" and _amount(intent) == movement.amount_minor:
            intent = self._cancel(movement)
        return _reply(intent, movement)

    def ended(self, movement: Movement) -> Found:
        """The cancellation, if it is cancelled."""
        if not _is_intent(movement):
            return Found()
        intent = self._read(movement)
        return Found((_fact(intent, movement),) if intent["status"] == "canceled" else ())

    def _cancel(self, movement: Movement) -> Mapping[str, Any]:
        options: Any = {"idempotency_key": movement.idempotency_key}
        try:
            return _row(self._intents.cancel(movement.payment_reference, options=options))
        except stripe.InvalidRequestError as error:
            if error.code != OVERTAKEN:
                raise
            return self._read(movement)

    def _read(self, movement: Movement) -> Mapping[str, Any]:
        return _row(self._intents.retrieve(movement.payment_reference))


def _is_intent(movement: Movement) -> bool:
    return movement.payment_reference.startswith("pi_")


def _row(intent: Any) -> Mapping[str, Any]:
    row: Mapping[str, Any] = intent.to_dict()
    return row


def _reply(intent: Mapping[str, Any], movement: Movement) -> Accepted | Refused | Unknown:
    status, amount_minor = intent["status"], _amount(intent)
    if status == "succeeded":
        return Refused(ALREADY_CAPTURED, "the payment intent was captured")
    if status == "processing":
        return Refused("processing", "the payment intent is being processed", retryable=True)
    if amount_minor != movement.amount_minor:
        return Refused("amount_differs", f"the payment intent is about {amount_minor}, not {movement.amount_minor}")
    if status != "canceled":
        return Refused(CANNOT_VOID, f"the payment intent is {status}: it holds nothing")
    return Accepted(_fact(intent, movement))


def _fact(intent: Mapping[str, Any], movement: Movement) -> GatewayFact:
    ended = intent.get("canceled_at")
    return GatewayFact(
        gateway_refund_id=str(intent["id"]),
        number=movement.number,
        status=GatewayStatus.SUCCEEDED,
        amount_minor=_amount(intent),
        currency=str(intent["currency"]).upper(),
        occurred_at=None if ended is None else datetime.fromtimestamp(ended, UTC),
        payment_reference=str(intent["id"]),
    )


def _amount(intent: Mapping[str, Any]) -> int:
    return STRIPE.ours(int(intent["amount"]), str(intent["currency"]).upper())
