"""Random orders with everything a shop can state, and random wishes: by a seed, so that thousands take seconds.

Small amounts meet every rounding, usual ones are those of shops, large ones must lose no digit; what an amount of a
currency with 0 or 3 decimals looks like in minor units lies within them.
"""

from dataclasses import replace
from random import Random

from refunds.money import Ask, DiscountMoney, Fee, LineMoney, OrderMoney, Terms, free_minor, paid_minor
from refunds.money.price import prices

CURRENCIES = ("JPY", "EUR", "KWD")
MOST = (3, 12, 250, 5_000, 1_000_000, 10**15)


def an_order(seed: Random, lines: int) -> OrderMoney:
    """As many lines, with discounts of every kind, both kinds of tax, a deposit, gifts, points, paid too much."""
    bought = tuple(_line(seed, i) for i in range(lines))
    order = OrderMoney(seed.choice(CURRENCIES), seed.random() < 0.5, bought)
    for i in range(seed.choice((0, 0, 1, 2, 4))):
        order = replace(order, discounts=(*order.discounts, _discount(seed, order, i)))
    order = replace(order, lines=tuple(_taxed(seed, order)))
    shipping = _amount(seed)
    order = replace(
        order,
        shipping_minor=shipping,
        shipping_tax_minor=seed.randint(0, shipping),
        supplement_minor=seed.choice((0, seed.randint(0, shipping))),
        points_earned=seed.choice((0, seed.randint(0, 500))),
    )
    paid = paid_minor(order)
    deposit = seed.choice((0, 0, seed.randint(0, paid)))
    return replace(order, non_refundable_minor=deposit, captured_minor=paid + seed.choice((0, 0, _amount(seed))))


def some_terms(seed: Random) -> Terms:
    fees = [Fee(seed.choice((0, 0, 100, 1000)), seed.choice((0, 0, 3, 499))) for _ in range(2)]
    chance = [seed.random() < 0.5 for _ in range(4)]
    return Terms(seed.choice(("completing", "completing", "first", "never")), chance[0], *fees, *chance[1:])


def some_wish(seed: Random, order: OrderMoney) -> Ask:
    """Units mostly, or amounts, or both; never more than is left."""
    units = {x.line_id: seed.randint(0, x.left_units) for x in order.lines if seed.random() < 0.4}
    kind = seed.random()
    if kind < 0.7:
        return Ask(units=units, shipping=seed.choice((None, None, None, True, False)))
    if kind < 0.8:
        return Ask(shipping=True, overpaid=seed.random() < 0.5)
    if kind < 0.9:
        return Ask(units=units if kind < 0.82 else {}, adjustments=_adjustments(seed, order))
    return Ask(amount_minor=seed.randint(0, free_minor(order)))


def _adjustments(seed: Random, order: OrderMoney) -> dict[str, int]:
    return {x.line_id: seed.randint(0, x.list_minor) for x in order.lines if seed.random() < 0.2}


def _amount(seed: Random) -> int:
    return seed.randint(0, seed.choice(MOST))


def _line(seed: Random, i: int) -> LineMoney:
    return LineMoney(
        line_id=f"L{i}",
        name=f"Thing {i}",
        quantity=seed.choice((1, 1, 2, 3, 7)),
        list_minor=_amount(seed),
        tax_minor=0,
        gift_for=f"L{seed.randrange(i)}" if i and seed.random() < 0.15 else "",
        tax_rate=seed.choice(("", "7", "19")),
    )


def _discount(seed: Random, order: OrderMoney, i: int) -> DiscountMoney:
    """Up to all of what the lines it is for still cost: of one line, some, or the order."""
    ids = [line.line_id for line in order.lines]
    chosen = seed.choice((None, tuple(seed.sample(ids, seed.randint(1, len(ids))))))
    scope = [seed_line in (chosen or ids) for seed_line in ids]
    most = sum(price.goods_minor for price, inside in zip(prices(order), scope, strict=True) if inside)
    spent = sum(line.list_minor for line, inside in zip(order.lines, scope, strict=True) if inside)
    amount = seed.choice((most, seed.randint(0, most), seed.randint(0, most // 10)))
    payer = seed.choice(("shop", "platform", "points"))
    return DiscountMoney(f"Discount {i}", amount, chosen, payer, seed.choice((0, 0, seed.randint(0, spent))))


def _taxed(seed: Random, order: OrderMoney) -> list[LineMoney]:
    """All rates of one line's price are met, the usual ones more often."""
    taxed = []
    for line, price in zip(order.lines, prices(order), strict=True):
        usual = price.goods_minor * int(line.tax_rate or 0) // 119
        taxed.append(replace(line, tax_minor=seed.choice((usual, usual, seed.randint(0, price.goods_minor)))))
    return taxed
