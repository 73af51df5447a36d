"""What an answer of the gateway means for a movement. Pure: a movement and an answer in, a movement out.

- Of an id we hold, rank is pending < failed < succeeded < reversed, and nothing goes down; failed after succeeded
  is reversed.
- Without an id, positive answers count always, negative ones only for the same attempt while sent or unknown.
- "Absent" counts only when asked late enough.
- Another id under our number than the one that moved the money is surplus: a fact to be booked, and a person's to see.
- A hold that has ended has ended: nothing takes that back. One that the gateway cannot end is refunded once captured.
- Of an id whose failure is booked, pending and failed are old news, however many keys have failed since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from refunds import calls
from refunds.calls import CallPhase, CallState, Timing
from refunds.movements import MovementView, is_void
from refunds.states import MovementKind, MovementState
from workers.ports import (
    ALREADY_CAPTURED,
    CANNOT_VOID,
    Accepted,
    Found,
    GatewayFact,
    GatewayStatus,
    LookUp,
    Refused,
    Reply,
    Unknown,
)

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
#: Of several refunds under a number that nobody holds yet, the one that went furthest is ours.
_LIKELY = (GatewayStatus.FAILED, GatewayStatus.REVERSED, GatewayStatus.PENDING, GatewayStatus.SUCCEEDED)
#: A refusal that says no more than that the hold is not ended.
_STAYS_HELD = (ALREADY_CAPTURED, CANNOT_VOID)
#: Holding no id, or that of a refund which failed: another one under our number is ours too.
_LOOKING = (MovementState.INTENDED, MovementState.FAILED)


@dataclass(frozen=True, slots=True)
class Judged:
    """The movement after the answer, and what else the gateway has under its number, live or ended."""

    movement: MovementView
    surplus: tuple[GatewayFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which call an answer belongs to: its number, the call's state before the claim, and when it was asked."""

    attempt: int
    before: CallState
    asked_at: datetime


def waits_for_reply(movement: MovementView, now: datetime) -> bool:
    """Our own call is out and its answer will say what this webhook is about: hear it after that."""
    return movement.can.look_up and calls.is_out(movement.call, now)


def is_own(movement: MovementView, fact: GatewayFact) -> bool:
    """It is about the refund that moves this money."""
    return _is_held(movement, fact) and movement.state in _RANK


def is_as_told(movement: MovementView, fact: GatewayFact) -> bool:
    """What is told of its own refund is no news."""
    return _advanced(movement.state, _told(movement, fact)) is movement.state


