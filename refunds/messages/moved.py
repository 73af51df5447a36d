"""Which way the money of a refund went: counted once, for mails and pages alike. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from refunds.states import MovementKind, MovementState

_OUT = (MovementState.SUCCEEDED, MovementState.EXTERNAL)


class Way(StrEnum):
    """Where all of the money went; what may be promised about when it arrives depends on it."""

    RELEASED = "released"  # nothing had been taken: the hold on it is over
    DISPUTED = "disputed"  # the customer's bank has paid it
    EXCHANGED = "exchanged"  # another order replaces the goods, and has the money
    AGREED = "agreed"  # moved outside by a person, or to another account of the customer
    CREDIT = "credit"  # to the customer's store credit
    ORIGINAL = "original"  # to the payments it came from
    NOTHING = "nothing"  # there was nothing to pay back
    MIXED = "mixed"  # several of them, or none that is known


_BY_KIND = {
    MovementKind.VOID: Way.RELEASED,
    MovementKind.DISPUTE: Way.DISPUTED,
    MovementKind.EXCHANGE: Way.EXCHANGED,
}


@dataclass(frozen=True, slots=True)
class Money:
    """One movement: so much in minor units, of the payment with this reference; `at` is when it was settled, `account`
    what the gateway calls the account that gets it, once it has said so. `is_credit`: as store credit, by whatever
    payment; `is_payout`: to another account of the customer; `by_hand`: a person pays it. `replaced_by`: the number of
    the one that pays anew what was reversed."""

    reference: str
    amount_minor: int
    state: MovementState
    at: datetime | None = None
    account: str = ""
    kind: MovementKind = MovementKind.REFUND
    is_credit: bool = False
    is_payout: bool = False
    number: str = ""
    replaced_by: str = ""
    by_hand: bool = False

    @property
    def way(self) -> Way:
        if self.kind in _BY_KIND:
            return _BY_KIND[self.kind]
        if self.is_payout or self.by_hand or self.state is MovementState.EXTERNAL:
            return Way.AGREED
        return Way.CREDIT if self.is_credit else Way.ORIGINAL


@dataclass(frozen=True, slots=True)
class Moved:
    """What has left each way, in minor units, and to how many original payments, by the names of their accounts.
    `returned_minor` had left and has come back."""

    released_minor: int = 0
    disputed_minor: int = 0
    exchanged_minor: int = 0
    agreed_minor: int = 0
    credit_minor: int = 0
    original_minor: int = 0
    returned_minor: int = 0
    payments: int = 1
    accounts: tuple[str, ...] = ()

    @property
    def by_way(self) -> dict[Way, int]:
        """Only the ways that something went."""
        amounts = {
            Way.RELEASED: self.released_minor,
            Way.DISPUTED: self.disputed_minor,
            Way.EXCHANGED: self.exchanged_minor,
            Way.AGREED: self.agreed_minor,
            Way.CREDIT: self.credit_minor,
            Way.ORIGINAL: self.original_minor,
        }
        return {way: minor for way, minor in amounts.items() if minor}

    @property
    def gone_minor(self) -> int:
        return sum(self.by_way.values())


def moved_of(movements: Iterable[Money], *, announced: bool = False) -> Moved:
    """`announced`: as a message tells of it that says it was sent; a reversal comes after that, and is told by its
    own."""
    every = list(movements)
    left = {m.number for m in every if m.state in (*_OUT, MovementState.REVERSED)}
    standing = [m for m in every if not m.replaced_by or (announced and m.replaced_by not in left)]
    back = [m for m in standing if m.state is MovementState.REVERSED]
    gone = [m for m in standing if m.state in _OUT] + (back if announced else [])
    amounts = Counter[str]()
    for money in gone:
        amounts[f"{money.way}_minor"] += money.amount_minor
    original = [m for m in gone if m.way is Way.ORIGINAL]
    return Moved(
        **amounts,
        returned_minor=0 if announced else sum(m.amount_minor for m in back),
        payments=len({m.reference for m in original}),
        accounts=tuple(sorted({m.account for m in original if m.account})),
    )


def way_of(amount_minor: int, moved: Moved) -> Way:
    """The one way that all of the amount went."""
    if not amount_minor:
        return Way.NOTHING
    return next((way for way, minor in moved.by_way.items() if minor >= amount_minor), Way.MIXED)
