"""A sheet that may come to no more than so much: what it loses, what it keeps, and what stays due."""

from dataclasses import replace

import pytest

from refunds.money import (
    Ask,
    Fee,
    LineShare,
    OrderMoney,
    Purse,
    Sheet,
    Terms,
    allocate,
    capped,
    free_minor,
    sheet,
    split_in_turns,
)
from tests.unit.money.test_situations import BOOK, COUPON, FREE_MUG, MUG, ORDER, SHIRT

CLAWS, GIFTS = Terms(claw_back=True), Terms(gifts=True)


def after(order: OrderMoney, ask: Ask, terms: Terms) -> OrderMoney:
    return order.after(ask.units, sheet(order, ask, terms))


def given_back(order: OrderMoney, first: Ask, rest: Ask, terms: Terms) -> Sheet:
    return sheet(after(order, first, terms), rest, terms)


def test_lines_adjustments_shipping_and_overpayment_lose_in_proportion() -> None:
    order = replace(ORDER, shipping_minor=500, shipping_tax_minor=80, captured_minor=12500)
    full = sheet(order, Ask({"shirt": 1}, {"book": 1500}, shipping=True, overpaid=True))
    half = capped(full, full.total_minor // 2, "Not more")
    assert half.lines == {"shirt": LineShare(3000, 479)}
    assert half.adjustments == {"book": LineShare(750, 49)}
    assert (half.shipping_minor, half.shipping_tax_minor, half.overpaid_minor) == (250, 40, 1000)
    assert (half.total_minor, half.tax_minor) == (5000, 568)
    assert half.taxes == {"19": LineShare(3000, 479), "7": LineShare(750, 49), "": LineShare(250, 40)}


def test_an_overpayment_has_no_tax_to_lose() -> None:
    full = sheet(replace(ORDER, captured_minor=12000), Ask({"shirt": 1}, overpaid=True))
    quarter = capped(full, 2000, "Not more")
    assert (quarter.overpaid_minor, quarter.lines["shirt"]) == (500, LineShare(1500, 240))
    assert quarter.tax_minor == 240


def test_what_the_shop_keeps_it_keeps_of_a_smaller_sheet_too() -> None:
    full = sheet(ORDER, Ask({"shirt": 1}), Terms(restocking=Fee(0, 1000)))
    less = capped(full, 3000, "Not more")
    assert (less.total_minor, less.fees_minor, less.lines["shirt"].amount_minor) == (3000, 1000, 4000)
    assert less.tax_minor == 479
    nothing = capped(full, 0, "Not more")
    assert (nothing.lines["shirt"].amount_minor, nothing.total_minor, nothing.tax_minor) == (1000, 0, 0)


@pytest.mark.parametrize(
    ("limit", "line", "back"), [(4000, 3600, 400), (1000, 600, 400), (400, 0, 400), (399, 0, 399), (300, 0, 300)]
)
def test_a_coupon_is_given_back_before_the_lines(limit: int, line: int, back: int) -> None:
    order = replace(ORDER, discounts=(COUPON,))
    full = given_back(order, Ask({"shirt": 1}), Ask({"book": 2}), CLAWS)
    assert (full.total_minor, full.clawed_back_minor, full.withheld_tax_minor) == (4000, -400, -54)
    less = capped(full, limit, "Not more")
    assert (less.lines["book"].amount_minor, less.clawed_back_minor, less.total_minor) == (line, -back, limit)
    assert less.withheld_tax_minor == {400: -54, 399: -54, 300: -40}[back]
    assert less.tax_minor == less.lines["book"].tax_minor - less.withheld_tax_minor


def test_less_of_a_gift_is_given_back_than_the_whole() -> None:
    order = replace(ORDER, lines=(SHIRT, MUG), discounts=(FREE_MUG,))
    full = given_back(order, Ask({"shirt": 1}), Ask({"mug": 1}), GIFTS)
    assert (full.total_minor, full.gifts_minor, full.tax_minor) == (2900, -2900, 463)
    less = capped(full, 1000, "Not more")
    assert (less.total_minor, less.gifts_minor, less.clawed_back_minor) == (1000, -1000, 0)
    assert (less.withheld_tax_minor, less.tax_minor) == (-160, 160)


def test_of_a_gift_and_a_coupon_the_gift_is_given_back_last() -> None:
    order = replace(ORDER, lines=(SHIRT, BOOK, MUG), discounts=(FREE_MUG, COUPON))
    first = Ask({"shirt": 1, "book": 1})
    full = given_back(order, first, Ask({"mug": 1, "book": 1}), Terms(claw_back=True, gifts=True))
    assert (full.total_minor, full.clawed_back_minor, full.gifts_minor) == (4900, -200, -2900)
    less = capped(full, 150, "Not more")
    assert (less.total_minor, less.clawed_back_minor, less.gifts_minor) == (150, -150, 0)
    more = capped(full, 1200, "Not more")
    assert (more.clawed_back_minor, more.gifts_minor, more.lines["book"].amount_minor) == (-200, -1000, 0)


def test_a_coupon_that_a_limit_kept_back_is_given_with_the_last_free_amount() -> None:
    order = replace(ORDER, discounts=(COUPON,))
    kept = after(order, Ask({"shirt": 1}), CLAWS)
    rest = Ask({"book": 2})
    order = kept.after(rest.units, capped(sheet(kept, rest, CLAWS), 300, "Not more"))
    assert free_minor(order) == 3700
    last = sheet(order, Ask(amount_minor=3700))
    assert (last.total_minor, last.adjustments["book"].amount_minor, last.clawed_back_minor) == (3700, 3600, -100)
    lines = sheet(order, Ask(amount_minor=3650))
    assert (lines.adjustments["book"].amount_minor, lines.clawed_back_minor) == (3600, -50)
    settled = order.after({}, last).taken
    assert (settled.clawed_back_minor, settled.gifts_minor, settled.withheld_tax_minor) == (0, 0, 0)


def test_what_was_given_back_too_much_is_settled_with_the_last_free_amount() -> None:
    order = replace(ORDER, discounts=(COUPON,))
    rest = Ask({"book": 2})
    given_twice = order.after(rest.units, given_back(order, Ask({"shirt": 1}), rest, CLAWS))
    left = free_minor(given_twice)
    last = sheet(given_twice, Ask(amount_minor=left))
    assert (last.total_minor, last.adjustments["shirt"].amount_minor, last.clawed_back_minor) == (left, left + 400, 400)
    settled = given_twice.after({}, last).taken
    assert (settled.clawed_back_minor, settled.withheld_tax_minor) == (0, 0)


def test_a_sheet_says_what_it_was_drawn_up_for_and_gives_an_overpayment_only_where_asked() -> None:
    ask = Ask({"shirt": 1}, shipping=False)
    drawn = sheet(replace(ORDER, captured_minor=12000), ask)
    assert (drawn.asked, drawn.overpaid_minor) == (ask, 0)


def test_no_digit_of_a_large_amount_is_lost_when_it_is_split() -> None:
    assert allocate(10**18 + 1, [10**18, 10**18 + 1]) == [5 * 10**17, 5 * 10**17 + 1]


@pytest.mark.parametrize("amount", [-1, 1.5])
def test_an_amount_over_payments_is_a_whole_number_from_nothing_up(amount: float) -> None:
    with pytest.raises(ValueError, match="^amount_minor must"):
        split_in_turns(amount, [Purse(1, 100)])


@pytest.mark.parametrize("limit", [-1, 1.5])
def test_a_limit_is_a_whole_number_from_nothing_up(limit: float) -> None:
    with pytest.raises(ValueError, match="^limit_minor must"):
        capped(sheet(ORDER, Ask({"shirt": 1})), limit, "Not more")
