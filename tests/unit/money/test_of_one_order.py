"""Several parts of one request, of an order that is priced once, and whether a part of it is worth its price."""

from dataclasses import replace

import pytest

from refunds.money import (
    NO_DEDUCTION,
    Ask,
    Case,
    DiscountMoney,
    Fee,
    LineShare,
    OrderMoney,
    Taken,
    Terms,
    may_keep,
    sheet,
    sheet_of,
)
from tests.unit.money.test_situations import BOOK, FREE_MUG, MUG, ORDER, SHIRT

COUPON = DiscountMoney("Coupon", 1000)
DEPOSIT = replace(ORDER, non_refundable_minor=3000)
FROM_80 = replace(ORDER, discounts=(COUPON, replace(COUPON, minimum_minor=8000)))
GIFT = replace(ORDER, lines=(SHIRT, BOOK, MUG), discounts=(FREE_MUG,))
FREIGHT = replace(ORDER, shipping_minor=490, shipping_tax_minor=78)


def test_the_next_part_starts_from_what_the_one_before_it_has_left() -> None:
    ask = Ask({"shirt": 1, "book": 1}, {"book": 300})
    before = Case.of(DEPOSIT, ask, Terms(deposit=True))
    drawn = sheet_of(before)
    then = before.after(ask.units, drawn)
    assert then.goods_left == {"shirt": LineShare(0, 0), "book": LineShare(1700, 111)}
    assert (then.order.taken.deposit_minor, then.order.lines[1].refunded_units) == (drawn.deposit_minor, 1)
    assert then == Case.of(DEPOSIT.after(ask.units, drawn), ask, Terms(deposit=True))


def test_each_part_is_drawn_up_as_if_it_were_asked_for_by_itself() -> None:
    whole = Case.of(FREIGHT, Ask({"shirt": 1, "book": 2}), NO_DEDUCTION)
    terms, books = Terms(restocking=Fee(100)), Ask({"book": 2})
    assert whole.asking(books, terms) == Case.of(FREIGHT, books, terms)
    assert [sheet_of(case).total_minor for case in (whole, whole.asking(books, terms))] == [10490, 3600]


def test_the_shipping_comes_with_the_part_that_leaves_nothing() -> None:
    first = Case.of(FREIGHT, Ask({"shirt": 1}), NO_DEDUCTION)
    last = first.after({"shirt": 1}, sheet_of(first)).asking(Ask({"book": 2}), NO_DEDUCTION)
    assert [sheet_of(case).total_minor for case in (first, last)] == [6000, 4490]


@pytest.mark.parametrize(
    ("order", "terms", "may"),
    [
        pytest.param(ORDER, NO_DEDUCTION, False, id="nothing stated, nothing kept by the terms"),
        pytest.param(DEPOSIT, Terms(deposit=True), True, id="deposit"),
        pytest.param(DEPOSIT, NO_DEDUCTION, False, id="deposit waived"),
        pytest.param(ORDER, Terms(deposit=True), False, id="no deposit paid"),
        pytest.param(FROM_80, Terms(claw_back=True), True, id="discount from a minimum on"),
        pytest.param(FROM_80, NO_DEDUCTION, False, id="discount left to the customer"),
        pytest.param(
            replace(ORDER, discounts=(COUPON,)), Terms(claw_back=True), False, id="discount without a minimum"
        ),
        pytest.param(GIFT, Terms(gifts=True), True, id="gift"),
        pytest.param(GIFT, NO_DEDUCTION, False, id="gift left to the customer"),
        pytest.param(ORDER, Terms(gifts=True), False, id="no gift in the order"),
        pytest.param(ORDER, Terms(restocking=Fee(100)), True, id="restocking, thousandths"),
        pytest.param(ORDER, Terms(restocking=Fee(0, 300)), True, id="restocking, fixed"),
        pytest.param(ORDER, Terms(return_shipping=Fee(0, 300)), True, id="return shipping"),
        pytest.param(replace(ORDER, taken=Taken(clawed_back_minor=300)), NO_DEDUCTION, True, id="discount kept before"),
        pytest.param(replace(ORDER, taken=Taken(gifts_minor=300)), NO_DEDUCTION, True, id="gift kept before"),
        pytest.param(
            replace(ORDER, lines=(SHIRT,), taken=Taken(clawed_back_minor=-300)),
            NO_DEDUCTION,
            True,
            id="given back before, and what had kept it cancelled",
        ),
    ],
)
def test_a_shirt_comes_to_its_price_unless_something_may_be_kept(order: OrderMoney, terms: Terms, may: bool) -> None:
    drawn = sheet(order, Ask({"shirt": 1}), terms)
    assert may_keep(order, terms) == may == (drawn.total_minor != drawn.lines["shirt"].amount_minor)
