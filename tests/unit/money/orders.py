"""Random orders whose money is in order, for the property tests."""

from dataclasses import replace

from hypothesis import strategies as st

from refunds.money import DiscountMoney, LineMoney, OrderMoney
from refunds.money.price import prices

#: Small numbers meet every rounding; large ones must lose no digit.
amounts = st.one_of(st.integers(0, 12), st.integers(0, 10_000), st.integers(0, 10**20))


@st.composite
def orders(draw):
    gross = draw(st.booleans())
    lines = tuple(
        LineMoney(f"L{i}", f"Thing {i}", draw(st.integers(1, 7)), cost, 0)
        for i, cost in enumerate(draw(st.lists(amounts, min_size=1, max_size=4)))
    )
    order = OrderMoney("EUR", gross, lines)
    for i in range(draw(st.integers(0, 3))):
        order = replace(order, discounts=(*order.discounts, _discount(draw, order, f"Discount {i}")))
    shipping = draw(amounts)
    taxed = [
        replace(line, tax_minor=_tax(draw, paid=cost, gross=gross))
        for line, cost in zip(lines, costs(order), strict=True)
    ]
    return replace(
        order,
        lines=tuple(taxed),
        shipping_minor=shipping,
        shipping_tax_minor=_tax(draw, paid=shipping, gross=gross),
    )


def costs(order):
    """What each line of an order costs."""
    return [price.paid.amount_minor for price in prices(order)]


def _tax(draw, *, paid, gross):
    return draw(st.integers(0, paid)) if gross else draw(amounts)


def _discount(draw, order, label):
    """Up to all of what the lines it is for still cost."""
    ids = [line.line_id for line in order.lines]
    chosen = draw(st.none() | st.sets(st.sampled_from(ids), min_size=1).map(sorted).map(tuple))
    most = sum(cost for line_id, cost in zip(ids, costs(order), strict=True) if chosen is None or line_id in chosen)
    return DiscountMoney(label, draw(st.just(most) | st.integers(0, most)), chosen)
