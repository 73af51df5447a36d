"""One movement of money as the rules see it: what it does to the ledger, and when it is sent or asked about. Pure.

Unknown is asked before anything is sent again. Where nobody can be asked, the same key is sent again while the gateway
remembers it; where there are no keys either, never by itself.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.states import MovementKind, MovementState
from workers.ports import Capabilities

#: Intended and pending money is spoken for; after a reversal it stays reserved for its refund.
_RESERVES = frozenset({MovementState.INTENDED, MovementState.PENDING, MovementState.REVERSED})
#: The failure code of a movement that its gateway never got.
NEVER_SENT = "never_sent"
#: What is told of one that was sent: no answer came; it was not there when its gateway was asked; or a person says so.
UNANSWERED = "gateway_refund.unanswered"
NOT_THERE = "gateway_refund.not_there"
NOT_DONE = "gateway_refund.not_done"
#: Its money went to a fact from outside before it was sent.
FUNDS_TAKEN = "funds_taken"


class MovementView(NamedTuple):
    """A gateway refund as the rules see it. `gateway_refund_id`: the gateway's id that it holds, of all that there are
    under its number; `failed_ids`: those whose failure is booked. `open_since`: when the gateway accepted it, for
    asking ever more slowly. `replaced`: reversed, and paid again by another movement, which has its reservation.
    `overdrawn`: facts have taken more of its payment than there was. `not_before`: its gateway takes no other refund of
    the payment until then. `disputed`: an open dispute withholds its money. `uncaptured`: its money is held and was not
    captured. `whole_hold`: it takes the whole hold of a payment of which nothing was captured, and which no other
    order has.
    """

    number: str
    state: MovementState
    amount_minor: int
    currency: str
    call: CallState
    can: Capabilities
    gateway_refund_id: str | None = None
    failed_ids: frozenset[str] = frozenset()
    failure_code: str = ""
    key_no: int = 0
    server_error: bool = False
    open_since: datetime | None = None
    replaced: bool = False
    overdrawn: bool = False
    not_before: datetime | None = None
    kind: MovementKind = MovementKind.REFUND
    disputed: bool = False
    uncaptured: bool = False
    whole_hold: bool = False


def is_open(movement: MovementView) -> bool:
    """Something may still move, or already has without our knowing."""
    return movement.state in (MovementState.INTENDED, MovementState.PENDING) or movement.call.call is not CallPhase.IDLE


def is_taken_back(movement: MovementView) -> bool:
    """By the gateway, and not paid again since."""
    return movement.state is MovementState.REVERSED and not movement.replaced


def has_not_left(movement: MovementView) -> bool:
    """Still to be sent, and nothing of it is out."""
    return movement.state is MovementState.INTENDED and movement.call.call is CallPhase.IDLE


def is_void(movement: MovementView) -> bool:
    """A hold is to end; no money moves."""
    return movement.kind is MovementKind.VOID


def kind_now(movement: MovementView) -> MovementKind:
    """How money that has not left goes back: a gateway that can ends the hold it stands on. What was once sent as a
    refund stays one, and what turns out to be captured, or held in part, is one again."""
    if not has_not_left(movement) or movement.kind is MovementKind.DISPUTE:
        return movement.kind
    was_sent = movement.call.attempt > 0
    can_end = movement.whole_hold and movement.can.voids and (is_void(movement) or not was_sent)
    return MovementKind.VOID if can_end else MovementKind.REFUND


def is_taken(movement: MovementView) -> bool:
    """Others have its money."""
    return movement.state is MovementState.FAILED and movement.failure_code == FUNDS_TAKEN


def give_up(movement: MovementView, code: str = NEVER_SENT) -> MovementView:
    """It has not left, and is not to be sent any more unless a person says so."""
    call = movement.call._replace(retry_at=None)
    return movement._replace(state=MovementState.FAILED, failure_code=code, call=call)


def ledger_kinds(
    before: MovementState, after: MovementState, kind: MovementKind = MovementKind.REFUND, *, paid_as: str = "refund"
) -> tuple[str, ...]:
    """The ledger entries, each of the whole amount, that follow a movement from one state to another; `paid_as`: what a
    success is booked as. What the bank has paid by a dispute, or a hold that ended by itself, is booked as that."""
    kinds = []
    if before in _RESERVES and after not in _RESERVES:
        kinds.append("release")
    if before is MovementState.SUCCEEDED and after is not MovementState.SUCCEEDED:
        kinds.append("reversal")
    if after in _RESERVES and before not in _RESERVES:
        kinds.append("reserve")
    if after is not before:
        paid = {MovementKind.REFUND: paid_as, MovementKind.VOID: "void"}
        outside = {MovementKind.REFUND: "external", MovementKind.EXCHANGE: "exchange"}
        by_kind = {MovementState.SUCCEEDED: paid, MovementState.EXTERNAL: outside}.get(after, {})
        kinds += [by_kind[kind]] if kind in by_kind else []
    return tuple(kinds)


def waits_for_turn(movement: MovementView, now: datetime) -> bool:
    """Another refund of its payment has just been sent, and the gateway wants time between them."""
    return has_not_left(movement) and movement.not_before is not None and now < movement.not_before


def wants_send(movement: MovementView, now: datetime) -> bool:
    """The money may be sent now: never sent, refused for the moment, or unknown at a gateway that only has keys."""
    if movement.state is not MovementState.INTENDED or not calls.is_due(movement.call, now):
        return False
    if waits_for_turn(movement, now):
        return False
    if movement.call.call is CallPhase.IDLE:
        return True
    may_from = _may_repeat_from(movement, now)
    return calls.is_unanswered(movement.call, now) and may_from is not None and may_from <= now


def wants_ask(movement: MovementView, now: datetime) -> bool:
    """What became of it is to be looked up now: unanswered, pending, or a webhook spoke of something new."""
    if not movement.can.look_up or not calls.is_due(movement.call, now):
        return False
    if movement.call.call is not CallPhase.IDLE:
        return calls.is_unanswered(movement.call, now)
    if movement.state is MovementState.PENDING:
        return True
    return movement.state is not MovementState.INTENDED and movement.call.retry_at is not None


def next_time(movement: MovementView, now: datetime) -> datetime | None:
    """When this movement is to be looked at again; None: only a webhook or a person can move it on."""
    call = movement.call
    if calls.is_out(call, now):
        return call.answer_due_at
    if call.call is not CallPhase.IDLE and not movement.can.look_up:
        return _may_repeat_from(movement, now) if movement.state is MovementState.INTENDED else None
    if waits_for_turn(movement, now):
        return max(call.retry_at or now, movement.not_before or now)
    if movement.state is MovementState.INTENDED or (is_open(movement) and movement.can.look_up):
        return call.retry_at or now
    return call.retry_at if movement.can.look_up else None


def _may_repeat_from(movement: MovementView, now: datetime) -> datetime | None:
    """No look-up, but keys: the same key again after the settle time, within its lifetime. No keys: never."""
    can, call = movement.can, movement.call
    settled = calls.absence_counts_from(call, can.settle_seconds)
    if can.look_up or not can.idempotency_keys or call.sent_at is None or settled is None:
        return None
    may_from = max(settled, call.retry_at or settled)
    key_ends = call.sent_at + timedelta(seconds=can.key_lifetime_seconds)
    return may_from if max(may_from, now) < key_ends else None
