"""Stripe's refunds, errors and events in the engine's words. Pure: dictionaries in, values out."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import stripe

from orders.currencies import STRIPE
from workers.adapters.http_call import retry_after
from workers.adapters.signed_http import OUR_FAULT
from workers.adapters.stripe_receipts import receipt
from workers.adapters.wire import a_number, readable
from workers.ports import NO_CURRENCY, GatewayEvent, GatewayFact, GatewayStatus, Refused, Unknown

NUMBER = "number"
STATUSES = {
    "pending": GatewayStatus.PENDING,
    "requires_action": GatewayStatus.PENDING,
    "succeeded": GatewayStatus.SUCCEEDED,
    "failed": GatewayStatus.FAILED,
    "canceled": GatewayStatus.FAILED,
}
CODES = {"balance_insufficient": "insufficient_funds"}
REFUND_EVENTS = ("refund.created", "refund.updated", "refund.failed", "charge.refund.updated")
DISPUTE_OPENED = "charge.dispute.created"
DISPUTE_CLOSED = "charge.dispute.closed"
DISPUTE_OUTCOMES = {"won": "dispute.won", "warning_closed": "dispute.won", "lost": "dispute.lost"}
# Answers that leave open whether the call, or another one under this key, was carried out.
OPEN_STATUSES = (408, 409, 425)


def fact(refund: Mapping[str, Any]) -> GatewayFact:
    """One refund object. Raises ValueError, KeyError or TypeError when it is none."""
    currency = str(refund["currency"]).upper()
    return GatewayFact(
        gateway_refund_id=str(refund["id"]),
        number=number_of(refund),
        status=STATUSES[refund["status"]],
        amount_minor=STRIPE.ours(_whole(refund["amount"]), currency),
        currency=currency,
        failure_code=str(refund.get("failure_reason") or ""),
        occurred_at=_moment(refund.get("created")),
        payment_reference=payment_of(refund),
        receipt=receipt(refund),
    )


def facts_of_page(rows: Iterable[Any]) -> tuple[GatewayFact, ...]:
    """The refunds in a list of all."""
    trifles = {"created": None, "failure_reason": None}
    return readable(rows, fact, trifles=trifles, amounts={"amount": 0, "currency": NO_CURRENCY})


def number_of(refund: Mapping[str, Any]) -> str:
    """Our number in the metadata of a refund; empty when somebody else made it. Raises KeyError for no refund."""
    return a_number(str((refund["metadata"] or {}).get(NUMBER) or ""))


def payment_of(row: Mapping[str, Any]) -> str:
    """The payment intent a refund, charge or dispute is about, else the charge."""
    for value in (row.get("payment_intent"), row.get("charge")):
        if value:
            return str(value["id"] if isinstance(value, Mapping) else value)
    return str(row["id"]) if row.get("object") == "charge" else ""


def refusal(exc: stripe.StripeError) -> Refused | Unknown:
    """What an error answer means for money."""
    status, message = exc.http_status or 0, str(exc.user_message or exc)[:300]
    if status >= 500:
        return Unknown(f"HTTP {status}", answered=True)
    if status == 429 or isinstance(exc, stripe.RateLimitError):
        headers = {name.lower(): value for name, value in (exc.headers or {}).items()}
        return Refused("rate_limited", message, retryable=True, retry_after=retry_after(headers))
    if isinstance(exc, stripe.IdempotencyError) or status in OPEN_STATUSES or not 400 <= status < 500:
        return Unknown(f"HTTP {status}: {message}")
    code = CODES.get(exc.code or "", exc.code or f"http_{status}")
    return Refused(code, message, retryable=status in OUR_FAULT)


def events(event: Mapping[str, Any]) -> tuple[GatewayEvent, ...]:
    """What an event says; empty for a type the engine has no use for. Raises as `fact` does."""
    kind, row = event["type"], event["data"]["object"]
    if kind in REFUND_EVENTS:
        return (_refund_event(event, fact(row)),)
    if kind == "charge.refunded":
        return _charge_events(event, row)
    if kind == DISPUTE_OPENED:
        return (_dispute_event(event, row, "dispute.opened"),)
    if kind == DISPUTE_CLOSED and row.get("status") in DISPUTE_OUTCOMES:
        return (_dispute_event(event, row, DISPUTE_OUTCOMES[row["status"]]),)
    return ()


def _charge_events(event: Mapping[str, Any], charge: Mapping[str, Any]) -> tuple[GatewayEvent, ...]:
    """The charge's refunds where the event carries them; newer API versions do not, `refund.*` events tell there."""
    refunds = (charge.get("refunds") or {}).get("data") or ()
    facts = [fact({"payment_intent": charge.get("payment_intent"), **refund}) for refund in refunds]
    return tuple(_refund_event({**event, "id": f"{event['id']}:{each.gateway_refund_id}"}, each) for each in facts)


def _refund_event(event: Mapping[str, Any], refund: GatewayFact) -> GatewayEvent:
    return GatewayEvent(
        event_id=str(event["id"]),
        kind="refund.updated",
        payment_reference=refund.payment_reference,
        number=refund.number,
        gateway_refund_id=refund.gateway_refund_id,
        status=refund.status,
        amount_minor=refund.amount_minor,
        currency=refund.currency,
        occurred_at=_moment(event.get("created")),
        failure_code=refund.failure_code,
        receipt=refund.receipt,
    )


def _dispute_event(event: Mapping[str, Any], dispute: Mapping[str, Any], kind: str) -> GatewayEvent:
    currency = str(dispute["currency"]).upper()
    return GatewayEvent(
        event_id=str(event["id"]),
        kind=kind,
        payment_reference=payment_of(dispute),
        number="",
        gateway_refund_id=str(dispute["id"]),
        status=None,
        amount_minor=STRIPE.ours(_whole(dispute["amount"]), currency),
        currency=currency,
        occurred_at=_moment(event.get("created")),
    )


def _moment(seconds: Any) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("an amount is not a whole number")
    return value
