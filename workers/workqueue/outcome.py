"""The one outcome a leased key gets when it is finished."""

from dataclasses import dataclass
from enum import StrEnum


class OutcomeKind(StrEnum):
    OK = "ok"
    AFTER = "after"
    ERROR = "error"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`seconds` belongs to `after`; `cause` is for logs and counters and never reaches Redis."""

    kind: OutcomeKind
    seconds: float = 0.0
    cause: BaseException | None = None


def ok() -> Outcome:
    """Nothing more to do for the key until somebody adds it."""
    return Outcome(OutcomeKind.OK)


def after(seconds: float) -> Outcome:
    """Look again after so many seconds (0: at once, at the tail). Failures are forgotten."""
    return Outcome(OutcomeKind.AFTER, seconds=seconds)


def error(cause: BaseException) -> Outcome:
    """Again after the key's own exponential back-off."""
    return Outcome(OutcomeKind.ERROR, cause=cause)


def terminal(cause: BaseException) -> Outcome:
    """Not again by itself; a later add runs the key as usual."""
    return Outcome(OutcomeKind.TERMINAL, cause=cause)
