"""What Stripe tells the books of a refund. Pure; the fields are those of its API reference, "The Refund object".

`destination_details` has a reference for the customer's bank, which comes some days later; the balance transaction and
the charge are there where the call asked to expand them, which a webhook cannot.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from orders.currencies import STRIPE
from workers.adapters.wire import a_count, told
from workers.ports import Receipt, masked, redacted, reference

#: To be expanded in whatever answers with refunds.
EXPANDED = ("balance_transaction", "charge")
_BRANDS = {"amex": "American Express", "jcb": "JCB", "unionpay": "UnionPay"}


def receipt(refund: Mapping[str, Any]) -> Receipt:
    """Of one refund object; `created` of a refund that has succeeded is when its money moved on Stripe's side."""
    settled_minor, currency, fee_minor = told(lambda: _settled(refund)) or (None, "", None)
    created = told(lambda: datetime.fromtimestamp(refund["created"], UTC))
    return Receipt(
        accepted_at=created,
        succeeded_at=told(lambda: _moved_at(refund)),
        receiving_account=masked(told(lambda: _account(refund)) or ""),
        bank_reference=reference(told(lambda: _bank_reference(refund)) or ""),
        settled_minor=settled_minor,
        settled_currency=currency,
        fee_minor=fee_minor,
        raw=redacted({**refund, **{name: _id(refund.get(name)) for name in EXPANDED}}),
    )


def _settled(refund: Mapping[str, Any]) -> tuple[int | None, str, int | None]:
    """A refund is a negative movement of the balance, in the currency of the account."""
    moved = refund["balance_transaction"]
    currency = str(moved["currency"]).upper()
    amount = a_count(abs(moved["amount"]))
    return STRIPE.ours(amount or 0, currency), currency, STRIPE.ours(a_count(moved.get("fee") or 0) or 0, currency)


def _moved_at(refund: Mapping[str, Any]) -> datetime | None:
    """When it left the balance, as far as it has succeeded."""
    if refund["status"] != "succeeded":
        return None
    return datetime.fromtimestamp(refund["balance_transaction"]["created"], UTC)


def _account(refund: Mapping[str, Any]) -> str:
    """The card or account of the charge, where the money goes back to."""
    details = refund["charge"]["payment_method_details"]
    kind = str(details["type"])
    within = details[kind]
    name = _BRANDS.get(str(within.get("brand") or ""), str(within.get("brand") or kind.replace("_", " ")).capitalize())
    return f"{name} ending {within['last4']}" if within.get("last4") else name


def _bank_reference(refund: Mapping[str, Any]) -> str:
    details = refund["destination_details"]
    return str(details[details["type"]].get("reference") or "")


def _id(value: Any) -> Any:
    return value.get("id") if isinstance(value, Mapping) else value
