"""Refunds under our number which are not the movement's own: facts, each booked once on the share, and a person's case.

They are taken back by a counter-entry when they have ended at the gateway, or turned out to be the movement's own.
"""

from collections.abc import Collection, Sequence
from typing import Any

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.models import GatewayRefund, LedgerEntry
from refunds.services.docket import Docket
from refunds.states import RELEASED_STATES
from workers.ports import GatewayFact, GatewayStatus

#: Booked amounts by (ledger kind, the gateway's id).
Booked = dict[tuple[str, str], int]


def settle_surplus(docket: Docket, movement: GatewayRefund, facts: Sequence[GatewayFact]) -> None:
    """Bring the books to what the gateway holds beside the movement's own refund."""
    own = movement.gateway_refund_id or ""
    booked = _booked(docket, docket.shares[movement.share_id], {own, *(f.gateway_refund_id for f in facts)})
    for fact in facts:
        reference = fact.gateway_refund_id
        if fact.status not in (GatewayStatus.PENDING, GatewayStatus.SUCCEEDED):
            _take_back(docket, movement, reference, booked)
        elif ("refund", reference) not in booked:
            _book(docket, movement, "refund", reference, fact.amount_minor)
            refund = docket.refunds[movement.refund_id]
            kind = "orphaned_refund" if refund.state in RELEASED_STATES else "second_refund_at_gateway"
            docket.open_incident(refund, kind, {"number": fact.number, "gateway_refund_id": reference})
    _take_back(docket, movement, own, booked)


def _take_back(docket: Docket, movement: GatewayRefund, reference: str, booked: Booked) -> None:
    if ("refund", reference) in booked and ("reversal", reference) not in booked:
        _book(docket, movement, "reversal", reference, booked["refund", reference])


def _book(docket: Docket, movement: GatewayRefund, kind: str, reference: str, amount_minor: int) -> None:
    share = docket.shares[movement.share_id]
    docket.book(docket.entry(share, kind, amount_minor, movement_id=None, reference=reference))
    facts: dict[str, Any] = {"number": movement.number, "gateway_refund_id": reference, "amount_minor": amount_minor}
    what = "surplus" if kind == "refund" else "surplus_ended"
    docket.record(docket.refunds[movement.refund_id], f"gateway_refund.{what}", facts, SYSTEM)


def _booked(docket: Docket, share: PaymentShare, references: Collection[str]) -> Booked:
    stored = LedgerEntry.objects.filter(share=share, gateway_refund=None, reference__in=references)
    fresh = [e for e in docket.changes.entries if e.share_id == share.id and e.gateway_refund_id is None]
    return {(e.kind, e.reference): e.amount_minor for e in (*stored, *fresh)}
