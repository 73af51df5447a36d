"""Refunds under our number which are not the movement's own: facts, each booked once on the share, and a person's case.

Under way they are reserved, gone they are refunded, and they are taken back by a counter-entry when they have ended at
the gateway, or turned out to be the movement's own.
"""

from collections.abc import Collection, Sequence
from typing import Any

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.models import GatewayRefund, LedgerEntry
from refunds.orphans import booked_as, entries_due
from refunds.services.docket import Docket
from refunds.states import RELEASED_STATES, MovementState
from workers.ports import GatewayFact, GatewayStatus

#: Ended without its gateway: whatever that holds is beside it, under an id that failed before as well.
_OVER = (MovementState.CANCELLED, MovementState.EXTERNAL)
#: Booked amounts by (ledger kind, the gateway's id).
Booked = dict[tuple[str, str], int]


def settle_surplus(docket: Docket, movement: GatewayRefund, facts: Sequence[GatewayFact]) -> None:
    """Bring the books to what the gateway holds beside the movement's own refund."""
    own = "" if movement.state in _OVER else movement.gateway_refund_id or ""
    booked = _booked(docket, docket.shares[movement.share_id], {own, *(f.gateway_refund_id for f in facts)})
    for fact in facts:
        _follow(docket, movement, fact.gateway_refund_id, (fact.status, fact.amount_minor), booked)
    _follow(docket, movement, own, (GatewayStatus.REVERSED, 0), booked)


def _follow(
    docket: Docket, movement: GatewayRefund, reference: str, told: tuple[GatewayStatus, int], booked: Booked
) -> None:
    """Book what follows; the first amount that was booked stays the amount."""
    kinds, (status, told_minor) = _kinds(booked, reference), told
    amount_minor = next((amount for (_, of), amount in booked.items() if of == reference), told_minor)
    share = docket.shares[movement.share_id]
    due = list(entries_due(status, kinds, gone="refund"))
    for kind in due:
        docket.book(docket.entry(share, kind, amount_minor, movement_id=None, reference=reference))
        booked[kind, reference] = amount_minor
    before, after = booked_as(kinds), booked_as(kinds.union(due))
    if (before is None) is not (after is None):
        _say(docket, movement, reference, amount_minor=amount_minor, is_new=before is None)


def _say(docket: Docket, movement: GatewayRefund, reference: str, *, amount_minor: int, is_new: bool) -> None:
    refund = docket.refunds[movement.refund_id]
    facts: dict[str, Any] = {"number": movement.number, "gateway_refund_id": reference, "amount_minor": amount_minor}
    docket.record(refund, "gateway_refund.surplus" if is_new else "gateway_refund.surplus_ended", facts, SYSTEM)
    if is_new:
        kind = "orphaned_refund" if refund.state in RELEASED_STATES else "second_refund_at_gateway"
        docket.open_incident(refund, kind, {"number": movement.number, "gateway_refund_id": reference})


def _kinds(booked: Booked, reference: str) -> set[str]:
    return {kind for kind, of in booked if of == reference}


def _booked(docket: Docket, share: PaymentShare, references: Collection[str]) -> Booked:
    stored = LedgerEntry.objects.filter(share=share, gateway_refund=None, reference__in=references)
    fresh = [e for e in docket.changes.entries if e.share_id == share.id and e.gateway_refund_id is None]
    return {(e.kind, e.reference): e.amount_minor for e in (*stored, *fresh)}
