"""What is kept for the books of what a gateway tells, and what nobody may keep."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from workers.adapters import stripe_wire, wire
from workers.ports import Receipt, masked, receipt_from, redacted

REFUND: dict[str, Any] = {
    "gateway_refund_id": "gr_1",
    "number": "RF1-1-1",
    "payment_reference": "pay-1",
    "status": "succeeded",
    "amount_minor": 2900,
    "currency": "EUR",
    "created_at": "2026-11-30T23:59:58+00:00",
    "succeeded_at": "2026-12-01T00:00:03+00:00",
    "receiving_account": "card ending 0403",
    "bank_reference": "74537601234567890123456",
    "settled_minor": 3132,
    "settled_currency": "usd",
    "fee_minor": 43,
}
STRIPE: dict[str, Any] = {
    "id": "re_1",
    "object": "refund",
    "amount": 2900,
    "currency": "eur",
    "status": "succeeded",
    "created": 1692942318,
    "metadata": {"number": "RF1-1-1"},
    "payment_intent": "pi_1",
    "destination_details": {
        "type": "card",
        "card": {
            "type": "refund",
            "reference": "74537601234567890123456",
            "reference_status": "available",
            "reference_type": "acquirer_reference_number",
        },
    },
    "balance_transaction": {"id": "txn_1", "amount": -3132, "currency": "usd", "fee": 43, "created": 1692942320},
    "charge": {
        "id": "ch_1",
        "billing_details": {"name": "Anna Muster", "email": "anna@example.org"},
        "payment_method_details": {"type": "card", "card": {"brand": "visa", "last4": "0403", "exp_year": 2030}},
    },
}


def test_the_protocol_tells_all_of_it() -> None:
    told = wire.fact(REFUND).receipt
    assert (told.accepted_at, told.succeeded_at) == (
        datetime(2026, 11, 30, 23, 59, 58, tzinfo=UTC),
        datetime(2026, 12, 1, 0, 0, 3, tzinfo=UTC),
    )
    assert (told.receiving_account, told.bank_reference) == ("card ending 0403", "74537601234567890123456")
    assert (told.settled_minor, told.settled_currency, told.fee_minor) == (3132, "USD", 43)
    assert told.raw["gateway_refund_id"] == "gr_1"


def test_stripe_tells_it_by_destination_balance_and_charge() -> None:
    told = stripe_wire.fact(STRIPE).receipt
    assert (told.receiving_account, told.bank_reference) == ("Visa ending 0403", "74537601234567890123456")
    assert (told.settled_minor, told.settled_currency, told.fee_minor) == (3132, "USD", 43)
    assert told.accepted_at == datetime.fromtimestamp(1692942318, UTC)
    assert told.succeeded_at == datetime.fromtimestamp(1692942320, UTC)
    assert told.raw["charge"] == "ch_1" and "Anna" not in json.dumps(told.raw)


def test_a_stripe_webhook_expands_nothing_and_tells_the_bank_reference_alone() -> None:
    bare = {**STRIPE, "balance_transaction": "txn_1", "charge": "ch_1"}
    told = stripe_wire.fact(bare).receipt
    assert (told.bank_reference, told.receiving_account, told.settled_minor, told.fee_minor) == (
        "74537601234567890123456",
        "",
        None,
        None,
    )


@pytest.mark.parametrize(
    "nonsense",
    [
        {"succeeded_at": "yesterday"},
        {"succeeded_at": 5},
        {"settled_minor": "much"},
        {"settled_minor": -1},
        {"settled_currency": None},
        {"fee_minor": 1.5},
        {"bank_reference": {"a": 1}},
        {"receiving_account": ["x"]},
        {"created_at": None},
    ],
)
def test_nonsense_for_the_books_leaves_the_refund_what_it_is(nonsense: dict[str, Any]) -> None:
    fact = wire.fact({**REFUND, **nonsense})
    assert (fact.gateway_refund_id, fact.amount_minor) == ("gr_1", 2900)


def test_a_receipt_is_the_same_after_it_was_stored() -> None:
    told = wire.fact(REFUND).receipt
    assert receipt_from(json.loads(json.dumps(told.to_json()))) == told
    assert Receipt().to_json() == {} and receipt_from({}) == Receipt()


@pytest.mark.parametrize(
    ("account", "shown"),
    [
        ("card ending 0403", "card ending 0403"),
        ("4242424242424242", "ending 4242"),
        ("Visa 4242 4242 4242 4242", "Visa ending 4242"),
        ("DE89 3704 0044 0532 0130 00", "ending 3000"),
        ("x" * 500, "x" * 100),
    ],
)
def test_a_receiving_account_gives_no_number_away(account: str, shown: str) -> None:
    assert masked(account) == shown


PRIVATE = {
    "card": {"number": "4242424242424242", "last4": "4242", "exp_month": 12},
    "pan_in_an_odd_place": "4242-4242-4242-4242",
    "as_a_number": 4242424242424242,
    "iban_in_text": "DE89370400440532013000",
    "customer": {"name": "Anna Muster"},
    "email": "anna@example.org",
    "free_text": "Refund for Anna Muster, Hauptstr. 1",
    "client_secret": "pi_1_secret_abc",
    "token": "tok_visa",
    "other": "sk_live_abcdef",
    "mail_elsewhere": "anna@example.org",
    "odd": "anna@example.org",
}


def test_nothing_private_or_secret_is_kept_of_the_raw_answer() -> None:
    kept = json.dumps(redacted({"status": "succeeded", "amount": 2900, **PRIVATE}))
    for secret in ("4242424242424242", "4242-4242", "DE89", "Anna", "anna@", "Hauptstr", "_secret_", "tok_", "sk_live"):
        assert secret not in kept, secret
    assert json.loads(kept)["status"] == "succeeded" and json.loads(kept)["amount"] == 2900
    assert json.loads(kept)["card"]["last4"] == "4242"


def test_the_raw_answer_is_kept_up_to_a_size() -> None:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(2000):
        deep = {"deeper": deep}
    wide = {f"k{i}": {f"v{j}": "x" * 90 for j in range(100)} for i in range(100)}
    assert len(json.dumps(redacted({"id": "re_1", **wide, "deep": deep}))) < 8000
    assert redacted({"id": "re_1", **wide})["id"] == "re_1"
