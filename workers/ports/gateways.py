"""Payment gateways: what is asked of them, and what they answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from workers.ports.calls import Budget, Capabilities, NotSent, Refused, Unknown
from workers.ports.receipts import Receipt

#: As much as an order may capture of one payment, and so little that thousands of facts still add up within a bigint.
MOST_MINOR = 10**15
#: ISO 4217's word for no currency: of a fact with an amount, or a currency, that nobody can count. Its amount is 0.
NO_CURRENCY = "XXX"
_LONGEST = 200
#: Codes under which a hold was not ended, and its money is to come back by a refund once it is captured: it has been
#: captured already, or the gateway has no way to end it.
ALREADY_CAPTURED = "already_captured"
CANNOT_VOID = "cannot_void"


def can_be_kept(text: str) -> bool:
    """Whether a row can hold it, and a person read it."""
    return len(text) <= _LONGEST and text.isprintable()


class GatewayStatus(StrEnum):
    """Where a refund stands at the gateway, ranked as listed: a later fact never lowers it."""

    PENDING = "pending"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Movement:
    """What is asked of a gateway: so much of this payment, back to where it came from; or, with a `payee`, paid out to
    him, by the reference that this gateway has for him.

    `number` is ours for life and is what a look-up finds; `idempotency_key` is the number, or `number.key_no`
    where a failed key is final (`number-void` for the end of a hold). The same key with the same movement never
    moves money a second time at a gateway that has keys. `amount_minor` is in the minor unit of ISO 4217; an adapter
    converts where its vendor counts otherwise.
    """

    number: str
    idempotency_key: str
    payment_reference: str
    amount_minor: int
    currency: str
    payee: str = ""


@dataclass(frozen=True, slots=True)
class GatewayFact:
    """One refund as the gateway holds it. A fact is booked, never argued with; the amount is what *it* says.

    `number` is empty for a refund nobody here asked for, and for a number that no row could hold. `occurred_at` is the
    gateway's time (aware). The `receipt` is for the books, and decides nothing.
    """

    gateway_refund_id: str
    number: str
    status: GatewayStatus
    amount_minor: int
    currency: str
    failure_code: str = ""
    occurred_at: datetime | None = None
    payment_reference: str = ""
    receipt: Receipt = Receipt()

    def __post_init__(self) -> None:
        """ValueError for what no row could hold: an adapter's ValueError is an unknown outcome, and is asked again."""
        texts = (self.gateway_refund_id, self.number, self.currency, self.failure_code)
        is_whole = self.gateway_refund_id and self.currency and all(map(can_be_kept, texts))
        if not is_whole or not 0 <= self.amount_minor <= MOST_MINOR:
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
    receipt: Receipt = Receipt()


class PaymentGateway(Protocol):
    """One gateway account. Methods are called from many threads at once and never raise for what a peer
    does."""

    @property
    def capabilities(self) -> Capabilities: ...

    def refund(self, movement: Movement, *, budget: Budget) -> Reply:
        """Move the money. Ends within the budget."""
        ...

    def void(self, movement: Movement, *, budget: Budget) -> Reply:
        """End the hold of the payment, which is the whole amount of the movement; nothing moves. A `succeeded` fact
        says that it has ended. Refused with ALREADY_CAPTURED or CANNOT_VOID: there is none that could be ended."""
        ...

    def look_up(self, payment_reference: str, number: str, *, budget: Budget) -> LookUp:
        """Everything the gateway holds under our number. Moves nothing."""
        ...

    def look_up_void(self, movement: Movement, *, budget: Budget) -> LookUp:
        """Whether the hold has ended, as `look_up` tells of a refund. Moves nothing."""
        ...

    def list_refunds(self, since: datetime, cursor: str, *, budget: Budget) -> RefundListing:
        """A page of all refunds created since, ours or not, oldest first where the gateway can. First
        cursor: ""."""
        ...

    def parse_webhook(self, headers: Mapping[str, str], body: bytes) -> tuple[GatewayEvent, ...]:
        """Verify, then read. Empty: a kind the engine has no use for. Raises BadSignature or BadPayload."""
        ...
