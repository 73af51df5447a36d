"""What the money that is left pays for."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import partial

from refunds.money.left import share, shipping_left
from refunds.money.price import Price, prices
from refunds.money.types import LineMoney, OrderMoney


def units_within(order: OrderMoney, units: Mapping[str, int], money_minor: int) -> dict[str, tuple[int, int]]:
    """Of these units (line id to quantity) the most of each line that a request for it alone could have paid from so
    much money, and what they are worth without the shipping that completes an order.
    """
    completing = sum(line.left_units > 0 for line in order.lines) == 1
    freight = shipping_left(order).amount_minor if completing else 0
    found = {}
    for line, price in zip(order.lines, prices(order), strict=True):
        cost = partial(_cost, line, price, freight=freight)
        most = bisect_right(range(1, units.get(line.line_id, 0) + 1), money_minor, key=cost)
        found[line.line_id] = (most, share(line, price.paid, most).amount_minor if most else 0)
    return found


def _cost(line: LineMoney, price: Price, quantity: int, *, freight: int) -> int:
    return share(line, price.paid, quantity).amount_minor + (freight if quantity == line.left_units else 0)
