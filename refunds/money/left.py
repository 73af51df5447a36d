"""What is left of an order's money, and parts of it that never take more: no amount, no tax, no net amount.

A part of what is left takes at most the tax that is left, and leaves at least as much amount as tax. So whichever
refunds come and go, the last one ends both exactly.
"""

from collections.abc import Iterable

from refunds.money.drawn import LineShare
from refunds.money.price import Price, paid_minor, prices, shipping
from refunds.money.shares import part_of, within
from refunds.money.types import LineMoney, OrderMoney


def total(shares: Iterable[LineShare]) -> LineShare:
    """All of them together."""
    amount = tax = 0
    for one in shares:
        amount, tax = amount + one.amount_minor, tax + one.tax_minor
    return LineShare(amount, tax)


def less(whole: LineShare, *parts: LineShare) -> LineShare:
    """What the parts leave of it: never negative, and no more tax than amount."""
    gone = total(parts)
    amount = max(0, whole.amount_minor - gone.amount_minor)
    return LineShare(amount, within(whole.tax_minor - gone.tax_minor, 0, amount))


def fit(left: LineShare, amount_minor: int, tax_minor: int) -> LineShare:
    """As much as is wanted of what is left, as near to the wanted tax as can be."""
    amount = within(amount_minor, 0, left.amount_minor)
    return LineShare(amount, within(tax_minor, max(0, amount - left.net_minor), min(amount, left.tax_minor)))


def part(left: LineShare, amount_minor: int) -> LineShare:
    """So much of what is left, with the tax in proportion."""
    return fit(left, amount_minor, part_of(left.tax_minor, amount_minor, of=left.amount_minor))


def line_left(line: LineMoney, paid: LineShare) -> LineShare:
    """What no refund has taken of the line."""
    refunded = LineShare(line.refunded_minor, line.refunded_tax_minor)
    return less(paid, refunded, LineShare(line.adjusted_minor, line.adjusted_tax_minor))


def goods_left(order: OrderMoney, priced: Iterable[Price]) -> dict[str, LineShare]:
    """What no refund has taken of each line, by its id, at these prices of the lines."""
    return {line.line_id: line_left(line, price.paid) for line, price in zip(order.lines, priced, strict=True)}


def share(line: LineMoney, paid: LineShare, quantity: int) -> LineShare:
    """The worth of so many more units: what all taken so far are worth together of the price as it was adjusted, less
    what earlier refunds took. It is not the difference of two such sums, since one in between may have been cancelled.
    """
    taken = line.refunded_units + quantity
    price = less(paid, LineShare(line.adjusted_minor, line.adjusted_tax_minor))
    amount = part_of(price.amount_minor, taken, of=line.quantity) - line.refunded_minor
    tax = part_of(price.tax_minor, taken, of=line.quantity) - line.refunded_tax_minor
    return fit(line_left(line, paid), amount, tax)


def shipping_left(order: OrderMoney) -> LineShare:
    """What of the shipping has not come back yet."""
    return less(shipping(order), LineShare(order.shipping_refunded_minor, order.shipping_tax_refunded_minor))


def overpaid_minor(order: OrderMoney) -> int:
    """What was captured beyond the price of the order and has not come back: never more than what is free leaves when
    all that no refund has taken is paid back, whoever gave the rest. What a hold that is over was to pay for is not
    owed any more.
    """
    owed = paid_minor(order) - order.taken.voided_minor
    beyond = max(0, order.captured_minor - owed - order.taken.overpaid_minor)
    if order.free_minor is None:
        return beyond
    goods_minor = total(goods_left(order, prices(order)).values()).amount_minor
    return within(order.free_minor - goods_minor - shipping_left(order).amount_minor, 0, beyond)
