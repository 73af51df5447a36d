"""Webhooks of both gateways: verified first, then read strictly."""

import json
import time
from typing import Any

import pytest
import stripe

from workers.adapters import signing
from workers.adapters.http_gateway import HttpGateway
from workers.adapters.stripe_gateway import StripeGateway
from workers.ports import BadPayload, BadSignature, GatewayStatus

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
STRIPE_SECRET = "whsec_test_secret"
NOW = 1_790_000_000.0
REFUND = {
    "gateway_refund_id": "gr_1",
    "number": "RFX-1",
    "payment_reference": "pay-1",
    "status": "failed",
    "amount_minor": 1000,
    "currency": "EUR",
    "failure_code": "expired_card",
}
DISPUTE = {"dispute_id": "dp_1", "payment_reference": "pay-1", "amount_minor": 400, "currency": "EUR"}
STRIPE_REFUND = {
    "id": "re_1",
    "object": "refund",
    "metadata": {"number": "RFX-1"},
    "payment_intent": "pi_1",
    "charge": "ch_1",
    "status": "failed",
    "failure_reason": "expired_or_canceled_card",
    "amount": 1000,
    "currency": "eur",
    "created": 1_790_000_000,
}
STRIPE_DISPUTE = {
    "id": "du_1",
    "object": "dispute",
    "payment_intent": None,
    "charge": "ch_1",
    "amount": 500,
    "currency": "isk",
}


def http_gateway() -> HttpGateway:
    return HttpGateway("http://gateway.invalid", secret=SECRET, clock=lambda: NOW)


def parse(content: Any) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return http_gateway().parse_webhook(signing.sign(SECRET, body, message_id="evt_1", now=NOW), body)


def event(kind: str = "refund.updated", **more: Any) -> dict[str, Any]:
    return {"id": "evt_1", "type": kind, "occurred_at": "2026-12-01T10:00:00+00:00", **more}


def parse_stripe(content: Any, *, at: int | None = None, secret: str = STRIPE_SECRET) -> Any:
    payload = content if isinstance(content, str) else json.dumps(content)
    header = stripe.WebhookSignature.generate_signature_header(payload, STRIPE_SECRET, timestamp=at)
    gateway = StripeGateway("sk_test_1", webhook_secret=secret)
    return gateway.parse_webhook({"Stripe-Signature": header}, payload.encode())


def stripe_event(kind: str, row: Any) -> dict[str, Any]:
    return {"id": "evt_1", "type": kind, "created": 1_790_000_000, "data": {"object": row}}


def test_refund_event_says_all_it_knows() -> None:
    (read,) = parse(event(refund=REFUND))
    assert (read.event_id, read.kind, read.number, read.gateway_refund_id) == (
        "evt_1",
        "refund.updated",
        "RFX-1",
        "gr_1",
    )
    assert (read.status, read.failure_code) == (GatewayStatus.FAILED, "expired_card")
    assert (read.payment_reference, read.amount_minor, read.currency) == ("pay-1", 1000, "EUR")
    assert read.occurred_at.isoformat() == "2026-12-01T10:00:00+00:00"


def test_a_currency_in_small_letters_is_the_same_one() -> None:
    (read,) = parse(event(refund={**REFUND, "currency": "eur"}))
    (dispute,) = parse(event("dispute.lost", dispute={**DISPUTE, "currency": "eur"}))
    assert (read.currency, dispute.currency) == ("EUR", "EUR")


@pytest.mark.parametrize("number", ["9" * 201, "a\x00b", 7, None])
def test_a_number_that_nobody_can_keep_is_none(number: Any) -> None:
    (read,) = parse(event(refund={**REFUND, "number": number}))
    (of_stripe,) = parse_stripe(stripe_event("refund.updated", {**STRIPE_REFUND, "metadata": {"number": number}}))
    assert (read.number, read.amount_minor, of_stripe.amount_minor) == ("", 1000, 1000)
    assert of_stripe.number in ("", "7")


@pytest.mark.parametrize("kind", ["dispute.opened", "dispute.won", "dispute.lost"])
def test_dispute_event_has_no_status(kind: str) -> None:
    (read,) = parse(event(kind, dispute=DISPUTE))
    assert (read.kind, read.status, read.number, read.gateway_refund_id) == (kind, None, "", "dp_1")
    assert read.amount_minor == 400


def test_event_of_no_use_is_taken_and_says_nothing() -> None:
    assert parse(event("payout.paid")) == ()
    assert parse_stripe(stripe_event("payout.paid", {})) == ()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        {},
        event(),
        event(refund={}),
        event(refund={**REFUND, "amount_minor": -1}),
        event(refund={**REFUND, "amount_minor": 10**15 + 1}),
        event(refund={**REFUND, "amount_minor": 1e3}),
        event(refund={**REFUND, "status": "gone"}),
        event("dispute.lost", dispute=[]),
        {**event(refund=REFUND), "id": ""},
        {**event(refund=REFUND), "occurred_at": 5},
    ],
    ids=range(14),
)
def test_signed_nonsense_is_a_bad_payload(content: Any) -> None:
    with pytest.raises(BadPayload):
        parse(content)


