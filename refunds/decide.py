"""What a refund does next. Pure, and the page to read first: (what is seen, the policy, the time) -> a Plan.

Everything is decided here, for the first look as for the hundredth, after a crash, a webhook or a resync: no step
remembers that another one ran. What is seen was read under the order's lock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from refunds import calls, movements
from refunds.calls import CallPhase, Timing
from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition
from refunds.movements import MovementView
from refunds.policy import PolicySpec
from refunds.states import FINAL_STATES, REFUND_ARROWS, MovementState, RefundState, Route

_TARGETS = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
_MOVED = (MovementState.SUCCEEDED, MovementState.EXTERNAL)


@dataclass(frozen=True, slots=True)
class Seen:
    """A refund and its world, at one moment.

    `acknowledged`: the customer has been told that it was received. `incidents`: the kinds a person has before him.
    """

    state: RefundState
    route: Route
    amount_minor: int
    currency: str
    created_at: datetime
    movements: tuple[MovementView, ...] = ()
    acknowledged: bool = False
    reachable: bool = True
    deadline: datetime | None = None
    incidents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows: FSM verbs in order, movement numbers to send and to ask about, messages, cases for people.

    `sends` and `asks` are wishes: whoever claims them may have no room and leave them for the next look.
    """

    verbs: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    incidents: tuple[str, ...] = ()
    deadline: datetime | None = None


def decide(seen: Seen, policy: PolicySpec, *, now: datetime) -> Plan:
    """The plan for one refund. The same facts give the same plan; a plan that changes nothing is empty."""
    verbs, after = _follow_arrows(seen, policy)
    return Plan(
        verbs=verbs,
        sends=tuple(m.number for m in after.movements if _may_pay(after) and movements.wants_send(m, now)),
        asks=tuple(m.number for m in after.movements if movements.wants_ask(m, now)),
        messages=_messages(after, policy, verbs, now),
        incidents=tuple(kind for kind in _incidents(after, policy, verbs, now) if kind not in seen.incidents),
        deadline=_deadline(after, policy, verbs, now),
    )


def next_look(seen: Seen, policy: PolicySpec, *, now: datetime, timing: Timing) -> datetime | None:
    """When the refund is looked at again by itself; None: never, all of it has ended."""
    times = [t for m in seen.movements if _is_watched(m, seen) and (t := movements.next_time(m, now))]
    if seen.state not in FINAL_STATES:
        times.append(now + timedelta(seconds=timing.ask_cap_seconds))
        if not seen.acknowledged:
            times.append(seen.created_at + timedelta(seconds=policy.acknowledge_after_seconds))
        if seen.deadline and seen.deadline > now:
            times.append(seen.deadline)
    return min(times, default=None)


def observe(seen: Seen, *, now: datetime) -> Iterator[Condition]:
    """The conditions of a refund as it stands."""
    is_unanswered = any(calls.is_unanswered(m.call, now) for m in seen.movements)
    yield Condition("RouteDecided", TRUE, seen.route.title().replace("_", ""))
    yield _money_moved(seen, is_unanswered=is_unanswered)
    yield _succeeded(seen)
    if is_unanswered:
        yield Condition("OutcomeUnknown", TRUE, "NoAnswer", "The gateway gave no answer; it is being asked.")
    if not seen.reachable:
        yield Condition("Unreachable", TRUE, "NoContact", "The order has neither an e-mail address nor a phone number.")


def _follow_arrows(seen: Seen, policy: PolicySpec) -> tuple[tuple[str, ...], Seen]:
    verbs: list[str] = []
    while verb := _next_verb(seen, policy):
        verbs.append(verb)
        seen = replace(seen, state=RefundState(_TARGETS[seen.state, verb]))
    return tuple(verbs), seen


def _next_verb(seen: Seen, policy: PolicySpec) -> str | None:
    match seen.state:
        case RefundState.REQUESTED:
            return "pay_at_once" if _needs_nobody(seen, policy) else "send_to_review"
        case RefundState.REFUNDING if _all_moved(seen):
            return "succeed"
        case RefundState.REFUNDING if not any(movements.is_open(m) for m in seen.movements):
            return "fail"
        case RefundState.FAILED | RefundState.PARTIALLY_REFUNDED if _all_moved(seen):
            return "settle"
        case RefundState.REFUNDED | RefundState.PARTIALLY_REFUNDED if _any_reversed(seen):
            return "reverse"
    return None


