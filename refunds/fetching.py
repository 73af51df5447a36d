"""What a courier's answer means for a pickup or an intercept. Pure: the call's state and an answer in, verdict out.

The rules of `refunds.judging` again, for parcels: positive answers count always, negative ones only for the attempt
they answer; unknown is asked; "absent" counts only when asked late enough.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from refunds import calls
from refunds.calls import CallPhase, CallState, Timing
from refunds.judging import Attempt
from refunds.parcels import PickupView
from refunds.states import PickupState
from workers.ports import NotSent, ParcelFact, ParcelsFound, ParcelStatus, Refused, Unknown

_STATES = {
    ParcelStatus.BOOKED: PickupState.BOOKED,
    ParcelStatus.MISSED: PickupState.MISSED,
    ParcelStatus.COLLECTED: PickupState.COLLECTED,
    ParcelStatus.IN_TRANSIT: PickupState.IN_TRANSIT,
    ParcelStatus.RECEIVED: PickupState.RECEIVED,
    ParcelStatus.REFUSED: PickupState.REFUSED,
    ParcelStatus.LOST: PickupState.LOST,
    ParcelStatus.CANCELLED: PickupState.CANCELLED,
}
#: A booking under our number in one of these binds nobody any more.
_OVER = (ParcelStatus.CANCELLED, ParcelStatus.MISSED, ParcelStatus.REFUSED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The call after the answer; `fact`: what is true of the parcel now, and `before`, what was if that matters;
    `surplus`: bookings that are not ours to keep.

    `refusal` is the courier's code when it definitely will not; `next_key`: the key has been used up.
    """

    call: CallState
    fact: ParcelFact | None = None
    before: ParcelFact | None = None
    refusal: str = ""
    next_key: bool = False
    surplus: tuple[ParcelFact, ...] = ()


def heard(fact: ParcelFact, at: datetime) -> ParcelFact:
    """The fact as we hear it at this time, by whatever way: nothing has happened later than that. A carrier's clock
    ahead of ours would silence every later word."""
    return replace(fact, occurred_at=min(fact.occurred_at, at))


def pickup_state(status: ParcelStatus) -> PickupState | None:
    """The state of a homeward parcel that a status speaks of; None for one of outward parcels."""
    return _STATES.get(status)


def judge_done(
    call: CallState, answer: ParcelFact | Refused | Unknown | NotSent, *, of: Attempt, now: datetime, timing: Timing
) -> Verdict:
    """The answer to a booking, a cancellation or an intercept; a fact says that it was done."""
    if isinstance(answer, ParcelFact):
        return Verdict(track_later(calls.answered(call), now=now, timing=timing), fact=answer)
    if not calls.speaks_of(call, of.attempt):
        return Verdict(call)
    if isinstance(answer, Unknown):
        return Verdict(calls.unanswered(call, answer.reason, now=now))
    if isinstance(answer, NotSent):
        return Verdict(calls.not_sent(call, of.before, answer.reason, now=now, timing=timing))
    if answer.retryable:
        return Verdict(calls.not_sent(call, of.before, answer.code, now=now, timing=timing))
    return Verdict(calls.refused(call, answer.code, now=now, timing=timing), refusal=answer.code, next_key=True)


def judge_found(
    pickup: PickupView, answer: ParcelsFound | Unknown | NotSent, *, of: Attempt, now: datetime, timing: Timing
) -> Verdict:
    """What the courier has under our number, for an unanswered booking or cancellation."""
    if not isinstance(answer, ParcelsFound):
        return Verdict(calls.put_off(pickup.call, answer.reason, now=now, timing=timing))
    held = next((f for f in answer.facts if f.waybill == pickup.waybill), None)
    others = [f for f in answer.facts if f.waybill != pickup.waybill and f.status not in _OVER]
    ours = others.pop(0) if pickup.state is PickupState.INTENDED and others else held
    if ours is None or not _answers(pickup, ours):
        return Verdict(_absent(pickup, of=of, now=now, timing=timing), surplus=tuple(others))
    call = track_later(calls.answered(pickup.call), now=now, timing=timing)
    return Verdict(call, fact=ours, surplus=tuple(others))


def judge_tracked(
    call: CallState, answer: ParcelsFound | Unknown | NotSent, *, now: datetime, timing: Timing
) -> Verdict:
    """Where a parcel is by the carrier's own list: the newest fact. A call that has left meanwhile stays open."""
    fact = _newest(answer)
    before = _had_it(answer) if fact and fact.status is ParcelStatus.LOST else None
    if call.call is not CallPhase.IDLE:
        return Verdict(call, fact=fact, before=before)
    if not isinstance(answer, ParcelsFound):
        return Verdict(calls.put_off(call, answer.reason, now=now, timing=timing))
    return Verdict(track_later(calls.answered(call), now=now, timing=timing), fact=fact, before=before)


def _newest(answer: ParcelsFound | Unknown | NotSent) -> ParcelFact | None:
    """Of facts of one moment the one that is said last: the list is oldest first."""
    facts = answer.facts if isinstance(answer, ParcelsFound) else ()
    return max(reversed(facts), key=lambda f: f.occurred_at, default=None)


def _had_it(answer: ParcelsFound | Unknown | NotSent) -> ParcelFact | None:
    """When the carrier took the parcel, if he did: what he then loses the customer has no more."""
    facts = answer.facts if isinstance(answer, ParcelsFound) else ()
    taken = [f for f in facts if f.status in (ParcelStatus.COLLECTED, ParcelStatus.IN_TRANSIT)]
    return min(taken, key=lambda f: f.occurred_at, default=None)


def track_later(call: CallState, *, now: datetime, timing: Timing) -> CallState:
    return call._replace(retry_at=now + timedelta(seconds=timing.track_seconds))


def _answers(pickup: PickupView, fact: ParcelFact) -> bool:
    """A booking still there does not answer a cancellation, nor one that was missed a new booking."""
    if pickup.call.call_kind == "cancel":
        return fact.status is not ParcelStatus.BOOKED
    return fact.waybill != pickup.waybill or pickup.state is not PickupState.INTENDED


def _absent(pickup: PickupView, *, of: Attempt, now: datetime, timing: Timing) -> CallState:
    call = pickup.call
    counts_from = calls.absence_counts_from(call, pickup.can.settle_seconds) or now
    if call.call is CallPhase.IDLE or call.attempt != of.attempt:
        return call
    if of.asked_at < counts_from:
        return call._replace(call=CallPhase.UNKNOWN, retry_at=max(counts_from, now))
    return calls.never_happened(call, now=now, timing=timing)
