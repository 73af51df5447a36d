"""What the gateway tells the books of a refund: a made-up card for each payment, and a fee."""

import hashlib

from workers.local.journal import Row
from workers.local.sandbox.answering import now

RECEIPT = (
    "accepted_at",
    "succeeded_at",
    "receiving_account",
    "bank_reference",
    "settled_minor",
    "settled_currency",
    "fee_minor",
)
#: What the gateway keeps, in thousandths of the amount.
FEE_PER_MILLE = 15


def receipt(refund: Row) -> Row:
    """Of a refund as it stands: the same card for the same payment, the same ARN for the same refund."""
    if refund.get("kind") == "void":
        return {"accepted_at": refund["created_at"]}
    told = {"accepted_at": refund["created_at"], "receiving_account": _account(refund)}
    if refund["status"] != "succeeded":
        return told
    return told | {
        "succeeded_at": now(),
        "bank_reference": f"7{_digits(refund, 22, of='gateway_refund_id')}",
        "settled_minor": refund["amount_minor"],
        "settled_currency": refund["currency"],
        "fee_minor": refund["amount_minor"] * FEE_PER_MILLE // 1000,
    }


def _account(refund: Row) -> str:
    if payee := refund.get("payee"):
        return f"account ending {payee[-4:]}"
    return f"card ending {_digits(refund, 4)}"


def _digits(refund: Row, count: int, *, of: str = "payment_reference") -> str:
    return str(int(hashlib.sha256(refund[of].encode()).hexdigest(), 16))[-count:]
