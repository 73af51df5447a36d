"""What a replay of past requests comes to, counted and in words."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from refunds.amounts import format_minor
from refunds.management.writing import table
from refunds.services.simulation import Replayed
from refunds.simulating import Compared, Difference

_HEADER = ("DIFFERENCE", "WAS", "WOULD BE", "REFUNDS", "MONEY BEFORE", "MONEY AFTER")


@dataclass(slots=True)
class Sums:
    """So many refunds, and what they come to before and after, in minor units."""

    refunds: int = 0
    before_minor: int = 0
    after_minor: int = 0

    def add(self, compared: Compared) -> None:
        self.refunds += 1
        self.before_minor += compared.was.amount_minor
        self.after_minor += compared.would.amount_minor

    def cells(self, currency: str) -> tuple[str, ...]:
        return (str(self.refunds), _money(self.before_minor, currency), _money(self.after_minor, currency))


@dataclass(slots=True)
class Tally:
    """What has been replayed so far: `all` by currency, `otherwise` those decided otherwise, and by each difference."""

    seen: int = 0
    others: int = 0
    unsaid: Counter[str] = field(default_factory=Counter)
    all: defaultdict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))
    otherwise: defaultdict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))
    by_difference: defaultdict[tuple[str, Difference], Sums] = field(default_factory=lambda: defaultdict(Sums))

    def add(self, one: Replayed) -> None:
        self.seen += 1
        self.others += one.is_others
        if one.why:
            self.unsaid[one.why.split(":")[0]] += 1
        if one.compared is None:
            return
        self.all[one.currency].add(one.compared)
        if one.compared.differences:
            self.otherwise[one.currency].add(one.compared)
        for difference in one.compared.differences:
            self.by_difference[one.currency, difference].add(one.compared)


def summary(tally: Tally) -> list[str]:
    compared = sum(sums.refunds for sums in tally.all.values())
    otherwise = sum(sums.refunds for sums in tally.otherwise.values())
    lines = [f"Refunds looked at: {tally.seen}"]
    if tally.others:
        lines.append(f"  of orders that this policy is not for: {tally.others}")
    lines += [f"  not comparable, {why}: {count}" for why, count in sorted(tally.unsaid.items())]
    lines.append(f"  compared: {compared}, of which would be decided otherwise: {otherwise}")
    if otherwise:
        lines += ["", *table("Decided otherwise", _HEADER, _rows(tally))]
    return lines


def is_news(one: Replayed) -> bool:
    """It would be decided otherwise, or nobody can say."""
    return bool(one.why or (one.compared and one.compared.differences))


def told(one: Replayed) -> str:
    """A line for one refund, as it was and as it would be."""
    if one.compared is None:
        return f"{one.number}  not comparable: {one.why}"
    return f"{one.number}  " + "; ".join(_differences(one.compared, one.currency))


def _differences(compared: Compared, currency: str) -> Iterator[str]:
    was, would = compared.was, compared.would
    amounts = {"fees": (was.fees_minor, would.fees_minor), "amount": (was.amount_minor, would.amount_minor)}
    for one in compared.differences:
        if one.what in amounts:
            before, after = (_money(minor, currency) for minor in amounts[one.what])
        else:
            before, after = one.was, one.would
        yield f"{one.what}: {before} -> {after}"


def _rows(tally: Tally) -> Iterable[tuple[str, ...]]:
    for (currency, one), sums in sorted(tally.by_difference.items(), key=_order):
        yield (one.what, one.was, one.would, *sums.cells(currency))
    for title, found in (("all of these", tally.otherwise), ("all compared", tally.all)):
        for currency, sums in sorted(found.items()):
            yield (title, "", "", *sums.cells(currency))


def _order(item: tuple[tuple[str, Difference], Sums]) -> tuple[str, ...]:
    (currency, one), _ = item
    return (currency, one.what, one.was, one.would)


def _money(minor: int, currency: str) -> str:
    return format_minor(minor, currency, "en")
