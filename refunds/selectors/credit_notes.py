"""What a credit note about a refund says: the invoice it takes back from, and net and tax by rate."""

from typing import Any

from orders.models import Order
from refunds.models import CreditNote, Refund
from refunds.states import PAID_STATES, MovementKind, MovementState, RefundState

#: The amount is decided, and the money moves, has moved, or has failed to.
DECIDED = PAID_STATES | {RefundState.REFUNDING, RefundState.FAILED}
_MOVED = (MovementState.SUCCEEDED, MovementState.EXTERNAL)


def why_none(refund: Refund) -> str:
    """Why there is no credit note about this refund; empty where there is one. Reads its movements."""
    counting = [m for m in refund.gateway_refunds.all() if m.state != MovementState.CANCELLED]
    if refund.state not in DECIDED:
        return f"A refund that is {refund.state} gives no money back: nothing is to be credited."
    if gross_minor(refund) == 0:
        return "Nothing that was invoiced goes back: nothing is to be credited."
    if counting and all(m.kind == MovementKind.VOID for m in counting):
        return "The hold is released: nothing was charged, and nothing is to be credited."
    return ""


def gross_minor(refund: Refund) -> int:
    """What of the amount was invoiced: what was paid too much was not."""
    return refund.amount_minor - int(refund.sheet.get("overpaid_minor", 0))


def credit_note_data(refund: Refund) -> dict[str, Any]:
    """All amounts in minor units; the taxes add up to the gross exactly. `moved_minor` is what has left by now; of a
    hold that is released nothing has."""
    order, rates = refund.order, _rates(refund)
    gone = [m for m in refund.gateway_refunds.all() if m.state in _MOVED and m.kind != MovementKind.VOID]
    return {
        "refund": refund.number,
        "order": order.number,
        "channel": order.channel.slug,
        "currency": refund.currency,
        "original_invoice": _invoice(order),
        "legal_entity": order.legal_entity,
        "country": order.tax_country or str(order.shipping_address.get("country", "")),
        "taxes": rates,
        "net_minor": sum(rate["net_minor"] for rate in rates),
        "tax_minor": sum(rate["tax_minor"] for rate in rates),
        "gross_minor": gross_minor(refund),
        "moved_minor": sum(m.amount_minor for m in gone),
        "credit_note": _issued(refund),
    }


def _rates(refund: Refund) -> list[dict[str, Any]]:
    """By rate as the shop states it; the rate is empty where it states none, and for sheets from before rates."""
    taxes = refund.sheet.get("taxes") or {
        "": {"amount_minor": gross_minor(refund), "tax_minor": refund.sheet.get("tax_minor", 0)}
    }
    return [
        {
            "rate": rate,
            "net_minor": share["amount_minor"] - share["tax_minor"],
            "tax_minor": share["tax_minor"],
            "gross_minor": share["amount_minor"],
        }
        for rate, share in sorted(taxes.items())
    ]


def _invoice(order: Order) -> dict[str, Any] | None:
    return {"number": order.invoice_number, "issued_at": order.invoice_issued_at} if order.invoice_number else None


def _issued(refund: Refund) -> dict[str, Any] | None:
    note = CreditNote.objects.filter(refund=refund).first()
    names = ("number", "issued_at", "amount_minor", "recorded_at")
    return {name: getattr(note, name) for name in names} if note else None