def _needs_nobody(seen: Seen, policy: PolicySpec) -> bool:
    limit = policy.instant_limit_minor.get(seen.currency)
    is_instant = seen.route is Route.INSTANT and (limit is None or seen.amount_minor <= limit)
    return is_instant or seen.amount_minor == 0


def _all_moved(seen: Seen) -> bool:
    is_something_moved = seen.amount_minor == 0 or bool(seen.movements)
    return is_something_moved and all(m.state in _MOVED and m.call.call is CallPhase.IDLE for m in seen.movements)


def _any_reversed(seen: Seen) -> bool:
    return any(m.state is MovementState.REVERSED for m in seen.movements)


def _may_pay(seen: Seen) -> bool:
    return seen.state is RefundState.REFUNDING


def _is_watched(movement: MovementView, seen: Seen) -> bool:
    """A movement that waits for its refund to be approved has no time of its own."""
    waits = movement.state is MovementState.INTENDED and movement.call.call is CallPhase.IDLE
    return _may_pay(seen) or not waits


def _messages(seen: Seen, policy: PolicySpec, verbs: tuple[str, ...], now: datetime) -> tuple[str, ...]:
    if "succeed" in verbs or "settle" in verbs:
        return ("refunded",) if seen.acknowledged else ("refunded_at_once",)
    if "fail" in verbs or "reverse" in verbs:
        return ("failed",)
    acknowledge_at = seen.created_at + timedelta(seconds=policy.acknowledge_after_seconds)
    if seen.state in FINAL_STATES or seen.acknowledged or now < acknowledge_at:
        return ()
    return ("received",)


def _incidents(seen: Seen, policy: PolicySpec, verbs: tuple[str, ...], now: datetime) -> Iterator[str]:
    if "fail" in verbs:
        yield "refund_failed"
    if "reverse" in verbs:
        yield "refund_reversed"
    if any(_is_unknown_too_long(m, policy, now) for m in seen.movements):
        yield "outcome_unknown"
    if any(_is_pending_too_long(m, policy, now) for m in seen.movements):
        yield "outcome_pending"
    if seen.state is RefundState.IN_REVIEW and seen.deadline and seen.deadline <= now:
        yield "review_overdue"


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


def _deadline(seen: Seen, policy: PolicySpec, verbs: tuple[str, ...], now: datetime) -> datetime | None:
    if "send_to_review" in verbs:
        return now + timedelta(seconds=policy.review_seconds)
    return seen.deadline if seen.state is RefundState.IN_REVIEW else None


def _money_moved(seen: Seen, *, is_unanswered: bool) -> Condition:
    if seen.amount_minor == 0:
        return Condition("MoneyMoved", TRUE, "NothingToMove")
    states = [m.state for m in seen.movements]
    if states and all(s in _MOVED for s in states):
        return Condition("MoneyMoved", TRUE, "Succeeded")
    if MovementState.REVERSED in states:
        return Condition("MoneyMoved", FALSE, "Reversed", "The gateway took the refund back.")
    if MovementState.FAILED in states:
        codes = ", ".join(sorted({m.failure_code for m in seen.movements if m.state is MovementState.FAILED}))
        return Condition("MoneyMoved", FALSE, "Failed", f"The gateway refused: {codes}.")
    if is_unanswered:
        return Condition("MoneyMoved", UNKNOWN, "NoAnswer", "The gateway gave no answer.")
    if MovementState.PENDING in states:
        return Condition("MoneyMoved", UNKNOWN, "Pending", "The gateway has accepted the refund.")
    return Condition("MoneyMoved", FALSE, "NotYet")


def _succeeded(seen: Seen) -> Condition:
    if seen.state is RefundState.REFUNDED:
        return Condition("Succeeded", TRUE, "Refunded")
    if seen.state in FINAL_STATES or seen.state is RefundState.FAILED:
        return Condition("Succeeded", FALSE, seen.state.title().replace("_", ""))
    return Condition("Succeeded", UNKNOWN, seen.state.title().replace("_", ""))
