"""Whatever is asked, in whichever order, cancelled or made smaller in between: the money adds up, to the minor unit.

The same examples every time, so that one run says as much as another; `make properties` plays others, and for longer.
"""

import os
from dataclasses import replace
from functools import reduce
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refunds.money import (
    Ask,
    EntryKind,
    OrderMoney,
    Sheet,
    Terms,
    allocate,
    capped,
    fitting,
    free_minor,
    paid_minor,
    prices,
    sheet,
    split,
)
from refunds.money.price import shipping
from tests.unit.money.shops import an_order, some_terms, some_wish

EVERY_DAY = 2000
EXAMPLES = int(os.environ.get("EXAMPLES", EVERY_DAY))
seeds = st.integers(0, 2**64)
thousands = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES == EVERY_DAY)
#: A hundredth of a second each, and many times that on a busy machine.
pytestmark = pytest.mark.timeout(300 + EXAMPLES // 10)


class Live:
    """A refund that counts: what it was asked for, on which terms, its sheet, and who pays."""

    def __init__(self, ask: Ask, terms: Terms, drawn: Sheet, parts: dict[int, int]) -> None:
        self.ask, self.terms, self.sheet, self.parts = ask, terms, drawn, parts


class Shop:
    """One order on several payments, and the refunds of it that count."""

    def __init__(self, order: OrderMoney, payments: list[int]) -> None:
        self.bought, self.captured, self.live = order, payments, list[Live]()
        self.order = order

    def free(self) -> dict[int, int]:
        return {i: minor - sum(one.parts.get(i, 0) for one in self.live) for i, minor in enumerate(self.captured)}

    def refund(self, ask: Ask, terms: Terms) -> None:
        ask = fitting(self.order, ask, terms)
        self._enter(ask, terms, sheet(self.order, ask, terms))

    def cancel(self, i: int) -> Live:
        cancelled = self.live.pop(i)
        self.order = reduce(lambda order, one: order.after(one.ask.units, one.sheet), self.live, self.bought)
        return cancelled

    def inspect(self, i: int, seed: Random) -> None:
        """It keeps some of its units only, and comes to no more than it did."""
        one = self.cancel(i)
        units = {line_id: seed.randint(0, n) for line_id, n in one.ask.units.items()}
        ask = fitting(self.order, replace(one.ask, units=units), one.terms)
        drawn = capped(sheet(self.order, ask, one.terms), one.sheet.total_minor, "No more than was reserved")
        self._enter(ask, one.terms, drawn)

    def refund_the_rest(self, terms: Terms) -> None:
        """All units, then what is left without any, then what was paid too much."""
        self.refund(Ask(units={x.line_id: x.left_units for x in self.order.lines}, shipping=True), terms)
        self.refund(Ask(amount_minor=free_minor(self.order)), terms)
        self.refund(Ask(overpaid=True), terms)

    def _enter(self, ask: Ask, terms: Terms, drawn: Sheet) -> None:
        check_sheet(drawn)
        self.live.append(Live(ask, terms, drawn, dict(split(drawn.total_minor, list(self.free().items())))))
        self.order = self.order.after(ask.units, drawn)
        self.check()

    def check(self) -> None:
        """Never too much: of a line, of the shipping, of a payment, of all."""
        order = self.order
        for line, price in zip(order.lines, prices(order), strict=True):
            assert line.refunded_minor + line.adjusted_minor <= price.paid.amount_minor
            assert line.refunded_tax_minor + line.adjusted_tax_minor <= price.paid.tax_minor
        assert order.shipping_refunded_minor <= shipping(order).amount_minor
        assert order.shipping_tax_refunded_minor <= shipping(order).tax_minor
        assert all(minor >= 0 for minor in self.free().values())
        given = sum(one.sheet.total_minor - one.sheet.overpaid_minor for one in self.live)
        assert given <= paid_minor(order)


def check_sheet(drawn: Sheet) -> None:
    gross = [*drawn.lines.values(), *drawn.adjustments.values()]
    kept = drawn.fees_minor + drawn.clawed_back_minor + drawn.gifts_minor + deposit_kept(drawn)
    lines = sum(share.amount_minor for share in gross) + drawn.shipping_minor
    assert drawn.total_minor == sum(entry.amount_minor for entry in drawn.entries)
    assert drawn.total_minor == lines + drawn.overpaid_minor - kept
    assert all(0 <= share.tax_minor <= share.amount_minor for share in gross)
    assert 0 <= drawn.shipping_tax_minor <= drawn.shipping_minor
    assert 0 <= drawn.tax_minor <= drawn.total_minor - drawn.overpaid_minor
    assert min(drawn.fees_minor, drawn.deposit_minor, drawn.points, drawn.overpaid_minor) >= 0
    assert sum(rate.amount_minor for rate in drawn.taxes.values()) == drawn.total_minor - drawn.overpaid_minor
    assert sum(rate.tax_minor for rate in drawn.taxes.values()) == drawn.tax_minor
    assert all(entry.amount_minor or entry.kind == EntryKind.LINE for entry in drawn.entries)


def deposit_kept(drawn: Sheet) -> int:
    return -sum(entry.amount_minor for entry in drawn.entries if entry.kind == EntryKind.DEPOSIT)


def kept_tax(drawn: Sheet) -> int:
    """The tax within fees and the deposit."""
    gross = [*drawn.lines.values(), *drawn.adjustments.values()]
    return sum(x.tax_minor for x in gross) + drawn.shipping_tax_minor - drawn.withheld_tax_minor - drawn.tax_minor


def a_shop(seed: Random, lines: int) -> Shop:
    order = an_order(seed, lines)
    weights = [seed.randint(1, 9) for _ in range(seed.choice((1, 1, 2, 3)))]
    return Shop(order, allocate(order.captured_minor, weights))


def play(shop: Shop, seed: Random, steps: int) -> None:
    """Requests, inspections and cancellations, as they come."""
    for _ in range(steps):
        kind = seed.random()
        if shop.live and kind < 0.2:
            shop.cancel(seed.randrange(len(shop.live)))
        elif shop.live and kind < 0.35:
            shop.inspect(seed.randrange(len(shop.live)), seed)
        else:
            shop.refund(some_wish(seed, shop.order), some_terms(seed))


@thousands
@given(seeds, st.integers(1, 20), st.integers(0, 8))
@example(number=369, lines=15, steps=6)
@example(number=590, lines=11, steps=5)
@example(number=25827, lines=8, steps=6)
@example(number=27824, lines=5, steps=5)
@example(number=36710, lines=11, steps=8)
def test_any_sequence_ends_exactly_at_what_was_paid_less_what_the_shop_keeps(number, lines, steps):
    ends_exactly(number, lines, steps)


def ends_exactly(number: int, lines: int, steps: int) -> None:
    seed = Random(number)
    shop = a_shop(seed, lines)
    play(shop, seed, steps)
    shop.refund_the_rest(some_terms(seed))
    sheets, bought = [one.sheet for one in shop.live], shop.bought
    kept = sum(drawn.fees_minor + deposit_kept(drawn) for drawn in sheets)
    assert sum(drawn.total_minor for drawn in sheets) == bought.captured_minor - kept
    assert sum(shop.free().values()) == kept
    tax = sum(line.tax_minor for line in bought.lines) + bought.shipping_tax_minor
    assert sum(drawn.tax_minor + kept_tax(drawn) for drawn in sheets) == tax
    taken, goods = shop.order.taken, sum(price.paid.amount_minor for price in prices(bought))
    assert (taken.clawed_back_minor + taken.gifts_minor, taken.withheld_tax_minor) == (0, 0)
    assert taken.deposit_minor == min(bought.non_refundable_minor, goods)
    assert taken.points == (bought.points_earned if goods else 0)
    assert dict(taken.funded) == {
        payer: minor for payer in ("platform", "points") if (minor := discounts_by(bought, payer))
    }


def discounts_by(order: OrderMoney, payer: str) -> int:
    return sum(discount.amount_minor for discount in order.discounts if discount.funded_by == payer)
