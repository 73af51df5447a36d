"""Several payments in a stated order: one gives only once those before it are empty."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from refunds.money.shares import split
from refunds.money.types import whole


@dataclass(frozen=True, slots=True)
class Purse:
    """A payment share with what is free of it, and when its turn is; those of one turn give in proportion."""

    id: int
    free_minor: int
    turn: int = 0


def split_in_turns(amount_minor: int, purses: Sequence[Purse]) -> list[tuple[int, int]]:
    """The amount over the purses (id, minor units): the lower turn first, never above what is free. Parts of zero are
    left out; the order is that of the purses. ValueError when more is asked than all have free.

    What movements hold of an amount is spread anew in the same way when it falls: the last to give gets back first.
    """
    left = whole(amount_minor, "amount_minor")
    parts: dict[int, int] = {}
    for _, turn in groupby(sorted(purses, key=lambda purse: purse.turn), key=lambda purse: purse.turn):
        free = [(purse.id, purse.free_minor) for purse in turn]
        given = min(left, sum(minor for _, minor in free))
        parts.update(split(given, free))
        left -= given
    if left:
        raise ValueError(f"{amount_minor} asked, {amount_minor - left} free")
    return [(purse.id, parts[purse.id]) for purse in purses if purse.id in parts]
