"""The rules of *the call*: one request to the outside, whatever it is about. Pure.

idle -> sent (claimed and committed before anything leaves) -> idle (answered) or unknown (no answer came).
After unknown nothing is sent until the other side was asked; a time-out is not a failure.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

#: No call is waited for any longer, whatever is set.
LONGEST_CALL = timedelta(minutes=1)


class CallPhase(StrEnum):
    IDLE = "idle"
    SENT = "sent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Timing:
    """The engine's times in seconds: the deadline of one call, and the business back-offs."""

    call_seconds: float = 10
    retry_seconds: float = 10
    retry_cap_seconds: float = 600
    ask_cap_seconds: float = 6 * 3600
    track_seconds: float = 3600


class CallState(NamedTuple):
    """The columns of `orders.models.call.OutsideCall`, as a value."""

    call: CallPhase = CallPhase.IDLE
    call_kind: str = ""
    attempt: int = 0
    sent_at: datetime | None = None
    answer_due_at: datetime | None = None
    asked_at: datetime | None = None
    retry_at: datetime | None = None
    failures: int = 0
    last_error: str = ""


def claim(call: CallState, kind: str, *, now: datetime, timing: Timing) -> CallState:
    """Ours to send. The attempt fences answers that come late.

    `sent_at` is since when its outcome has been open: a repeat of what is unanswered does not make it any younger.
    """
    return call._replace(
        call=CallPhase.SENT,
        call_kind=kind,
        attempt=call.attempt + 1,
        sent_at=now if call.call is CallPhase.IDLE else call.sent_at,
        answer_due_at=now + timedelta(seconds=timing.call_seconds),
        retry_at=None,
    )


def is_out(call: CallState, now: datetime) -> bool:
    """Sent, and its answer may still come to whoever sent it."""
    return call.call is CallPhase.SENT and call.answer_due_at is not None and now < call.answer_due_at


def is_unanswered(call: CallState, now: datetime) -> bool:
    """Its outcome is unknown: said so, or the sender is overdue and may be dead."""
    return call.call is CallPhase.UNKNOWN or (call.call is CallPhase.SENT and not is_out(call, now))


def is_due(call: CallState, now: datetime) -> bool:
    return call.retry_at is None or call.retry_at <= now


def speaks_of(call: CallState, attempt: int) -> bool:
    """May a negative answer to `attempt` count? Only for the same attempt, while it is sent or unknown."""
    return call.attempt == attempt and call.call is not CallPhase.IDLE


def is_first_question(call: CallState) -> bool:
    """Nobody has asked yet about what was sent and whose sender never told anything of it."""
    asked_at, due_at = call.asked_at, call.answer_due_at
    return call.call is CallPhase.SENT and (asked_at is None or due_at is None or asked_at < due_at)


def asked(call: CallState, *, now: datetime, timing: Timing) -> CallState:
    """A look-up is no claim: it only notes when it was asked, and that it is due again if nobody answers."""
    return call._replace(asked_at=now, retry_at=now + timedelta(seconds=timing.call_seconds))


def has_answered(call: CallState, *, since: datetime) -> bool:
    """A question asked since then has been answered: no other is out, which would be due again sooner."""
    if call.asked_at is None or call.asked_at < since or call.failures:
        return False
    return call.retry_at is None or call.retry_at - call.asked_at > LONGEST_CALL


def answered(call: CallState) -> CallState:
    return call._replace(call=CallPhase.IDLE, retry_at=None, failures=0, last_error="")


def refused(call: CallState, reason: str, *, now: datetime, timing: Timing) -> CallState:
    """Definitely not done; may be sent again after the back-off."""
    return put_off(call, reason, now=now, timing=timing)._replace(call=CallPhase.IDLE)


def not_sent(call: CallState, before: CallState, reason: str, *, now: datetime, timing: Timing) -> CallState:
    """This attempt did nothing: back to what it was before the claim. An earlier one may still be unanswered."""
    waiting = put_off(call, reason, now=now, timing=timing)
    return waiting._replace(call=before.call, sent_at=before.sent_at, answer_due_at=before.answer_due_at)


def put_off(call: CallState, reason: str, *, now: datetime, timing: Timing) -> CallState:
    """One more failure, and the next try after the back-off; what is known of the outcome stays as it is."""
    failures = call.failures + 1
    later = now + timedelta(seconds=retry_delay(failures, timing))
    return call._replace(failures=failures, retry_at=later, last_error=reason[:200])


def unanswered(call: CallState, reason: str, *, now: datetime) -> CallState:
    """No trustworthy answer. The question what became of it is due at once."""
    return call._replace(call=CallPhase.UNKNOWN, failures=call.failures + 1, retry_at=now, last_error=reason[:200])


def never_happened(call: CallState, *, now: datetime, timing: Timing) -> CallState:
    """Asked, and nothing is there: may be sent again after the back-off, of which the time since it left is a part."""
    later = (call.sent_at or now) + timedelta(seconds=retry_delay(call.failures, timing))
    return call._replace(call=CallPhase.IDLE, retry_at=max(now, later))


def absence_counts_from(call: CallState, settle_seconds: float) -> datetime | None:
    """From when on "absent" says that it never happened: the answer's due time plus the gateway's settle time."""
    return call.answer_due_at and call.answer_due_at + timedelta(seconds=settle_seconds)


def retry_delay(failures: int, timing: Timing) -> float:
    """Seconds until a call that failed so many times in a row is sent again."""
    return min(timing.retry_cap_seconds, timing.retry_seconds * 2.0 ** min(max(failures - 1, 0), 30))


def ask_again_at(since: datetime, *, now: datetime, timing: Timing) -> datetime:
    """Ever more slowly: as long again as it has been open, between the retry time and six hours."""
    open_for = (now - since).total_seconds()
    return now + timedelta(seconds=min(timing.ask_cap_seconds, max(timing.retry_seconds, open_for)))
