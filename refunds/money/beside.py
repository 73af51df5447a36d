"""What a sheet tells beside its amount: points to take back, what the payers of discounts get, the tax by rate."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from refunds.money.case import Case
from refunds.money.drawn import NOTHING, LineShare
from refunds.money.giving import Given
from refunds.money.left import total
from refunds.money.shares import allocate, part_of

SHOP = "shop"


def points(case: Case, gives: Given) -> int:
    """The share of the earned points for what comes back of the goods; all of them with the last of it."""
    still_open = max(0, case.order.points_earned - case.order.taken.points)
    left = sum(line.amount_minor for line in case.goods_left.values())
    goods = gives.goods.amount_minor + sum(one.amount_minor for one in gives.adjustments.values())
    return part_of(still_open, goods, of=left)


def funded(case: Case) -> dict[str, int]:
    """What each payer of discounts, but the shop itself, gets back for the units that are gone."""
    due = Counter[str]()
    for line, price in case.lines:
        gone = min(case.gone(line), line.quantity)
        for discount, minor in zip(case.order.discounts, price.discounts, strict=True):
            due[discount.funded_by] += part_of(minor, gone, of=line.quantity)
    before = case.order.taken.funded
    back = {payer: minor - before.get(payer, 0) for payer, minor in due.items() if payer != SHOP}
    return {payer: minor for payer, minor in back.items() if minor > 0}


def taxes(case: Case, gives: Given, worth: LineShare) -> dict[str, LineShare]:
    """The worth by tax rate as the lines state it (the shipping and others: ""), in proportion to what comes back."""
    gross: defaultdict[str, list[LineShare]] = defaultdict(list)
    for line in case.order.lines:
        gross[line.tax_rate] += [of[line.line_id] for of in (gives.units, gives.adjustments) if line.line_id in of]
    gross[""] += [gives.freight, gives.extra]
    return by_rate({rate: total(shares) for rate, shares in gross.items()}, worth)


def by_rate(rates: Mapping[str, LineShare], worth: LineShare) -> dict[str, LineShare]:
    """The worth spread in proportion to what there is of each rate."""
    rates = {**rates, "": rates.get("", NOTHING)}
    nets = _spread(worth.net_minor, {rate: one.net_minor for rate, one in rates.items()})
    taxed = _spread(worth.tax_minor, {rate: one.tax_minor for rate, one in rates.items()})
    found = {rate: LineShare(nets[rate] + taxed[rate], taxed[rate]) for rate in rates}
    return {rate: one for rate, one in found.items() if one.amount_minor}


def _spread(minor: int, weights: Mapping[str, int]) -> dict[str, int]:
    """In proportion; where nothing else comes back, it has no rate."""
    if not any(weights.values()):
        return {**weights, "": minor}
    return dict(zip(weights, allocate(minor, list(weights.values())), strict=True))
