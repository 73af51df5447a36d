"""What an answer of the gateway means for a movement. Pure: a movement and an answer in, a movement out.

- Of an id we hold, rank is pending < failed < succeeded < reversed, and nothing goes down; failed after succeeded
  is reversed.
- Without an id, positive answers count always, negative ones only for the same attempt while sent or unknown.
- Unknown is asked before anything is sent again; "absent" counts only when asked late enough.
- A second live id under our number is not ours: it is surplus, booked as a fact, and a person looks at it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from refunds import calls
from refunds.calls import CallPhase, CallState, Timing
from refunds.states import MovementState
from workers.ports import Accepted, Capabilities, Found, GatewayFact, GatewayStatus, LookUp, NotSent, Refused, Reply

_STATES = {
    GatewayStatus.PENDING: MovementState.PENDING,
    GatewayStatus.FAILED: MovementState.FAILED,
    GatewayStatus.SUCCEEDED: MovementState.SUCCEEDED,
    GatewayStatus.REVERSED: MovementState.REVERSED,
}
_RANK = {
    MovementState.INTENDED: 0,
    MovementState.PENDING: 1,
    MovementState.FAILED: 2,
    MovementState.SUCCEEDED: 3,
    MovementState.REVERSED: 4,
}
#: Intended and pending money is spoken for; after a reversal it stays reserved for its refund.
_RESERVES = frozenset({MovementState.INTENDED, MovementState.PENDING, MovementState.REVERSED})


@dataclass(frozen=True, slots=True)
class MovementView:
    """A gateway refund as the rules see it. `open_since`: when the gateway accepted it, for asking ever more slowly."""

    number: str
    state: MovementState
    amount_minor: int
    currency: str
    call: CallState
    can: Capabilities
    gateway_refund_id: str | None = None
    failure_code: str = ""
    key_no: int = 0
    server_error: bool = False
    open_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The movement after the answer, and the live refunds under its number that are not it."""

    movement: MovementView
    surplus: tuple[GatewayFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which call an answer belongs to: its number, the call's state before the claim, and when it was asked."""

    attempt: int
    before: CallState
    asked_at: datetime


def is_open(movement: MovementView) -> bool:
    """Something may still move, or already has without our knowing."""
    return movement.state in (MovementState.INTENDED, MovementState.PENDING) or movement.call.call is not CallPhase.IDLE


def ledger_kinds(before: MovementState, after: MovementState) -> tuple[str, ...]:
    """The ledger entries, each of the whole amount, that follow a movement from one state to another."""
    kinds = []
    if before in _RESERVES and after not in _RESERVES:
        kinds.append("release")
    if before is MovementState.SUCCEEDED and after is not MovementState.SUCCEEDED:
        kinds.append("reversal")
    if after in _RESERVES and before not in _RESERVES:
        kinds.append("reserve")
    if after is MovementState.SUCCEEDED and before is not MovementState.SUCCEEDED:
        kinds.append("refund")
    return tuple(kinds)


def wants_send(movement: MovementView, now: datetime) -> bool:
    """The money may be sent now: never sent, refused for the moment, or unknown at a gateway that only has keys."""
    if movement.state is not MovementState.INTENDED or not calls.is_due(movement.call, now):
        return False
    if movement.call.call is CallPhase.IDLE:
        return True
    return calls.is_unanswered(movement.call, now) and _may_repeat_unasked(movement, now)


def wants_ask(movement: MovementView, now: datetime) -> bool:
    """What became of it is to be looked up now: unanswered, pending, or a webhook spoke of something new."""
    if not movement.can.look_up or not calls.is_due(movement.call, now):
        return False
    if movement.call.call is not CallPhase.IDLE:
        return calls.is_unanswered(movement.call, now)
    return movement.state is not MovementState.INTENDED and movement.call.retry_at is not None


def next_time(movement: MovementView, now: datetime) -> datetime | None:
    """When this movement is to be looked at again; None: never by itself."""
    call = movement.call
    if calls.is_out(call, now):
        return call.answer_due_at
    if call.retry_at is not None:
        return call.retry_at
    if movement.state is MovementState.INTENDED and call.call is CallPhase.UNKNOWN:
        return calls.absence_counts_from(call, movement.can.settle_seconds)
    return now if is_open(movement) else None


def judge_reply(movement: MovementView, reply: Reply, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    """The reply to our own call."""
    if isinstance(reply, Accepted):
        return _judge_fact(movement, reply.fact, of=of, now=now, timing=timing)
    if not calls.speaks_of(movement.call, of.attempt):
        return Judged(movement)
    if isinstance(reply, Refused):
        return Judged(_refused(movement, reply, now=now, timing=timing))
    if isinstance(reply, NotSent):
        return Judged(
            replace(movement, call=calls.not_sent(movement.call, of.before, reply.reason, now=now, timing=timing))
        )
    call = calls.unanswered(movement.call, reply.reason, now=now)
    if not movement.can.look_up:
        call = replace(call, retry_at=calls.absence_counts_from(call, movement.can.settle_seconds))
    return Judged(replace(movement, call=call, server_error=reply.answered))


def judge_look_up(movement: MovementView, answer: LookUp, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    """What the gateway holds under our number. A failure already booked for an earlier key reads as absent."""
    if not isinstance(answer, Found):
        later = calls.refused(movement.call, answer.reason, now=now, timing=timing)
        return Judged(replace(movement, call=replace(later, call=movement.call.call)))
    ours, surplus = _pick(movement, answer.facts)
    if ours is not None and not _is_an_older_failure(movement, ours, of):
        judged = _judge_fact(movement, ours, of=of, now=now, timing=timing)
        return replace(judged, surplus=judged.surplus + surplus)
    return Judged(_absent(movement, of=of, now=now, timing=timing))


def judge_webhook(movement: MovementView, fact: GatewayFact, *, now: datetime, timing: Timing) -> Judged:
    """Where a look-up exists a webhook carries no state: one that tells something new only wakes the question."""
    if not movement.can.look_up:
        of = Attempt(attempt=movement.call.attempt, before=movement.call, asked_at=now)
        return _judge_fact(movement, fact, of=of, now=now, timing=timing)
    told = _STATES[fact.status]
    known = fact.gateway_refund_id == movement.gateway_refund_id and _advanced(movement.state, told) is movement.state
    if known or calls.is_out(movement.call, now):
        return Judged(movement)
    return Judged(replace(movement, call=replace(movement.call, retry_at=now)))


def _may_repeat_unasked(movement: MovementView, now: datetime) -> bool:
    """No look-up, but keys: the same key again after the settle time, within its lifetime. No keys: never."""
    can, call = movement.can, movement.call
    if can.look_up or not can.idempotency_keys or call.sent_at is None:
        return False
    settled = calls.absence_counts_from(call, can.settle_seconds)
    within_lifetime = (now - call.sent_at).total_seconds() < can.key_lifetime_seconds
    return settled is not None and settled <= now and within_lifetime


def _refused(movement: MovementView, reply: Refused, *, now: datetime, timing: Timing) -> MovementView:
    if reply.retryable:
        return replace(movement, call=calls.refused(movement.call, reply.code, now=now, timing=timing))
    call = replace(calls.answered(movement.call), last_error=f"{reply.code}: {reply.message}"[:200])
    return _failed(replace(movement, call=call), reply.code)


def _failed(movement: MovementView, code: str) -> MovementView:
    if _RANK[movement.state] > _RANK[MovementState.FAILED]:
        return movement
    key_no = movement.key_no + movement.can.failed_key_is_final
    return replace(movement, state=MovementState.FAILED, failure_code=code, key_no=key_no)


def _judge_fact(movement: MovementView, fact: GatewayFact, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    if _is_anothers(movement, fact):
        live = fact.status in (GatewayStatus.PENDING, GatewayStatus.SUCCEEDED)
        return Judged(movement, surplus=(fact,) if live else ())
    another_key = movement.state is MovementState.FAILED and movement.gateway_refund_id != fact.gateway_refund_id
    held = MovementState.INTENDED if another_key else movement.state
    state = _advanced(held, _STATES[fact.status])
    call = calls.answered(movement.call) if movement.call.attempt == of.attempt else movement.call
    moved = replace(movement, gateway_refund_id=fact.gateway_refund_id, call=call, server_error=False)
    if state is MovementState.FAILED and movement.state is not MovementState.FAILED:
        return Judged(_failed(moved, fact.failure_code or "failed"))
    moved = replace(moved, state=state, failure_code="" if state is not MovementState.FAILED else moved.failure_code)
    if state is MovementState.PENDING and call.call is CallPhase.IDLE:
        since = movement.open_since or now
        again = calls.ask_again_at(since, now=now, timing=timing)
        moved = replace(moved, open_since=since, call=replace(call, retry_at=again))
    return Judged(moved)


def _is_anothers(movement: MovementView, fact: GatewayFact) -> bool:
    """Another id than the one we hold. A failed one gives way to a live one: that is a later key's."""
    if movement.gateway_refund_id in (None, fact.gateway_refund_id):
        return False
    return not (
        movement.state in (MovementState.FAILED, MovementState.INTENDED) and fact.status != GatewayStatus.FAILED
    )


def _is_an_older_failure(movement: MovementView, fact: GatewayFact, of: Attempt) -> bool:
    """A failure we hold no id of may be of an earlier attempt, until absence would count as well."""
    if fact.status is not GatewayStatus.FAILED or movement.call.attempt <= 1 or movement.call.call is CallPhase.IDLE:
        return False
    counts_from = calls.absence_counts_from(movement.call, movement.can.settle_seconds)
    return counts_from is None or of.asked_at < counts_from


def _advanced(held: MovementState, told: MovementState) -> MovementState:
    if held is MovementState.SUCCEEDED and told is MovementState.FAILED:
        return MovementState.REVERSED
    if held in _RANK and _RANK[told] > _RANK[held]:
        return told
    return held


def _pick(movement: MovementView, facts: Sequence[GatewayFact]) -> tuple[GatewayFact | None, tuple[GatewayFact, ...]]:
    """The fact that is ours among all under the number, and the live ones that are not."""
    live = [f for f in facts if f.status is not GatewayStatus.FAILED]
    held = [f for f in facts if f.gateway_refund_id == movement.gateway_refund_id]
    booked_failure = movement.state in (MovementState.FAILED, MovementState.INTENDED)
    if held and not (booked_failure and held[0].status is GatewayStatus.FAILED):
        ours: GatewayFact | None = held[0]
    else:
        news = [f for f in facts if f.gateway_refund_id != movement.gateway_refund_id]
        ours = live[0] if live else (news[0] if news else None)
    return ours, tuple(f for f in live if f is not ours and f.status is not GatewayStatus.REVERSED)


def _absent(movement: MovementView, *, of: Attempt, now: datetime, timing: Timing) -> MovementView:
    call = movement.call
    if call.call is CallPhase.IDLE:
        again = calls.ask_again_at(movement.open_since or now, now=now, timing=timing)
        return replace(
            movement, call=replace(call, retry_at=again if movement.state is MovementState.PENDING else None)
        )
    counts_from = calls.absence_counts_from(call, movement.can.settle_seconds)
    if counts_from is None or call.attempt != of.attempt or of.asked_at < counts_from:
        return replace(movement, call=replace(call, call=CallPhase.UNKNOWN, retry_at=max(counts_from or now, now)))
    key_no = movement.key_no + movement.server_error
    idle = replace(call, call=CallPhase.IDLE, retry_at=now)
    return replace(movement, call=idle, key_no=key_no, server_error=False)
