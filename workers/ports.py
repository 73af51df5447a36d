"""What the engine asks of the outside world, and what each reply means for money.

Replies are values, not exceptions: an adapter translates everything its vendor may do into one of the four
kinds of `Reply`, and the engine decides by the kind alone. When an adapter is in doubt it says `Unknown`;
saying `Refused` or `NotSent` of a call that may have arrived pays a customer twice, saying `Unknown` of one
that did not costs a look-up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


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
    adapter, `message` is the peer's own text, for people.
    """

    code: str
    message: str = ""
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Bytes may have left and no trustworthy answer came: the money may have moved. Ask before sending.

    `answered` is True when the peer did answer, but with a server error (5xx); False after a time-out, a
    reset, or an answer that makes no sense. Only an answered unknown that a look-up then finds absent may get
    a new key.
    """

    reason: str
    answered: bool = False


@dataclass(frozen=True, slots=True)
class NotSent:
    """Nothing left this machine (connection refused, budget spent before the write): as if never called."""

    reason: str


class GatewayStatus(StrEnum):
    """Where a refund stands at the gateway, ranked as listed: a later fact never lowers it."""

    PENDING = "pending"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Movement:
    """What is asked of a gateway: so much of this payment, back to where it came from.

    `number` is ours for life and is what a look-up finds; `idempotency_key` is the number, or `number.key_no`
    where a failed key is final. The same key with the same movement never moves money a second time at a
    gateway that has keys. `amount_minor` is in the minor unit of ISO 4217; an adapter converts where its
    vendor counts otherwise.
    """

    number: str
    idempotency_key: str
    payment_reference: str
    amount_minor: int
    currency: str


@dataclass(frozen=True, slots=True)
class GatewayFact:
    """One refund as the gateway holds it. A fact is booked, never argued with; the amount is what *it* says.

    `number` is empty for a refund nobody here asked for. `occurred_at` is the gateway's time (aware).
    """

    gateway_refund_id: str
    number: str
    status: GatewayStatus
    amount_minor: int
    currency: str
    failure_code: str = ""
    occurred_at: datetime | None = None
    payment_reference: str = ""

    def __post_init__(self) -> None:
        """ValueError for what no row could hold: an adapter's ValueError is an unknown outcome, and is asked again."""
        texts = (self.gateway_refund_id, self.number, self.currency, self.failure_code)
        if any(len(text) > 200 or not text.isprintable() for text in texts) or not 0 <= self.amount_minor < 2**63:
            raise ValueError(f"no fact that could be kept: {self!r:.300}")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The gateway has the refund; its status says how far: `pending` is not paid, `failed` never will be.

    The fact is about the movement that was asked for: an adapter answers `Unknown` when the number, the
    amount or the currency that came back is another one.
    """

    fact: GatewayFact


Reply = Accepted | Refused | Unknown | NotSent


@dataclass(frozen=True, slots=True)
class Found:
    """Everything the gateway holds under the number, all of its ids. Empty: absent *when asked*.

    Absent says "it never happened" only if asked after `answer_due_at` plus `Capabilities.settle_seconds`.
    """

    facts: tuple[GatewayFact, ...] = ()


LookUp = Found | Unknown | NotSent


@dataclass(frozen=True, slots=True)
class RefundPage:
    """One page of the gateway's own list. `next_cursor` is empty on the last page."""

    facts: tuple[GatewayFact, ...]
    next_cursor: str = ""


RefundListing = RefundPage | Unknown | NotSent


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """One verified webhook. `event_id` is the gateway's, the same for every copy.

    `kind` is "refund.updated", "dispute.opened", "dispute.won" or "dispute.lost"; a dispute has no `status`
    and carries the disputed amount, with the dispute's id in `gateway_refund_id`. `number` is empty where the
    gateway has none.
    """

    event_id: str
    kind: str
    payment_reference: str
    number: str
    gateway_refund_id: str
    status: GatewayStatus | None
    amount_minor: int
    currency: str
    occurred_at: datetime | None
    failure_code: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the engine may rely on at this gateway.

    `look_up`: can be asked by our number. `idempotency_keys`: the same key never moves money twice, for
    `key_lifetime_seconds`. `failed_key_is_final`: after a definite failure the same key only repeats that
    failure, so a retry needs the next key. `settle_seconds`: how long after `answer_due_at` a refund may
    still appear in a look-up.
    """

    look_up: bool = True
    idempotency_keys: bool = True
    failed_key_is_final: bool = False
    key_lifetime_seconds: int = 86_400
    settle_seconds: float = 5.0


class BadWebhook(Exception):
    """A webhook that is not taken. BadSignature: cannot be from the gateway. BadPayload: signed, and not
    understood."""


class BadSignature(BadWebhook):
    """Missing, wrong or too old a signature, or an account without a secret. HTTP 401."""


class BadPayload(BadWebhook):
    """The signature holds, the content does not. HTTP 422."""


class PaymentGateway(Protocol):
    """One gateway account. Methods are called from many threads at once and never raise for what a peer
    does."""

    @property
    def capabilities(self) -> Capabilities: ...

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        """Move the money. Ends within the budget."""
        ...

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        """Everything the gateway holds under our number. Moves nothing."""
        ...

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        """A page of all refunds created since, ours or not, oldest first where the gateway can. First
        cursor: ""."""
        ...

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        """Verify, then read. Empty: a kind the engine has no use for. Raises BadSignature or BadPayload."""
        ...


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message to one person. `identity` is the same whenever it is sent again.

    Mail: the Message-ID (with angle brackets); `references` is the thread it belongs to, `sender` who writes it (empty:
    the installation's own address). SMS: the idempotency key; only `text`, or `template` and `params` where the
    provider holds the texts. `refund` is the refund's number.
    """

    identity: str
    to: str
    subject: str = ""
    text: str = ""
    html: str = ""
    template: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    refund: str = ""
    references: tuple[str, ...] = ()
    sender: str = ""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The provider has taken the message over. `provider_id` is its own name for it, or our identity."""

    provider_id: str


Delivery = Delivered | Refused | Unknown | NotSent


class Messenger(Protocol):
    """One way to reach people. Called from many threads at once; never raises for what a peer does."""

    def send(self, message: OutgoingMessage, *, budget: Budget) -> Delivery:
        """Send it, or say how it went. Ends within the budget."""
        ...
