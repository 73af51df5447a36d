"""Everything one message is made of, gathered at its claim, so that rendering needs nothing else."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Way(StrEnum):
    """How the money left: what may be promised about when it arrives depends on it."""

    ORIGINAL = "original"  # all of it to the payments it came from
    AGREED = "agreed"  # all of it moved outside by a person
    BOTH = "both"
    SETTLED = "settled"  # ended without a movement of ours, as by a lost dispute
    NOTHING = "nothing"  # there was nothing to pay back


@dataclass(frozen=True, slots=True)
class Item:
    """So many units of one thing that the refund is about."""

    name: str
    quantity: int


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """One message of one refund to one person.

    `identity` is the same for every attempt, `thread` for every message of the request; both without brackets.
    `refund` is the number of this refund, of which the request has `parts`; customers see `request` alone.
    `original_minor` and `agreed_minor` are what left, in the minor unit of `currency`. `requested_at` is aware, UTC.
    """

    template: str
    channel: str
    language: str
    to: str
    identity: str
    thread: str
    refund: str
    request: str
    order: str
    requested_at: datetime
    currency: str
    amount_minor: int
    original_minor: int = 0
    agreed_minor: int = 0
    payments: int = 1
    part: int = 1
    parts: int = 1
    items: tuple[Item, ...] = ()
    note: str = ""
    customer: str = ""
    shop: str = ""
    contact: str = ""
    sender: str = ""

    @property
    def way(self) -> Way:
        if not self.amount_minor:
            return Way.NOTHING
        if self.original_minor and self.agreed_minor:
            return Way.BOTH
        if self.agreed_minor:
            return Way.AGREED
        return Way.ORIGINAL if self.original_minor else Way.SETTLED