def test_unsigned_and_old_webhooks_are_refused() -> None:
    body = json.dumps(event(refund=REFUND)).encode()
    old = signing.sign(SECRET, body, message_id="evt_1", now=NOW - 301)
    for headers in ({}, old):
        with pytest.raises(BadSignature):
            http_gateway().parse_webhook(headers, body)


@pytest.mark.parametrize("secret", ["", "whsec_"])
def test_gateway_without_a_secret_is_refused_at_once(secret: str) -> None:
    with pytest.raises(BadSignature):
        HttpGateway("http://gateway.invalid", secret=secret)


@pytest.mark.parametrize("kind", ["refund.created", "refund.updated", "refund.failed", "charge.refund.updated"])
def test_stripe_refund_events_are_read(kind: str) -> None:
    (read,) = parse_stripe(stripe_event(kind, STRIPE_REFUND))
    assert (read.kind, read.number, read.gateway_refund_id) == ("refund.updated", "RFX-1", "re_1")
    assert (read.status, read.failure_code) == (GatewayStatus.FAILED, "expired_or_canceled_card")
    assert (read.payment_reference, read.amount_minor, read.currency) == ("pi_1", 1000, "EUR")
    assert read.occurred_at.tzinfo is not None


@pytest.mark.parametrize(
    ("status", "read_as"),
    [("pending", "pending"), ("requires_action", "pending"), ("succeeded", "succeeded"), ("canceled", "failed")],
)
def test_stripe_statuses_are_translated(status: str, read_as: str) -> None:
    (read,) = parse_stripe(stripe_event("refund.updated", {**STRIPE_REFUND, "status": status}))
    assert read.status == read_as


def test_stripe_charge_with_its_refunds_becomes_one_event_each() -> None:
    rows = [{**STRIPE_REFUND, "id": name} for name in ("re_1", "re_2")]
    charge = {"id": "ch_1", "object": "charge", "payment_intent": "pi_1", "refunds": {"data": rows}}
    events = parse_stripe(stripe_event("charge.refunded", charge))
    assert [e.event_id for e in events] == ["evt_1:re_1", "evt_1:re_2"]
    assert parse_stripe(stripe_event("charge.refunded", {**charge, "refunds": None})) == ()


@pytest.mark.parametrize(
    ("kind", "status", "read_as"),
    [
        ("charge.dispute.created", "needs_response", "dispute.opened"),
        ("charge.dispute.closed", "lost", "dispute.lost"),
        ("charge.dispute.closed", "won", "dispute.won"),
        ("charge.dispute.closed", "warning_closed", "dispute.won"),
    ],
)
def test_stripe_disputes_are_read_in_our_units(kind: str, status: str, read_as: str) -> None:
    (read,) = parse_stripe(stripe_event(kind, {**STRIPE_DISPUTE, "status": status}))
    assert (read.kind, read.status, read.gateway_refund_id) == (read_as, None, "du_1")
    assert (read.payment_reference, read.amount_minor, read.currency) == ("ch_1", 5, "ISK")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        stripe_event("refund.updated", {}),
        stripe_event("refund.updated", None),
        stripe_event("refund.updated", {**STRIPE_REFUND, "status": "gone"}),
        stripe_event("refund.updated", {**STRIPE_REFUND, "amount": "1000"}),
        {"id": "evt_1", "type": "refund.updated"},
    ],
    ids=range(8),
)
def test_signed_stripe_nonsense_is_a_bad_payload(content: Any) -> None:
    with pytest.raises(BadPayload):
        parse_stripe(content)


def test_stripe_signature_is_required_and_recent() -> None:
    content = stripe_event("refund.updated", STRIPE_REFUND)
    with pytest.raises(BadSignature):
        parse_stripe(content, at=int(time.time()) - 301)
    with pytest.raises(BadSignature):
        parse_stripe(content, secret="whsec_other")
    with pytest.raises(BadSignature, match="no webhook secret"):
        parse_stripe(content, secret="")
    gateway = StripeGateway("sk_test_1", webhook_secret=STRIPE_SECRET)
    for header in ("", "garbage", "t=x,v1=y", "t=1", "v1=1", "t=1=2=3,,"):
        with pytest.raises(BadSignature):
            gateway.parse_webhook({"stripe-signature": header}, b"{}")
    with pytest.raises(BadSignature):
        gateway.parse_webhook({}, b"\xff")
