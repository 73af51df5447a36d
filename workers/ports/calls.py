"""What any outside call may come to, and what is known of whoever is called."""

from collections.abc import Callable
from dataclasses import dataclass

from workers.ports.limits import NO_LIMITS, Limits


class Budget:
    """The total deadline of one outside call, counted from its creation.

    Monotonic seconds come from the caller (`time.monotonic`), so that nothing here reads a clock. A budget
    covers the whole call (connecting, writing, every read), so a peer that trickles bytes cannot stretch it.
    """

    def __init__(self, seconds: float, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._deadline = monotonic() + seconds

    def left(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self._deadline - self._monotonic())

    def spent(self) -> bool:
        """True once nothing may be written any more: a call not begun by now counts as `NotSent`."""
        return self.left() <= 0.0


@dataclass(frozen=True, slots=True)
class Refused:
    """The peer has said, definitely, that it did not do this.

    `retryable` tells whether asking again unchanged can help (429, SMTP 451, or 401 once our credentials are
    mended); it says nothing about money: in both cases none moved. `code` is for machines and stable per
    adapter, `message` is the peer's own text, for people. `retry_after`: seconds in which it wants no call.
    """

    code: str
    message: str = ""
    retryable: bool = False
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Unknown:
    """Bytes may have left and no trustworthy answer came: the money may have moved. Ask before sending.

    `answered` is True when the peer did answer, but with a server error (5xx); False after a time-out, a
    reset, or an answer that makes no sense. Only an answered unknown that a look-up then finds absent may get
    a new key. `retry_after`: seconds in which it wants no call.
    """

    reason: str
    answered: bool = False
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class NotSent:
    """Nothing left this machine (connection refused, budget spent before the write): as if never called."""

    reason: str


def outcome_name(reply: object) -> str:
    """What a reply, or None for a call that gave none, is counted as."""
    match reply:
        case Refused():
            return "refused"
        case NotSent():
            return "not_sent"
        case Unknown() | None:
            return "unknown"
    return "accepted"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the engine may rely on at this gateway or courier.

    `look_up`: can be asked by our number. `idempotency_keys`: the same key never moves money, or sends a courier, twice
    within `key_lifetime_seconds`. `failed_key_is_final`: after a definite failure the same key only repeats that
    failure, so a retry needs the next key. `settle_seconds`: how long after `answer_due_at` it may still
    appear in a look-up. `listing`: tells of all its refunds, so that those nobody here asked for can be found.
    `voids`: ends a hold, an authorisation that is not captured. `payouts`: pays a payee whom it
    knows, whatever account the payment is of. `by_hand`: sends nothing at all, a person pays. `limits`: what it refuses
    however it is asked.
    """

    look_up: bool = True
    idempotency_keys: bool = True
    failed_key_is_final: bool = False
    key_lifetime_seconds: int = 86_400
    settle_seconds: float = 5.0
    listing: bool = True
    voids: bool = False
    payouts: bool = False
    by_hand: bool = False
    limits: Limits = NO_LIMITS


class BadWebhook(Exception):
    """A webhook that is not taken. BadSignature: cannot be from whom it says. BadPayload: signed, and not
    understood."""


class BadSignature(BadWebhook):
    """Missing, wrong or too old a signature, or an account without a secret. HTTP 401."""


class BadPayload(BadWebhook):
    """The signature holds, the content does not. HTTP 422."""
