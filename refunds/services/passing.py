"""What goes into a pass over refunds, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from refunds.judging import Attempt
from refunds.models import Refund
from refunds.services.parcel_calls import ParcelOut, slot_of
from workers.ports import Movement


@dataclass(frozen=True, slots=True)
class Outbound:
    """A claimed call: what to send to the account's gateway, or (`asks`) only to look up there. `voids`: it is about
    the end of a hold."""

    refund_id: int
    account: str
    movement: Movement
    of: Attempt
    asks: bool
    voids: bool = False

    @property
    def slot(self) -> str:
        return slot_of(self.account, asks=self.asks)


@dataclass(slots=True)
class Pass:
    """Where each refund stands after a pass: calls to make, seconds to wait for room, or when it is due again.

    The units of `unconfirmed` count as left.
    """

    calls: list[Outbound | ParcelOut] = field(default_factory=list)
    waiting: dict[int, float] = field(default_factory=dict)
    due_in: dict[int, float | None] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)
    unconfirmed: list[Refund] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Claims:
    """How T1 claims: `take` asks for a slot (`slot_of`), `wait` says in how many seconds to try for one again."""

    take: Callable[[str], bool]
    wait: Callable[[str], float]
