"""What a refund gives before anything is taken off: units, shipping, adjustments and free amounts, all gross."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from refunds.money.asked import Ask, Terms
from refunds.money.case import Case, without
from refunds.money.drawn import NOTHING, LineShare
from refunds.money.left import fit, less, overpaid_minor, part, share, shipping_left, total
from refunds.money.price import shipping
from refunds.money.shares import allocate, part_of
from refunds.money.types import OrderMoney, whole


class MoreThanLeft(ValueError):
    """More is asked than is left, in minor units; of one line, or of all ("")."""

    def __init__(self, line_id: str, *, asked_minor: int, left_minor: int) -> None:
        where = f"line {line_id}: " if line_id else ""
        super().__init__(f"{where}{asked_minor} wanted, {left_minor} left")
        self.line_id, self.asked_minor, self.left_minor = line_id, asked_minor, left_minor


#: Stand beside the lines' ids, which are not empty and no blank.
SHIPPING, WITHHELD = "", " "


@dataclass(frozen=True, slots=True)
class Given:
    """What comes back gross: of `units`, and the `freight` with them by the terms; of adjusted lines, exactly as asked,
    `spread` being a free amount on them, `extra` what it takes of the shipping and `returned` of what earlier refunds
    withheld (negative: what they gave back too much); and what was paid too much.
    """

    units: dict[str, LineShare]
    freight: LineShare
    adjusted: dict[str, LineShare]
    spread: dict[str, LineShare]
    extra: LineShare
    returned: LineShare
    overpaid_minor: int

    @property
    def goods(self) -> LineShare:
        return total(self.units.values())

    @property
    def back(self) -> LineShare:
        """What the shop may keep something of."""
        return total([self.goods, self.freight])

    @property
    def adjustments(self) -> dict[str, LineShare]:
        """By line, what its price is lowered by."""
        ids = [*self.adjusted, *(line_id for line_id in self.spread if line_id not in self.adjusted)]
        return {i: total([self.adjusted.get(i, NOTHING), self.spread.get(i, NOTHING)]) for i in ids}

    @property
    def exact(self) -> LineShare:
        """What is given as it was asked for: nothing is taken off it."""
        return total([*self.adjusted.values(), *self.spread.values(), self.extra, self.returned])


def given(case: Case) -> Given:
    """Raises ValueError when more is asked than is left, or of a line that the order does not have."""
    order, ask = case.order, case.ask
    _check_units(order, ask.units)
    units, freight = _of_units(case), freight_due(case)
    overpaid = overpaid_minor(order) if ask.overpaid else 0
    if not ask.adjustments and ask.amount_minor is None:
        return Given(units, freight, {}, {}, NOTHING, NOTHING, overpaid)
    left = _left_after(case, units, freight)
    may = _may_take(case, left)
    adjusted = {line_id: _off(may, line_id, minor) for line_id, minor in ask.adjustments.items()}
    spread = _spread(case, _each_less(may, adjusted))
    if _is_all(case, left, [*adjusted.values(), *spread.values()]):
        spread = {**_each_less(left, adjusted), WITHHELD: owed(case)}
    extra, returned = spread.pop(SHIPPING), spread.pop(WITHHELD)
    return Given(units, freight, _some(adjusted), _some(spread), extra, returned, overpaid)


def free_minor(order: OrderMoney) -> int:
    """The most that a free amount may be."""
    case = Case.of(order, Ask())
    return total(_may_take(case, _left_after(case, {}, NOTHING)).values()).amount_minor


def fitting(order: OrderMoney, ask: Ask, terms: Terms) -> Ask:
    """What is asked, with no more by amount than is left beside the units."""
    case = Case.of(order, ask, terms)
    left = _may_take(case, _left_after(case, _of_units(case), freight_due(case)))
    off = {key: min(minor, left.get(key, NOTHING).amount_minor) for key, minor in ask.adjustments.items()}
    rest = total(left.values()).amount_minor - sum(off.values())
    free = None if ask.amount_minor is None else min(ask.amount_minor, rest)
    return replace(ask, adjustments=off, amount_minor=free)


def freight_due(case: Case) -> LineShare:
    """What of the shipping comes back now: asked for, or by the terms with units; once, and the supplement only where
    it is given back.
    """
    left = shipping_left(case.order)
    due = _comes_by_itself(case) if case.ask.shipping is None else case.ask.shipping
    kept = NOTHING if case.terms.supplement else supplement(case.order)
    return fit(left, left.amount_minor - kept.amount_minor, left.tax_minor - kept.tax_minor) if due else NOTHING


def supplement(order: OrderMoney) -> LineShare:
    """The part of the shipping that is for express, gross."""
    full = shipping(order)
    minor = min(order.supplement_minor, order.shipping_minor)
    return part(full, part_of(full.amount_minor, minor, of=order.shipping_minor))


def _of_units(case: Case) -> dict[str, LineShare]:
    """What the units asked for are worth, by line; of none there is nothing."""
    asked = [(line, price, case.ask.units.get(line.line_id)) for line, price in case.lines]
    return {line.line_id: share(line, price.paid, n) for line, price, n in asked if n}


def _comes_by_itself(case: Case) -> bool:
    if not case.asks_units or case.terms.shipping == "never":
        return False
    return case.terms.shipping == "first" or not case.keeps_units


def _left_after(case: Case, units: Mapping[str, LineShare], freight: LineShare) -> dict[str, LineShare]:
    """What the units leave of each line, and of the shipping."""
    left = {key: less(one, units.get(key, NOTHING)) for key, one in case.goods_left.items()}
    return {**left, SHIPPING: less(shipping_left(case.order), freight)}


def owed(case: Case) -> LineShare:
    """What of the money withheld an exact amount settles. What was given back beyond it, since one that had kept it was
    cancelled, comes off; what is still withheld once no unit is kept any more is given back.
    """
    kept = case.withheld
    if not case.keeps_units:
        return kept
    net, tax = min(0, kept.net_minor), min(0, kept.tax_minor)
    return LineShare(net + tax, tax)


def _may_take(case: Case, left: dict[str, LineShare]) -> dict[str, LineShare]:
    """What an exact amount may take of each line, of the shipping, and of what is withheld."""
    due = owed(case)
    over_net, over_tax = max(0, -due.net_minor), max(0, -due.tax_minor)
    net, tax = max(0, due.net_minor), max(0, due.tax_minor)
    return {**without(left, LineShare(over_net + over_tax, over_tax)), WITHHELD: LineShare(net + tax, tax)}


def _is_all(case: Case, left: Mapping[str, LineShare], taken: list[LineShare]) -> bool:
    """Nothing is to be given any more after it: whatever happened before, it settles all that is open."""
    return total(taken) == total([*left.values(), owed(case)])


def _each_less(lefts: Mapping[str, LineShare], parts: Mapping[str, LineShare]) -> dict[str, LineShare]:
    return {key: less(one, parts.get(key, NOTHING)) for key, one in lefts.items()}


def _check_units(order: OrderMoney, units: Mapping[str, int]) -> None:
    left = {line.line_id: line.left_units for line in order.lines}
    for line_id, quantity in units.items():
        if line_id not in left:
            raise ValueError(f"the order has no line {line_id}")
        if whole(quantity, f"quantity of line {line_id}") > left[line_id]:
            raise ValueError(f"line {line_id}: {quantity} wanted, {left[line_id]} left")


def _off(left: Mapping[str, LineShare], line_id: str, amount_minor: int) -> LineShare:
    """An adjustment of a line."""
    if line_id not in left or line_id in (SHIPPING, WITHHELD):
        raise ValueError(f"the order has no line {line_id}")
    if whole(amount_minor, f"adjustment of line {line_id}") > left[line_id].amount_minor:
        raise MoreThanLeft(line_id, asked_minor=amount_minor, left_minor=left[line_id].amount_minor)
    return part(left[line_id], amount_minor)


def _spread(case: Case, left: dict[str, LineShare]) -> dict[str, LineShare]:
    """A free amount over what is left of the lines, in proportion to it; what is more than that off the shipping, then
    of what is withheld.
    """
    amount_minor = whole(case.ask.amount_minor or 0, "amount_minor")
    most = total(left.values()).amount_minor
    if amount_minor > most:
        raise MoreThanLeft("", asked_minor=amount_minor, left_minor=most)
    goods = [left[line.line_id].amount_minor for line in case.order.lines]
    of_goods = min(amount_minor, sum(goods))
    freight = min(amount_minor - of_goods, left[SHIPPING].amount_minor)
    parts = [*allocate(of_goods, goods), freight, amount_minor - of_goods - freight]
    return {key: part(one, minor) for (key, one), minor in zip(left.items(), parts, strict=True)}


def _some(shares: Mapping[str, LineShare]) -> dict[str, LineShare]:
    return {key: one for key, one in shares.items() if one.amount_minor}
