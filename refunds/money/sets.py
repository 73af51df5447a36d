"""Lines that were sold as a set."""

from math import gcd

from refunds.money.asked import Ask, Terms
from refunds.money.types import LineMoney, OrderMoney


class SoldAsSet(ValueError):
    """A set must come back whole: so many units (`units`) of these lines together."""

    def __init__(self, lines: tuple[str, ...], *, units: int) -> None:
        super().__init__(f"Sold as a set: return all {units}")
        self.lines, self.units = lines, units


def check_sets(order: OrderMoney, ask: Ask, terms: Terms) -> None:
    """Raises SoldAsSet where what is asked would leave a part of a set that may not be split. By the terms a set may be
    where each line of it has a price of its own.
    """
    for bundle in dict.fromkeys(line.bundle for line in order.lines if line.bundle and line.quantity):
        lines = [line for line in order.lines if line.bundle == bundle and line.quantity]
        may_be_split = terms.bundles == "split" and all(line.list_minor for line in lines)
        if not may_be_split and _is_split(lines, ask):
            sets = gcd(*(line.quantity for line in lines))
            raise SoldAsSet(tuple(x.line_id for x in lines), units=sum(x.quantity for x in lines) // sets)


def _is_split(lines: list[LineMoney], ask: Ask) -> bool:
    """Units of it are asked for, and after that not the same part of each line is gone."""
    asked = [ask.units.get(line.line_id, 0) for line in lines]
    gone = [line.refunded_units + units for line, units in zip(lines, asked, strict=True)]
    return any(asked) and any(n * lines[0].quantity != gone[0] * x.quantity for x, n in zip(lines, gone, strict=True))
