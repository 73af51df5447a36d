"""What an order costs: list prices, less discounts spread over the lines they are for, plus tax on top."""

from collections.abc import Iterator
from dataclasses import dataclass

from orders.errors import FieldError
from refunds.money.drawn import LineShare
from refunds.money.shares import allocate
from refunds.money.types import DiscountMoney, LineMoney, OrderMoney


@dataclass(frozen=True, slots=True)
class Price:
    """What a whole line costs. `discounts` has the line's share of each of the order's discounts, in their order;
    `goods_minor` is the line after them, without tax on top.
    """

    paid: LineShare
    goods_minor: int
    discounts: tuple[int, ...]


class DiscountTooHigh(ValueError):
    """The order's discount at `index` takes more than its lines cost after earlier ones; no later one has a share."""

    def __init__(self, index: int, *, amount_minor: int, cost_minor: int) -> None:
        excess = amount_minor - cost_minor
        super().__init__(f"{amount_minor} off lines that cost {cost_minor} after earlier discounts: {excess} too much")
        self.index = index


def prices(order: OrderMoney) -> list[Price]:
    """What each line costs, in the order of the lines. Raises DiscountTooHigh."""
    left, shares = [line.list_minor for line in order.lines], []
    for index, discount in enumerate(order.discounts):
        weights = _cost(order, discount, left)
        if discount.amount_minor > sum(weights):
            raise DiscountTooHigh(index, amount_minor=discount.amount_minor, cost_minor=sum(weights))
        share = allocate(discount.amount_minor, weights)
        left = [cost - off for cost, off in zip(left, share, strict=True)]
        shares.append(share)
    by_line = zip(*shares, strict=True) if shares else [()] * len(left)
    return [
        Price(LineShare(cost + (0 if order.prices_include_tax else line.tax_minor), line.tax_minor), cost, tuple(off))
        for line, cost, off in zip(order.lines, left, by_line, strict=True)
    ]


def shipping(order: OrderMoney) -> LineShare:
    """What the shipping of the order costs, gross."""
    on_top = 0 if order.prices_include_tax else order.shipping_tax_minor
    return LineShare(order.shipping_minor + on_top, order.shipping_tax_minor)


def paid_minor(order: OrderMoney) -> int:
    """What the whole order costs: all lines after discounts, shipping, and tax where it comes on top."""
    return sum(price.paid.amount_minor for price in prices(order)) + shipping(order).amount_minor


def check_order(order: OrderMoney) -> list[FieldError]:
    """What is wrong with the money of an order, by field; empty: every sheet of it can be drawn up."""
    if structure := [*_repeated_lines(order.lines), *_unknown_lines(order)]:
        return structure
    try:
        return [*_tax_above_price(order)]
    except DiscountTooHigh as error:
        return [FieldError(f"discounts[{error.index}].amount_minor", "discount_too_high", str(error))]


def _cost(order: OrderMoney, discount: DiscountMoney, left: list[int]) -> list[int]:
    """What each line still costs, 0 for the lines the discount is not for."""
    lines = zip(order.lines, left, strict=True)
    return [cost if discount.lines is None or line.line_id in discount.lines else 0 for line, cost in lines]


def _repeated_lines(lines: tuple[LineMoney, ...]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for i, line in enumerate(lines):
        if line.line_id in seen:
            yield FieldError(f"lines[{i}].id", "repeated", f"line {line.line_id} is named twice: give each its own id")
        seen.add(line.line_id)


def _unknown_lines(order: OrderMoney) -> Iterator[FieldError]:
    known = {line.line_id for line in order.lines}
    for i, discount in enumerate(order.discounts):
        for j, line_id in enumerate(discount.lines or ()):
            if line_id not in known:
                yield FieldError(f"discounts[{i}].lines[{j}]", "unknown_line", f"the order has no line {line_id}")


def _tax_above_price(order: OrderMoney) -> Iterator[FieldError]:
    named = [(f"lines[{i}].tax_minor", price.paid) for i, price in enumerate(prices(order))]
    for field, paid in [*named, ("shipping_tax_minor", shipping(order))]:
        if paid.tax_minor > paid.amount_minor:
            detail = f"tax of {paid.tax_minor} cannot be within {paid.amount_minor}, the price after discounts"
            yield FieldError(field, "tax_too_high", detail)
