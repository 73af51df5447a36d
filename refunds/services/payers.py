"""Which payments of an order give an amount, in which turn, and where it goes instead of back to them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from orders.models import PaymentShare
from refunds.money import Purse, split_in_turns


@dataclass(frozen=True, slots=True)
class Source:
    """A payment share that can give. `turn`: when, of several. `target`: the account that its money goes to instead of
    back, empty: back."""

    share: PaymentShare
    turn: int
    target: str = ""


class Gives(NamedTuple):
    """So much (minor units) of a payment share; `held_minor` of it is held and was not captured."""

    share_id: int
    amount_minor: int
    held_minor: int = 0
    target: str = ""

    @property
    def captured_minor(self) -> int:
        return self.amount_minor - self.held_minor


def payers(amount_minor: int, left: Mapping[int, int], sources: Sequence[Source]) -> tuple[Gives, ...]:
    """What was captured gives first, what is only held gives the rest; `left` is what each share has still free."""
    shares = [source.share for source in sources]
    holds = {share.id: min(left[share.id], share.authorized_minor) for share in shares}
    turns = {source.share.id: source.turn for source in sources}
    captured = _taken(amount_minor, {share.id: left[share.id] - holds[share.id] for share in shares}, turns)
    held = _taken(amount_minor - captured.total(), holds, turns)
    return tuple(gives for source in sources for gives in _of(source, captured, held) if gives.amount_minor)


def _taken(amount_minor: int, free: Mapping[int, int], turns: Mapping[int, int]) -> Counter[int]:
    """As much of the amount as is free, by share."""
    if not amount_minor:
        return Counter()
    purses = [Purse(share_id, minor, turns[share_id]) for share_id, minor in free.items()]
    return Counter(dict(split_in_turns(min(amount_minor, sum(free.values())), purses)))


def _of(source: Source, captured: Counter[int], held: Counter[int]) -> Iterator[Gives]:
    """Money that was not captured goes nowhere else: it is a movement of its own then, after the other."""
    share_id = source.share.id
    if source.target:
        yield Gives(share_id, captured[share_id], target=source.target)
        yield Gives(share_id, held[share_id], held[share_id])
    else:
        yield Gives(share_id, captured[share_id] + held[share_id], held[share_id])
