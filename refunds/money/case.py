"""What a sheet is drawn up from: an order with its prices, what is asked, and the terms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from refunds.money.asked import NO_DEDUCTION, Ask, Terms
from refunds.money.drawn import LineShare, Sheet
from refunds.money.left import goods_left, less, shipping_left, total
from refunds.money.price import Price, prices
from refunds.money.types import LineMoney, OrderMoney


@dataclass(frozen=True, slots=True)
class Case:
    """`priced` is what each line costs, `goods_left` by line id what no refund has taken of it."""

    order: OrderMoney
    ask: Ask
    terms: Terms
    priced: tuple[Price, ...]
    goods_left: dict[str, LineShare]

    @classmethod
    def of(cls, order: OrderMoney, ask: Ask, terms: Terms = NO_DEDUCTION) -> "Case":
        """Raises DiscountTooHigh."""
        priced = tuple(prices(order))
        return cls(order, ask, terms, priced, goods_left(order, priced))

    def asking(self, ask: Ask, terms: Terms) -> "Case":
        """Something else of the same order."""
        return replace(self, ask=ask, terms=terms)

    def after(self, units: Mapping[str, int], sheet: Sheet) -> "Case":
        """Once a refund of these units has taken what its sheet says."""
        order = self.order.after(units, sheet)
        return replace(self, order=order, goods_left=goods_left(order, self.priced))

    @property
    def lines(self) -> Iterator[tuple[LineMoney, Price]]:
        return zip(self.order.lines, self.priced, strict=True)

    @property
    def left(self) -> LineShare:
        """What no refund has taken of lines and shipping."""
        return total([*self.goods_left.values(), shipping_left(self.order)])

    @property
    def goods_paid(self) -> LineShare:
        return total(price.paid for price in self.priced)

    @property
    def asks_units(self) -> bool:
        return any(self.ask.units.values())

    @property
    def withheld(self) -> LineShare:
        """What earlier refunds kept of coupons and gifts; negative: gave back, and what had kept it was cancelled."""
        taken = self.order.taken
        return LineShare(taken.clawed_back_minor + taken.gifts_minor, taken.withheld_tax_minor)

    @property
    def keeps_units(self) -> bool:
        """Whether the customer keeps any."""
        return any(self.gone(line) < line.quantity for line in self.order.lines)

    def gone(self, line: LineMoney) -> int:
        """The units of a line that the customer does not keep, those asked for among them."""
        return line.refunded_units + self.ask.units.get(line.line_id, 0)


def without(lefts: dict[str, LineShare], over: LineShare) -> dict[str, LineShare]:
    """What is left of each, where so much more of the whole is given already: the earlier ones give way first."""
    shorter = {}
    for key, left in lefts.items():
        tax = min(left.tax_minor, over.tax_minor)
        net = min(left.net_minor, over.net_minor)
        shorter[key] = less(left, LineShare(net + tax, tax))
        over = LineShare(over.amount_minor - net - tax, over.tax_minor - tax)
    return shorter
