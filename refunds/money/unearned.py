"""What the customer would enjoy without having earned it, once the units asked for are gone.

Both are targets on what he keeps: with the last units of the order they are zero.
"""

from dataclasses import dataclass

from refunds.money.case import Case
from refunds.money.price import Price
from refunds.money.shares import part_of
from refunds.money.types import DiscountMoney, LineMoney


@dataclass(frozen=True, slots=True)
class Unearned:
    """`coupons_minor`: discounts on what he keeps, which is less than their minimum spend; `coupons` are their labels.
    `gifts_minor`: the stated value, less what was paid, of gifts that what he keeps does not come with; `gifts` are
    their names.
    """

    coupons_minor: int = 0
    coupons: tuple[str, ...] = ()
    gifts_minor: int = 0
    gifts: tuple[str, ...] = ()


def unearned(case: Case) -> Unearned:
    coupons = {discount.label: minor for i, discount in enumerate(case.order.discounts) if (minor := _coupon(case, i))}
    gifts = [(line.name, minor) for line, price in case.lines if (minor := _gift(case, line, price))]
    return Unearned(
        coupons_minor=sum(coupons.values()),
        coupons=tuple(coupons),
        gifts_minor=sum(minor for _, minor in gifts),
        gifts=tuple(name for name, _ in gifts),
    )


def _coupon(case: Case, index: int) -> int:
    """The discount's share on what is kept, where that is below its minimum."""
    discount = case.order.discounts[index]
    spent = sum(_kept(case, line, line.list_minor) for line, _ in case.lines if _is_for(discount, line))
    if spent >= discount.minimum_minor:
        return 0
    return sum(_kept(case, line, price.discounts[index]) for line, price in case.lines)


def _gift(case: Case, line: LineMoney, price: Price) -> int:
    """Of so many gifts for so many units of a line, those units that are kept earn a part, rounded down."""
    if not line.gift_for:
        return 0
    giver = next((x for x in case.order.lines if x.line_id == line.gift_for and x.quantity), None)
    if giver is None:
        return 0
    earned = line.quantity * max(0, giver.quantity - case.gone(giver)) // giver.quantity
    kept = max(0, line.quantity - case.gone(line))
    return part_of(line.list_minor - price.goods_minor, max(0, kept - earned), of=line.quantity)


def _kept(case: Case, line: LineMoney, minor: int) -> int:
    """So much of a line's amount is on the units that stay."""
    return minor - part_of(minor, min(case.gone(line), line.quantity), of=line.quantity)


def _is_for(discount: DiscountMoney, line: LineMoney) -> bool:
    return discount.lines is None or line.line_id in discount.lines