def judge_reply(movement: MovementView, reply: Reply, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    """The reply to our own call."""
    if isinstance(reply, Accepted):
        return _accepted(movement, reply.fact, of=of, now=now, timing=timing)
    if not calls.speaks_of(movement.call, of.attempt):
        return Judged(movement)
    if isinstance(reply, Refused) and not reply.retryable:
        return Judged(_refused(movement, reply))
    if isinstance(reply, Unknown):
        call = calls.unanswered(movement.call, reply.reason, now=now)
        return Judged(movement._replace(call=call, server_error=reply.answered))
    reason = reply.code if isinstance(reply, Refused) else reply.reason
    return Judged(movement._replace(call=calls.not_sent(movement.call, of.before, reason, now=now, timing=timing)))


def judge_look_up(movement: MovementView, answer: LookUp, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    """What the gateway holds under our number. A failure already booked for an earlier key reads as absent."""
    if not isinstance(answer, Found):
        if movement.call.attempt != of.attempt:
            return Judged(movement)
        return Judged(movement._replace(call=calls.put_off(movement.call, answer.reason, now=now, timing=timing)))
    ours = _best(movement, [f for f in answer.facts if not _is_old_news(movement, f, of)])
    others = _surplus(movement, [f for f in answer.facts if f is not ours and not is_own(movement, f)])
    if ours is None:
        return Judged(_absent(movement, of=of, now=now, timing=timing), others)
    judged = _take(movement, ours, of=of, now=now, timing=timing)
    return Judged(_with_failures(judged.movement, others), judged.surplus + others)


def judge_webhook(movement: MovementView, fact: GatewayFact, *, now: datetime, timing: Timing) -> Judged:
    """Where a look-up exists a webhook carries no state: one that tells something new only wakes the question."""
    of = Attempt(attempt=movement.call.attempt, before=movement.call, asked_at=now)
    if movement.can.look_up:
        return Judged(movement if _is_known(movement, fact) else _doubt(movement, now))
    if not _is_ours(movement, fact):
        return Judged(movement, surplus=_surplus(movement, [fact]))
    if _is_old_news(movement, fact, of):
        return Judged(movement)
    return _take(movement, fact, of=of, now=now, timing=timing)


def _accepted(movement: MovementView, fact: GatewayFact, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    if not _is_ours(movement, fact):
        return Judged(movement._replace(call=_after_answer(movement, of)), surplus=_surplus(movement, [fact]))
    if not calls.speaks_of(movement.call, of.attempt) and _is_old_news(movement, fact, of):
        return Judged(movement)
    return _take(movement, fact, of=of, now=now, timing=timing)


def _refused(movement: MovementView, reply: Refused) -> MovementView:
    """Definitely not done. What another attempt has moved already stays moved."""
    error = f"{reply.code}: {reply.message}"[:200]
    after = movement._replace(call=calls.answered(movement.call)._replace(last_error=error))
    if movement.state is not MovementState.INTENDED:
        return after
    if is_void(movement) and reply.code in _STAYS_HELD:
        return after._replace(kind=MovementKind.REFUND)
    return _failed(after, reply.code)


def _failed(movement: MovementView, code: str) -> MovementView:
    key_no = movement.key_no + movement.can.failed_key_is_final
    return movement._replace(state=MovementState.FAILED, failure_code=code, key_no=key_no)


def _is_ours(movement: MovementView, fact: GatewayFact) -> bool:
    """Ended without us, a movement takes nothing any more; holding the id of live money, only what is about that."""
    if movement.state not in _RANK:
        return False
    return movement.gateway_refund_id is None or _is_held(movement, fact) or movement.state in _LOOKING


def _is_held(movement: MovementView, fact: GatewayFact) -> bool:
    return fact.gateway_refund_id == movement.gateway_refund_id


def _has_failed(movement: MovementView, fact: GatewayFact) -> bool:
    return fact.gateway_refund_id in movement.failed_ids


def _surplus(movement: MovementView, facts: Sequence[GatewayFact]) -> tuple[GatewayFact, ...]:
    return tuple(f for f in facts if not (f.status is GatewayStatus.PENDING and _has_failed(movement, f)))


def _with_failures(movement: MovementView, others: Sequence[GatewayFact]) -> MovementView:
    """With nothing out, whatever has failed beside it failed for an earlier key."""
    if movement.call.call is not CallPhase.IDLE:
        return movement
    failed = {f.gateway_refund_id for f in others if f.status is GatewayStatus.FAILED}
    return movement._replace(failed_ids=movement.failed_ids | failed)


def _is_old_news(movement: MovementView, fact: GatewayFact, of: Attempt) -> bool:
    """Of an id whose failure is booked already; or the failure of another one, which may be an earlier attempt's until
    absence would count as well."""
    if _has_failed(movement, fact):
        return fact.status in (GatewayStatus.PENDING, GatewayStatus.FAILED)
    if _is_held(movement, fact) or fact.status is not GatewayStatus.FAILED:
        return False
    if not calls.speaks_of(movement.call, of.attempt):
        return True
    return movement.call.attempt > 1 and not _is_late_enough(movement, of)


def _is_late_enough(movement: MovementView, of: Attempt) -> bool:
    counts_from = calls.absence_counts_from(movement.call, movement.can.settle_seconds)
    return counts_from is None or of.asked_at >= counts_from


def _best(movement: MovementView, facts: Sequence[GatewayFact]) -> GatewayFact | None:
    ours = [f for f in facts if _is_ours(movement, f)]
    return max(ours, key=lambda f: _LIKELY.index(f.status), default=None)


def _take(movement: MovementView, fact: GatewayFact, *, of: Attempt, now: datetime, timing: Timing) -> Judged:
    """A fact about this movement."""
    is_new, of_it = not _is_held(movement, fact), {fact.gateway_refund_id}
    if is_new and (fact.amount_minor, fact.currency) != (movement.amount_minor, movement.currency):
        unclear = calls.put_off(movement.call, "the gateway holds another amount", now=now, timing=timing)
        return Judged(movement._replace(call=unclear._replace(call=CallPhase.UNKNOWN)), surplus=(fact,))
    another_key = is_new and movement.state is MovementState.FAILED
    state = _advanced(MovementState.INTENDED if another_key else movement.state, _told(movement, fact))
    moved = movement._replace(
        gateway_refund_id=fact.gateway_refund_id, call=_after_answer(movement, of), server_error=False
    )
    if state is MovementState.FAILED:
        was_known = movement.state is MovementState.FAILED
        moved = moved._replace(failed_ids=movement.failed_ids | of_it)
        return Judged(moved if was_known else _failed(moved, fact.failure_code or "failed"))
    code = fact.failure_code if state is MovementState.REVERSED else ""
    moved = moved._replace(state=state, failure_code=code, failed_ids=movement.failed_ids - of_it)
    return Judged(_ask_later(moved, now=now, timing=timing) if state is MovementState.PENDING else moved)


def _after_answer(movement: MovementView, of: Attempt) -> CallState:
    """Answered, unless a later attempt is still out whose effect only a look-up could find."""
    if movement.call.attempt == of.attempt or not movement.can.look_up:
        return calls.answered(movement.call)
    return movement.call


def _ask_later(movement: MovementView, *, now: datetime, timing: Timing) -> MovementView:
    since = movement.open_since or now
    if movement.call.call is not CallPhase.IDLE:
        return movement._replace(open_since=since)
    again = calls.ask_again_at(since, now=now, timing=timing)
    return movement._replace(open_since=since, call=movement.call._replace(retry_at=again))


def _advanced(held: MovementState, told: MovementState) -> MovementState:
    if held is MovementState.SUCCEEDED and told is MovementState.FAILED:
        return MovementState.REVERSED
    return told if _RANK[told] > _RANK[held] else held


def _told(movement: MovementView, fact: GatewayFact) -> MovementState:
    """The state that a fact speaks of."""
    has_ended = movement.state is MovementState.SUCCEEDED or fact.status is GatewayStatus.REVERSED
    return MovementState.SUCCEEDED if is_void(movement) and has_ended else _STATES[fact.status]


def _is_known(movement: MovementView, fact: GatewayFact) -> bool:
    """It says what we hold, or that something failed which we do not believe to have been done."""
    if _has_failed(movement, fact) and fact.status is GatewayStatus.PENDING:
        return True
    if fact.status is GatewayStatus.FAILED and movement.state in _LOOKING:
        return movement.state is MovementState.INTENDED or _has_failed(movement, fact)
    return is_own(movement, fact) and is_as_told(movement, fact)


def _doubt(movement: MovementView, now: datetime) -> MovementView:
    """Ask at once; what we meant to send may have been done, so nothing leaves before the answer."""
    call = movement.call._replace(retry_at=now)
    if movement.state is MovementState.INTENDED and call.call is CallPhase.IDLE:
        call = call._replace(call=CallPhase.UNKNOWN, sent_at=call.sent_at or now, answer_due_at=now)
    return movement._replace(call=call)


def _absent(movement: MovementView, *, of: Attempt, now: datetime, timing: Timing) -> MovementView:
    """Nothing of ours is there."""
    call = movement.call
    if call.attempt != of.attempt or (call.call is CallPhase.IDLE and movement.state is MovementState.INTENDED):
        return movement
    if call.call is not CallPhase.IDLE and not _is_late_enough(movement, of):
        counts_from = calls.absence_counts_from(call, movement.can.settle_seconds) or now
        return movement._replace(call=call._replace(call=CallPhase.UNKNOWN, retry_at=max(counts_from, now)))
    if movement.state is MovementState.INTENDED:
        key_no = movement.key_no + movement.server_error
        again = calls.never_happened(call, now=now, timing=timing)
        return movement._replace(call=again, key_no=key_no, server_error=False)
    idle = movement._replace(call=call._replace(call=CallPhase.IDLE, retry_at=None))
    return _ask_later(idle, now=now, timing=timing) if movement.state is MovementState.PENDING else idle
