"""The money part of the decision: what may be sent, what is not to be sent any more, and which arrow follows. Pure."""

from collections.abc import Iterator
from datetime import datetime

from refunds import calls, movements
from refunds.calls import CallPhase
from refunds.movements import FUNDS_TAKEN, NEVER_SENT, MovementView
from refunds.policy import PolicySpec
from refunds.seen import AWAITS_REPLACEMENT, Seen
from refunds.states import MovementKind, MovementState, RefundState


def given_up(seen: Seen, *, is_late: bool) -> tuple[Seen, dict[str, str]]:
    """The time to pay ends only what has not left: what may have moved keeps its reservation. What a fact took while it
    was out, and may have been paid, it loses once it turns out not to have left. What no second person has agreed to is
    reviewed again instead, unless some of the money had gone before."""
    is_recalled = seen.lacks_second and not seen.is_claimed
    out_of_time = is_late and seen.state is RefundState.REFUNDING and not is_recalled
    unsent = [m for m in seen.movements if movements.has_not_left(m)]
    codes = {m.number: FUNDS_TAKEN if m.overdrawn else NEVER_SENT for m in unsent if m.overdrawn or out_of_time}
    if not codes:
        return seen, codes
    left = tuple(movements.give_up(m, codes[m.number]) if m.number in codes else m for m in seen.movements)
    return seen._replace(movements=left), codes


def turned(seen: Seen) -> tuple[Seen, dict[str, MovementKind]]:
    """Once it is to be paid: a hold that its gateway can end is ended, one that was captured meanwhile is refunded."""
    if seen.state is not RefundState.REFUNDING:
        return seen, {}
    kinds = {m.number: kind for m in seen.movements if (kind := movements.kind_now(m)) is not m.kind}
    if not kinds:
        return seen, kinds
    return seen._replace(movements=tuple(m._replace(kind=kinds.get(m.number, m.kind)) for m in seen.movements)), kinds


def verb(seen: Seen, *, is_late: bool) -> str | None:
    """The arrow that a refund takes which is being paid; `is_late`: the time to do so, or to agree to it, is over."""
    if seen.has_moved and not seen.wants_replacement:
        return "succeed"
    if not seen.has_moved and not any(movements.is_open(m) for m in seen.movements):
        return "fail"
    has_moved_away = not seen.needs_nobody and not seen.approved
    lacks_word = seen.lacks_second and (is_late or not seen.approved)
    return "recall" if (has_moved_away or lacks_word) and not seen.is_claimed else None


def any_reversed(seen: Seen) -> bool:
    return any(movements.is_taken_back(m) for m in seen.movements)


def may_pay(seen: Seen, now: datetime) -> bool:
    """Nothing is paid anew while the gateway is asked what it has under the number that was reversed, and nothing at
    all while the customer's bank decides, a second person has not agreed, another one of the same is awaited, or before
    the credit note has its number, where the policy says so."""
    if seen.state is not RefundState.REFUNDING or seen.is_on_hold(now):
        return False
    if seen.is_disputed or seen.awaits_credit_note or seen.lacks_second or seen.wants_replacement:
        return False
    return not any(m.replaced and m.call.retry_at for m in seen.movements)


def wants_send(movement: MovementView, seen: Seen, now: datetime) -> bool:
    """It may go, and is due."""
    return may_send(movement, seen, now) and movements.wants_send(movement, now)


def may_send(movement: MovementView, seen: Seen, now: datetime) -> bool:
    is_ready = movements.is_void(movement) or not movement.uncaptured
    return may_pay(seen, now) and is_ready and not movement.can.by_hand


def waits_for_hand(movement: MovementView) -> bool:
    """No gateway can pay it: a person does, and says so."""
    return movement.can.by_hand and movements.has_not_left(movement) and not movement.uncaptured


def is_watched(movement: MovementView, seen: Seen, now: datetime) -> bool:
    """A movement that could only be sent, while its refund may not pay, has no time of its own."""
    can_only_be_sent = movement.call.call is CallPhase.IDLE or not movement.can.look_up
    return not (movement.state is MovementState.INTENDED and can_only_be_sent) or may_send(movement, seen, now)


def seconds_to_pay(seen: Seen, policy: PolicySpec) -> int:
    """So long sending is tried, or others are waited for."""
    others = {
        "ApprovalConformant": policy.second_approval_seconds,
        "DisputeOpen": policy.dispute_seconds,
        "AwaitingCapture": policy.capture_seconds,
        AWAITS_REPLACEMENT: policy.replacement_seconds,
    }
    return others.get(seen.waits_for, policy.send_seconds)


def incidents(seen: Seen, policy: PolicySpec, now: datetime) -> Iterator[str]:
    """The money that a person must look for."""
    if any(_is_unknown_too_long(m, policy, now) for m in seen.movements):
        yield "outcome_unknown"
    if any(_is_pending_too_long(m, policy, now) for m in seen.movements):
        yield "outcome_pending"
    if any(map(waits_for_hand, seen.movements)) and may_pay(seen, now):
        yield "pay_by_hand"


def _is_unknown_too_long(movement: MovementView, policy: PolicySpec, now: datetime) -> bool:
    call = movement.call
    if call.sent_at is None or not calls.is_unanswered(call, now):
        return False
    nobody_can_tell = movements.next_time(movement, now) is None
    return nobody_can_tell or (now - call.sent_at).total_seconds() > policy.unknown_incident_seconds


def _is_pending_too_long(movement: MovementView, policy: PolicySpec, now: datetime) -> bool:
    if movement.state is not MovementState.PENDING or movement.open_since is None:
        return False
    return (now - movement.open_since).total_seconds() > policy.pending_incident_seconds
