"""Ways out for money that has not moved: try again, record that it was paid outside, or close it as it stands."""

from dataclasses import dataclass, replace

from django.db import transaction

from orders.errors import Conflict, Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.calls import CallPhase
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.movements import NEVER_SENT, NOT_DONE
from refunds.seen import MOVED
from refunds.selectors.allowed import is_missing, is_unanswered
from refunds.selectors.hand_accounts import is_by_hand
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.docket import Docket
from refunds.services.replacing import pay_anew, pay_by_another, refuse_taken
from refunds.services.rows import policy_of
from refunds.services.shrinking import end_with
from refunds.services.splitting import split_off
from refunds.states import MovementKind, MovementState, RefundState

_UNMOVED = (MovementState.INTENDED, MovementState.FAILED, MovementState.REVERSED)


@dataclass(frozen=True, slots=True)
class External:
    """So much of what a payment was to give back was paid in another way; `reference` is the proof: where the books can
    find it. `payment`: its reference, or `account:reference`; none is needed where only one has something missing."""

    amount_minor: int
    reference: str
    payment: str = ""


@transaction.atomic
def retry(target: Target, *, actor: Actor) -> Refund:
    """Arrow s: what failed is reserved again and sent under the same number; what was reversed is paid anew, by another
    movement with a number of its own. Conflict when the money is taken.

    Of what no gateway has answered it is a person's word that it was not done: it is sent again, with the same key.
    """
    refund, docket = open_for(Action.RETRY, target, actor)
    for movement in docket.movements[refund.id]:
        if is_unanswered(movement):
            _not_done(docket, movement, actor)
        elif is_missing(movement) and movement.state == MovementState.REVERSED:
            pay_anew(docket, movement, actor)
        elif is_missing(movement):
            refuse_taken(docket, movement)
            docket.move(movement, MovementState.INTENDED)
    if refund.state == RefundState.FAILED:
        docket.follow(refund, "retry", actor=actor)
    return conclude(docket, refund)


@transaction.atomic
def record_external(target: Target, paid: External, *, actor: Actor) -> Refund:
    """What did not move was paid outside, all of it or a part: a fact, booked as such. The refund is settled (arrow t)
    once nothing is missing. Raises Invalid for a payment that has nothing missing, or less; Conflict where the proof is
    in that payment's ledger already."""
    if not paid.reference.strip():
        raise Invalid.of("reference", "required", "Say where the proof of it is.")
    refund, docket = open_for(Action.RECORD_EXTERNAL, target, actor)
    open_ones = [m for m in docket.movements[refund.id] if is_missing(m) or is_unanswered(m) or is_by_hand(m)]
    of_payment = [m for m in open_ones if _names(paid.payment, docket, m)]
    left = paid.amount_minor
    _refuse_more(left, of_payment, refund, docket)
    _refuse_booked(of_payment[0].share_id, paid.reference)
    for movement in of_payment:
        if part := min(left, movement.amount_minor):
            _paid_outside(docket, movement, replace(paid, amount_minor=part), actor)
            left -= part
    facts = {"payment": paid.payment, "amount_minor": paid.amount_minor, "reference": paid.reference}
    docket.record(refund, "refund.external_recorded", facts, actor)
    return conclude(docket, refund)


@transaction.atomic
def close(target: Target, *, note: str, actor: Actor) -> Refund:
    """Arrow u: closed by a person as it stands, moved in part or not at all; what has not moved is free again, and can
    be asked for."""
    if not note.strip():
        raise Invalid.of("note", "required", "Say why it is closed.")
    refund, docket = open_for(Action.CLOSE, target, actor)
    movements = docket.movements[refund.id]
    moved = sum(m.amount_minor for m in movements if m.state in MOVED)
    docket.close_incidents(refund, actor=actor, note=note)
    if moved:
        end_with(docket, refund, moved)
    docket.follow(refund, "close_partly" if moved else "close_unmoved", actor=actor)
    for movement in movements:
        if movement.state in _UNMOVED and not movement.replaced_by:
            docket.move(movement, MovementState.CANCELLED)
    docket.tell(refund, "closed_in_part" if moved else "cancelled", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


def _names(payment: str, docket: Docket, movement: GatewayRefund) -> bool:
    found = docket.payment_of(movement)
    return payment in ("", found.reference, str(found))


def _refuse_more(amount_minor: int, of_payment: list[GatewayRefund], refund: Refund, docket: Docket) -> None:
    if len({m.share_id for m in of_payment}) != 1:
        known = ", ".join(sorted({str(docket.payment_of(m)) for m in docket.movements[refund.id]}))
        raise Invalid.of("payment", "unknown_payment", f"Name one payment with something missing, of: {known}.")
    missing = sum(m.amount_minor for m in of_payment)
    if not 0 < amount_minor <= missing:
        detail = f"{amount_minor} is not between 1 and {missing}, which is missing of this payment (minor units)."
        raise Invalid.of("amount_minor", "more_than_missing", detail, left_minor=missing)


def _refuse_booked(share_id: int, reference: str) -> None:
    if LedgerEntry.objects.filter(share_id=share_id, kind="external", reference=reference).exists():
        detail = f"{reference} is in the ledger of this payment already. Was it paid again, name the other proof."
        raise Conflict("already_recorded", detail)


def _paid_outside(docket: Docket, movement: GatewayRefund, paid: External, actor: Actor) -> None:
    if is_unanswered(movement):
        _not_done(docket, movement, actor)
    if movement.state == MovementState.REVERSED:
        movement = pay_by_another(docket, movement, actor)
    if movement.kind == MovementKind.VOID:
        docket.turn_into(movement, MovementKind.REFUND)
    if paid.amount_minor < movement.amount_minor:
        rest_fails = movement.state == MovementState.INTENDED and not is_by_hand(movement)
        movement = split_off(docket, movement, paid.amount_minor)
        if rest_fails:
            _leave_to_people(docket, docket.movements[movement.refund_id][-1])
    docket.move(movement, MovementState.EXTERNAL, proof=paid.reference)


def _leave_to_people(docket: Docket, rest: GatewayRefund) -> None:
    """Part of it was paid by hand: the rest is not sent by itself."""
    rest.failure_code = NEVER_SENT
    docket.move(rest, MovementState.FAILED)


def _not_done(docket: Docket, movement: GatewayRefund, actor: Actor) -> None:
    """By a person's word: the question what became of it is closed."""
    movement.call, movement.retry_at, movement.server_error = CallPhase.IDLE.value, None, False
    docket.changes.movements[movement.id] = movement
    facts = {"number": movement.number, "amount_minor": movement.amount_minor}
    docket.record(docket.refunds[movement.refund_id], NOT_DONE, facts, actor)
