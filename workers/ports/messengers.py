"""Messengers: the ways to reach people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from workers.ports.calls import Budget, NotSent, Refused, Unknown


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
