"""The money of disputes: withheld while one is open, given back when it is won, gone when it is lost.

It takes what is free, then withholds what refunds have reserved and not sent: they wait, go on when it is won, and are
settled by it when it is lost. Each kind is booked at most once for each share, whatever is told and in what order.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.calls import CallPhase
from refunds.models import GatewayRefund, Incident, Orphan
from refunds.orphans import DisputeStatus, dispute_entries
from refunds.selectors.orphans import Booked
from refunds.services.docket import Docket
from refunds.services.ledger import free_on
from refunds.services.orphan_books import facts_of, parts_of
from refunds.services.splitting import split_off
from refunds.states import MovementKind, MovementState, RefundState

OPENED, LOST = "dispute_opened", "dispute_lost"


def settle_dispute(docket: Docket, dispute: Orphan, shares: Sequence[PaymentShare], booked: Booked) -> bool:
    """Bring the shares' ledger to what is told of the dispute; `booked` is what it holds. True if anything changed."""
    status, before = DisputeStatus(dispute.status), len(booked)
    is_countable = docket.payments[shares[0].payment_id].currency == dispute.currency and dispute.amount_minor > 0
    if is_countable and (booked or status is not DisputeStatus.WON):
        for share, amount_minor in list(parts_of(docket, dispute.amount_minor, shares, booked)):
            _book(docket, dispute, share, amount_minor, booked)
    _follow_cases(docket, dispute, order_id=shares[0].order_id)
    return len(booked) > before


def _book(docket: Docket, dispute: Orphan, share: PaymentShare, amount_minor: int, booked: Booked) -> None:
    has = {kind for share_id, kind in booked if share_id == share.id}
    for kind in list(dispute_entries(DisputeStatus(dispute.status), has)):
        if kind == "dispute":
            _withhold(docket, share, amount_minor - free_on(share))
        elif kind == "dispute_lost":
            _settle(docket, share, amount_minor)
        docket.book(docket.entry(share, kind, amount_minor, movement_id=None, reference=dispute.reference))
        if kind == "dispute_won":
            _give_back(docket, share, amount_minor)
        booked[share.id, kind] = amount_minor


def _withhold(docket: Docket, share: PaymentShare, short_minor: int) -> None:
    """What is not free is withheld from refunds that have not sent it, the newest first."""
    for movement in docket.unsent(share):
        taken = min(short_minor, movement.amount_minor - movement.disputed_minor)
        if taken > 0:
            docket.withhold(movement, taken)
            short_minor -= taken


def _give_back(docket: Docket, share: PaymentShare, amount_minor: int) -> None:
    for movement in _withheld(docket, share):
        given = min(movement.disputed_minor, amount_minor)
        if given:
            docket.withhold(movement, -given)
            amount_minor -= given


def _settle(docket: Docket, share: PaymentShare, amount_minor: int) -> None:
    """The bank has paid what these refunds were to pay, or had failed to: as much of them is not sent any more."""
    for movement in [*_withheld(docket, share), *_failed(docket, share)]:
        settled = min(movement.disputed_minor or movement.amount_minor, amount_minor)
        if settled:
            amount_minor -= settled
            _settle_movement(docket, movement, settled)


def _settle_movement(docket: Docket, movement: GatewayRefund, settled_minor: int) -> None:
    if settled_minor < movement.amount_minor:
        movement = split_off(docket, movement, settled_minor)
    docket.turn_into(movement, MovementKind.DISPUTE)
    docket.move(movement, MovementState.EXTERNAL)
    docket.look_soon(docket.refunds[movement.refund_id])


def _withheld(docket: Docket, share: PaymentShare) -> list[GatewayRefund]:
    return [m for m in _on(docket, share) if m.disputed_minor]


def _failed(docket: Docket, share: PaymentShare) -> list[GatewayRefund]:
    """Whose refund has failed, and nobody is asked about it."""
    failed = [m for m in _on(docket, share) if m.state == MovementState.FAILED and m.call == CallPhase.IDLE]
    return [m for m in failed if docket.refunds[m.refund_id].state == RefundState.FAILED and m.retry_at is None]


def _on(docket: Docket, share: PaymentShare) -> list[GatewayRefund]:
    """The movements on a share, the oldest first."""
    of_order = (m for refund in docket.refunds_of[share.order_id] for m in docket.movements[refund.id])
    return sorted((m for m in of_order if m.share_id == share.id), key=attrgetter("id"))


def _follow_cases(docket: Docket, dispute: Orphan, *, order_id: int) -> None:
    """Open: somebody has to answer the bank. Lost: somebody has to know."""
    opened, lost = (_cases(dispute, kind) for kind in (OPENED, LOST))
    if dispute.status == DisputeStatus.OPENED:
        if not opened.exists():
            docket.open_case(order_id, OPENED, _facts(dispute))
        return
    for incident in opened.filter(closed_at=None):
        docket.end_incident(incident, actor=SYSTEM, note=f"It is {dispute.status}.")
    if dispute.status == DisputeStatus.LOST and not lost.exists():
        docket.open_case(order_id, LOST, _facts(dispute))


def _cases(dispute: Orphan, kind: str) -> Any:
    about = Incident.objects.filter(kind=kind, data__dispute=dispute.reference, data__account=dispute.account)
    return about.order_by("id")


def _facts(dispute: Orphan) -> dict[str, object]:
    facts = facts_of(dispute)
    return {"dispute": facts.pop("gateway_refund_id")} | facts
