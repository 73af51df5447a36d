"""Lines that were sold as a set."""

from math import gcd

from refunds.money.case import Case
from refunds.money.types import LineMoney


class SoldAsSet(ValueError):
    """A set must come back whole: so many units (`units`) of these lines together."""

    def __init__(self, lines: tuple[str, ...], *, units: int) -> None:
        super().__init__(f"Sold as a set: return all {units}")
        self.lines, self.units = lines, units


def check_sets(case: Case) -> None:
    """Raises SoldAsSet where what is asked would leave a part of a set that may not be split. By the terms a set may be
    where each line of it has a price of its own.
    """
    for bundle in {line.bundle for line in case.order.lines if line.bundle and line.quantity}:
        lines = [line for line in case.order.lines if line.bundle == bundle and line.quantity]
        may_be_split = case.terms.bundles == "split" and all(line.list_minor for line in lines)
        if not may_be_split and _is_split(case, lines):
            sets = gcd(*(line.quantity for line in lines))
            raise SoldAsSet(tuple(x.line_id for x in lines), units=sum(x.quantity for x in lines) // sets)


def _is_split(case: Case, lines: list[LineMoney]) -> bool:
    """Of the lines that units are asked of together, not the same part is gone after that."""
    if not any(case.ask.units.get(line.line_id) for line in lines):
        return False
    first = lines[0]
    return any(case.gone(line) * first.quantity != case.gone(first) * line.quantity for line in lines)
