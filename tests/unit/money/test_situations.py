"""What people who run after-sales meet in a week: each row of the list of situations that is about an amount."""

from dataclasses import replace

import pytest

from refunds.money import (
    Ask,
    DiscountMoney,
    Fee,
    LineMoney,
    LineShare,
    MoreThanLeft,
    OrderMoney,
    Sheet,
    SoldAsSet,
    Taken,
    Terms,
    check_sets,
    fitting,
    free_minor,
    overpaid_minor,
    sheet,
)

SHIRT = LineMoney("shirt", "Shirt", 1, 6000, 958, tax_rate="19")
BOOK = LineMoney("book", "Book", 2, 4000, 262, tax_rate="7")
MUG = LineMoney("mug", "Mug", 1, 2900, 0, gift_for="shirt")
FREE_MUG = DiscountMoney("Mug for free", 2900, ("mug",))
ORDER = OrderMoney("EUR", True, (SHIRT, BOOK))


def said(drawn: Sheet) -> list[tuple[str, str, int]]:
    assert sum(entry.amount_minor for entry in drawn.entries) == drawn.total_minor
    return [(entry.kind.value, entry.label, entry.amount_minor) for entry in drawn.entries]


def step(order: OrderMoney, ask: Ask, terms: Terms) -> tuple[Sheet, OrderMoney]:
    drawn = sheet(order, ask, terms)
    return drawn, order.after(ask.units, drawn)


# Row 8: deposit plus balance.


def test_of_a_deposit_the_shop_keeps_the_share_of_what_comes_back() -> None:
    order = replace(ORDER, non_refundable_minor=3000)
    first, order = step(order, Ask({"shirt": 1}), Terms(deposit=True))
    assert said(first) == [("line", "Shirt", 6000), ("deposit", "Deposit", -1800)]
    assert (first.total_minor, first.tax_minor, first.deposit_minor) == (4200, 671, 1800)
    rest, _ = step(order, Ask({"book": 2}), Terms(deposit=True))
    assert (rest.total_minor, rest.deposit_minor) == (2800, 1200)


def test_a_deposit_is_waived_for_what_the_seller_is_at_fault_for_and_kept_of_the_rest() -> None:
    order = replace(ORDER, non_refundable_minor=3000)
    first, order = step(order, Ask({"shirt": 1}), Terms(deposit=False))
    rest, _ = step(order, Ask({"book": 2}), Terms(deposit=True))
    assert (first.total_minor, first.deposit_minor) == (6000, 1800)
    assert (rest.total_minor, rest.deposit_minor) == (2800, 1200)


def test_an_amount_without_units_gives_of_the_deposit_what_nothing_else_covers() -> None:
    order = replace(ORDER, non_refundable_minor=3000)
    first, order = step(order, Ask(amount_minor=8000), Terms(deposit=True))
    assert (first.total_minor, first.deposit_minor) == (8000, 1000)
    rest, _ = step(order, Ask({"shirt": 1, "book": 2}), Terms(deposit=True))
    assert (rest.total_minor, rest.deposit_minor) == (0, 2000)


def test_a_deposit_above_what_the_goods_cost_is_kept_of_the_goods_only() -> None:
    order = replace(ORDER, shipping_minor=500, non_refundable_minor=10400)
    drawn, _ = step(order, Ask({"shirt": 1, "book": 2}), Terms(deposit=True))
    assert (drawn.total_minor, drawn.deposit_minor) == (500, 10000)


# Row 10: a coupon that others paid for.


def test_the_payer_of_a_coupon_gets_its_share_back_and_the_customer_what_he_paid() -> None:
    order = replace(ORDER, discounts=(DiscountMoney("Platform", 1000, None, "platform"), DiscountMoney("Own", 500)))
    first, order = step(order, Ask({"shirt": 1}), Terms())
    assert (first.total_minor, first.funded) == (5100, {"platform": 600})
    assert said(first) == [("line", "Shirt", 6000), ("discount", "Platform", -600), ("discount", "Own", -300)]
    second, order = step(order, Ask({"book": 1}), Terms())
    third, _ = step(order, Ask({"book": 1}), Terms())
    assert (second.funded, third.funded) == ({"platform": 200}, {"platform": 200})


def test_a_payer_gets_back_the_least_amount_too() -> None:
    order = replace(ORDER, discounts=(DiscountMoney("Tiny", 1, ("shirt",), "points"),))
    assert sheet(order, Ask({"shirt": 1})).funded == {"points": 1}
    assert sheet(order, Ask(shipping=True)).funded == {}


# Row 11: loyalty points.


def test_of_earned_points_the_share_is_taken_back_and_all_of_them_at_the_end() -> None:
    order = replace(ORDER, points_earned=101)
    first, order = step(order, Ask({"shirt": 1}), Terms())
    adjusted, order = step(order, Ask(adjustments={"book": 1000}), Terms())
    rest, _ = step(order, Ask({"book": 2}), Terms())
    assert (first.points, adjusted.points, rest.points) == (61, 10, 30)


# Row 12: a coupon whose minimum spend is not reached any more.

COUPON = DiscountMoney("Ten off 80", 1000, None, "shop", 8000)


@pytest.mark.parametrize(("claw_back", "total"), [(False, 5400), (True, 5000)])
def test_a_coupon_below_its_minimum_is_left_or_clawed_back_as_the_policy_says(claw_back: bool, total: int) -> None:
    drawn = sheet(replace(ORDER, discounts=(COUPON,)), Ask({"shirt": 1}), Terms(claw_back=claw_back))
    assert (drawn.total_minor, drawn.clawed_back_minor) == (total, 5400 - total)
    assert said(drawn)[2:] == ([("claw_back", "Ten off 80", -400)] if claw_back else [])


def test_what_was_clawed_back_comes_with_the_rest_of_the_order() -> None:
    order, terms = replace(ORDER, discounts=(COUPON,)), Terms(claw_back=True)
    first, order = step(order, Ask({"shirt": 1}), terms)
    second, order = step(order, Ask({"book": 1}), terms)
    third, order = step(order, Ask({"book": 1}), Terms())
    assert [x.clawed_back_minor for x in (first, second, third)] == [400, -200, -200]
    assert said(third)[2:] == [("claw_back", "", 200)]
    assert first.total_minor + second.total_minor + third.total_minor == 9000
    assert first.tax_minor + second.tax_minor + third.tax_minor == 958 + 262
    assert order.taken.withheld_tax_minor == 0


@pytest.mark.parametrize("way", [Ask({"shirt": 1}), Ask(amount_minor=5000), Ask(adjustments={"shirt": 5000})])
def test_what_was_given_back_for_a_refund_that_is_cancelled_since_is_taken_from_the_next(way: Ask) -> None:
    order, terms = replace(ORDER, discounts=(COUPON,)), Terms(claw_back=True)
    _, after_first = step(order, Ask({"shirt": 1}), terms)
    second = sheet(after_first, Ask({"book": 2}), terms)
    assert (second.total_minor, second.clawed_back_minor, second.withheld_tax_minor) == (4000, -400, -54)
    order = order.after({"book": 2}, second)
    assert free_minor(order) == 5000
    with pytest.raises(MoreThanLeft, match="5001 wanted, 5000 left"):
        sheet(order, Ask(amount_minor=5001))
    third, order = step(order, way, Terms())
    assert (third.total_minor, free_minor(order)) == (5000, 0)
    rest, order = step(order, Ask({"shirt": order.lines[0].left_units}), Terms())
    assert (rest.total_minor, order.taken.clawed_back_minor, order.taken.withheld_tax_minor) == (0, 0, 0)
    assert second.tax_minor + third.tax_minor + rest.tax_minor == 958 + 262


def test_what_was_given_back_too_early_is_missing_from_the_first_lines_then_from_the_shipping() -> None:
    lines = (LineMoney("pen", "Pen", 1, 100, 10), LineMoney("ink", "Ink", 1, 500, 100), BOOK)
    taken = Taken(clawed_back_minor=-300, gifts_minor=-50, withheld_tax_minor=-60)
    order = OrderMoney("EUR", True, lines[:2], shipping_minor=200, shipping_tax_minor=20, taken=taken)
    assert free_minor(order) == 450
    left = sheet(order, Ask(amount_minor=449))
    assert left.adjustments == {"ink": LineShare(250, 50)}
    assert (left.shipping_minor, left.shipping_tax_minor, left.total_minor) == (199, 20, 449)
    settled = sheet(order, Ask(amount_minor=450))
    assert settled.adjustments == {"pen": LineShare(100, 10), "ink": LineShare(500, 100)}
    assert (settled.clawed_back_minor, settled.gifts_minor, settled.withheld_tax_minor) == (300, 50, 60)
    assert (settled.shipping_minor, settled.total_minor, settled.tax_minor) == (200, 450, 70)
    with pytest.raises(MoreThanLeft, match="line pen: 1 wanted, 0 left"):
        sheet(order, Ask(adjustments={"pen": 1}))


def test_a_coupon_stays_where_what_is_kept_still_reaches_its_minimum() -> None:
    order = replace(ORDER, discounts=(replace(COUPON, minimum_minor=8000),))
    assert sheet(order, Ask({"book": 1}), Terms(claw_back=True)).clawed_back_minor == 0
    order = replace(ORDER, discounts=(replace(COUPON, minimum_minor=8001),))
    assert sheet(order, Ask({"book": 1}), Terms(claw_back=True)).clawed_back_minor == 800


def test_only_the_lines_that_a_coupon_is_for_count_for_its_minimum() -> None:
    books = DiscountMoney("Books", 400, ("book",), "shop", 4000)
    order = replace(ORDER, discounts=(books,))
    assert sheet(order, Ask({"shirt": 1}), Terms(claw_back=True)).clawed_back_minor == 0
    assert sheet(order, Ask({"book": 1}), Terms(claw_back=True)).clawed_back_minor == 200


# Row 13: buy one, get one free.


def test_a_gift_that_stays_is_taken_off_at_its_stated_value() -> None:
    order = replace(ORDER, lines=(SHIRT, MUG), discounts=(FREE_MUG,))
    drawn, order = step(order, Ask({"shirt": 1}), Terms(gifts=True))
    assert said(drawn) == [("line", "Shirt", 6000), ("gift", "Mug", -2900)]
    assert (drawn.total_minor, drawn.gifts_minor) == (3100, 2900)
    later, _ = step(order, Ask({"mug": 1}), Terms())
    assert said(later) == [("line", "Mug", 2900), ("discount", "Mug for free", -2900), ("gift", "", 2900)]
    assert drawn.tax_minor + later.tax_minor == 958


@pytest.mark.parametrize("first", [{"shirt": 1, "mug": 1}, {"mug": 1}])
def test_a_gift_that_comes_back_too_or_before_costs_nothing(first: dict[str, int]) -> None:
    order = replace(ORDER, lines=(SHIRT, MUG), discounts=(FREE_MUG,))
    drawn, order = step(order, Ask(first), Terms(gifts=True))
    rest, _ = step(order, Ask({"shirt": order.lines[0].left_units}), Terms(gifts=True))
    assert drawn.total_minor + rest.total_minor == 6000


def test_of_gifts_for_several_units_those_are_earned_whose_units_stay() -> None:
    pair = LineMoney("shoes", "Shoes", 4, 8000, 0)
    socks = LineMoney("socks", "Socks", 2, 1000, 0, gift_for="shoes")
    order = OrderMoney("EUR", True, (pair, socks), (DiscountMoney("Socks", 1000, ("socks",)),))
    kept = [sheet(order, Ask({"shoes": n}), Terms(gifts=True)).gifts_minor for n in range(5)]
    assert kept == [0, 500, 500, 1000, 1000]


def test_a_gift_worth_more_than_what_comes_back_takes_it_all_and_the_rest_of_the_next() -> None:
    order = replace(ORDER, lines=(replace(SHIRT, list_minor=2000, tax_minor=0), BOOK, MUG), discounts=(FREE_MUG,))
    first, order = step(order, Ask({"shirt": 1}), Terms(gifts=True))
    second, order = step(order, Ask({"book": 1}), Terms(gifts=True))
    third, _ = step(order, Ask({"mug": 1}), Terms(gifts=True))
    assert [(x.total_minor, x.gifts_minor) for x in (first, second, third)] == [(0, 2000), (1100, 900), (2900, -2900)]


def test_a_gift_of_no_line_of_the_order_is_a_line_as_any() -> None:
    lonely = replace(MUG, gift_for="hat")
    order = replace(ORDER, lines=(SHIRT, lonely), discounts=(FREE_MUG,))
    assert sheet(order, Ask({"shirt": 1}), Terms(gifts=True)).gifts_minor == 0


# Row 14: bundles.


def in_set(line_id: str, list_minor: int, quantity: int = 1) -> LineMoney:
    return LineMoney(line_id, line_id, quantity, list_minor, 0, bundle="kit")


def test_a_set_without_prices_of_its_own_comes_back_whole() -> None:
    order = OrderMoney("EUR", True, (in_set("body", 9000), in_set("lens", 0), in_set("bag", 0), SHIRT))
    with pytest.raises(SoldAsSet, match="Sold as a set: return all 3") as error:
        check_sets(order, Ask({"lens": 1}), Terms())
    assert (error.value.lines, error.value.units) == (("body", "lens", "bag"), 3)
    check_sets(order, Ask({"body": 1, "lens": 1, "bag": 1}), Terms())
    check_sets(order, Ask({"shirt": 1}), Terms())


def test_what_is_in_no_set_is_no_set_and_a_removed_line_counts_for_none() -> None:
    free, removed = LineMoney("tea", "Tea", 2, 0, 0), in_set("strap", 0, 0)
    order = OrderMoney("EUR", True, (SHIRT, free, in_set("body", 9000), in_set("lens", 500), removed))
    check_sets(order, Ask({"tea": 1}), Terms())
    check_sets(order, Ask({"body": 1}), Terms())


def test_a_set_with_a_price_for_each_part_may_be_split_unless_the_policy_says_whole() -> None:
    order = OrderMoney("EUR", True, (in_set("body", 9000), in_set("lens", 1000)))
    check_sets(order, Ask({"lens": 1}), Terms(bundles="split"))
    with pytest.raises(SoldAsSet):
        check_sets(order, Ask({"lens": 1}), Terms(bundles="whole"))


def test_of_several_sets_one_may_come_back_and_what_an_inspection_left_of_one_too() -> None:
    order = OrderMoney("EUR", True, (in_set("body", 9000, 2), in_set("cap", 0, 4)))
    check_sets(order, Ask({"body": 1, "cap": 2}), Terms())
    with pytest.raises(SoldAsSet, match="return all 3$"):
        check_sets(order, Ask({"body": 1, "cap": 1}), Terms())
    halved = replace(order, lines=(replace(order.lines[0], refunded_units=1), order.lines[1]))
    check_sets(halved, Ask({"cap": 2}), Terms())


# Row 15: a price adjustment without return.


def test_an_adjustment_is_given_exactly_and_lowers_what_the_line_can_still_get() -> None:
    first, order = step(ORDER, Ask(adjustments={"book": 1000}), Terms(deposit=True, restocking=Fee(1000, 500)))
    assert said(first) == [("adjustment", "Book", 1000)]
    assert (first.total_minor, first.tax_minor, first.lines) == (1000, 66, {})
    assert first.adjustments == {"book": LineShare(1000, 66)}
    second, order = step(order, Ask({"book": 1}), Terms())
    assert said(second) == [("line", "Book", 2000), ("adjustment", "Book", -500)]
    third, _ = step(order, Ask({"book": 1}), Terms())
    assert first.total_minor + second.total_minor + third.total_minor == 4000
    assert first.tax_minor + second.tax_minor + third.tax_minor == 262


def test_no_line_is_adjusted_below_nothing() -> None:
    with pytest.raises(MoreThanLeft, match="line book: 4001 wanted, 4000 left") as error:
        sheet(ORDER, Ask(adjustments={"book": 4001}))
    assert (error.value.line_id, error.value.asked_minor, error.value.left_minor) == ("book", 4001, 4000)
    with pytest.raises(MoreThanLeft, match="line book: 2001 wanted, 2000 left"):
        sheet(ORDER, Ask({"book": 1}, {"book": 2001}))
    for line_id in ("hat", ""):
        with pytest.raises(ValueError, match="the order has no line"):
            sheet(ORDER, Ask(adjustments={line_id: 1}))
    with pytest.raises(ValueError, match="adjustment of line book"):
        sheet(ORDER, Ask(adjustments={"book": -1}))


def test_a_free_amount_is_spread_over_the_lines_then_taken_from_the_shipping() -> None:
    order = replace(ORDER, shipping_minor=500, shipping_tax_minor=80)
    first, order = step(order, Ask(amount_minor=5000), Terms())
    assert said(first) == [("amount", "Amount", 5000)]
    assert first.adjustments == {"shirt": LineShare(3000, 479), "book": LineShare(2000, 131)}
    assert free_minor(order) == 5500
    second, order = step(order, Ask(amount_minor=5400), Terms())
    assert (second.shipping_minor, second.shipping_tax_minor, second.total_minor) == (400, 64, 5400)
    with pytest.raises(MoreThanLeft, match="^101 wanted, 100 left"):
        sheet(order, Ask(amount_minor=101))
    assert fitting(order, Ask(amount_minor=101), Terms()).amount_minor == 100


def test_what_is_asked_by_amount_fits_what_is_left_beside_the_units() -> None:
    order = replace(ORDER, shipping_minor=500)
    ask = Ask({"shirt": 1}, {"book": 9000, "shirt": 5, "hat": 5}, amount_minor=9000)
    fits = fitting(order, ask, Terms())
    assert fits == Ask({"shirt": 1}, {"book": 4000, "shirt": 0, "hat": 0}, amount_minor=500)
    assert fitting(order, Ask({"shirt": 1}, {"book": 300}), Terms()) == Ask({"shirt": 1}, {"book": 300})
    assert fitting(order, Ask(ALL, amount_minor=9000), Terms()).amount_minor == 0
    assert fitting(order, Ask(ALL, amount_minor=9000), Terms(shipping="never")).amount_minor == 500


def test_row_15_of_the_reports_after_all_but_one_minor_unit_one_is_left() -> None:
    _, order = step(ORDER, Ask(amount_minor=9999), Terms())
    with pytest.raises(MoreThanLeft, match="10000 wanted, 1 left"):
        sheet(order, Ask(amount_minor=10000))


def test_row_16_of_the_reports_grants_count_together() -> None:
    _, order = step(ORDER, Ask(amount_minor=8000), Terms())
    with pytest.raises(MoreThanLeft, match="8000 wanted, 2000 left"):
        sheet(order, Ask(amount_minor=8000))


def test_a_later_refund_of_a_line_is_explained_from_its_list_price_too() -> None:
    order = replace(ORDER, prices_include_tax=False, discounts=(replace(COUPON, minimum_minor=0),))
    _, order = step(order, Ask({"book": 1}, {"book": 500}), Terms())
    second, _ = step(order, Ask({"book": 1}), Terms())
    assert [(e.kind.value, e.label, e.amount_minor, e.line_id, e.quantity) for e in second.entries] == [
        ("line", "Book", 2000, "book", 1),
        ("discount", "Ten off 80", -200, "book", 0),
        ("adjustment", "Book", -466, "book", 0),
        ("tax", "Tax", 97, "book", 0),
    ]


def test_an_adjustment_names_its_line_and_an_amount_none() -> None:
    drawn = sheet(ORDER, Ask(adjustments={"book": 100}, amount_minor=10))
    assert [(e.label, e.line_id) for e in drawn.entries] == [("Book", "book"), ("Amount", "")]


def test_an_amount_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="^amount_minor must"):
        sheet(ORDER, Ask(amount_minor=-1))
    with pytest.raises(MoreThanLeft) as error:
        sheet(ORDER, Ask(amount_minor=10001))
    assert (error.value.line_id, error.value.asked_minor, error.value.left_minor) == ("", 10001, 10000)


def test_a_free_amount_and_adjustments_together_are_what_is_asked() -> None:
    drawn = sheet(ORDER, Ask(adjustments={"book": 4000}, amount_minor=600))
    assert (drawn.total_minor, drawn.adjustments["shirt"].amount_minor) == (4600, 600)
    assert said(drawn) == [("adjustment", "Book", 4000), ("amount", "Amount", 600)]


# Row 16: express delivery.

EXPRESS = replace(ORDER, shipping_minor=1500, shipping_tax_minor=240, supplement_minor=1000)
ALL = {"shirt": 1, "book": 2}


def test_after_express_delivery_standard_shipping_comes_back_and_the_supplement_does_not() -> None:
    drawn = sheet(EXPRESS, Ask(ALL), Terms(supplement=False))
    assert said(drawn)[2:] == [("shipping", "Shipping", 1500), ("supplement", "Express delivery", -1000)]
    assert (drawn.total_minor, drawn.shipping_minor, drawn.shipping_tax_minor) == (10500, 500, 80)


def test_the_supplement_comes_back_where_the_terms_say_so() -> None:
    drawn = sheet(EXPRESS, Ask(ALL), Terms(supplement=True))
    assert (drawn.total_minor, drawn.shipping_minor, drawn.shipping_tax_minor) == (11500, 1500, 240)


def test_tax_on_top_of_shipping_is_split_with_the_supplement() -> None:
    drawn = sheet(replace(EXPRESS, prices_include_tax=False), Ask(ALL), Terms(supplement=False))
    assert said(drawn)[-3:] == [
        ("shipping", "Shipping", 1500),
        ("shipping_tax", "Tax on shipping", 240),
        ("supplement", "Express delivery", -1160),
    ]
    assert (drawn.shipping_minor, drawn.shipping_tax_minor) == (580, 80)


@pytest.mark.parametrize(
    ("rule", "asked", "first", "last"),
    [
        ("completing", None, 0, 1500),
        ("first", None, 1500, 0),
        ("never", None, 0, 0),
        ("never", True, 1500, 0),
        ("first", False, 0, 0),
    ],
)
def test_shipping_comes_back_once_by_the_rule_or_as_asked(rule: str, asked: bool, first: int, last: int) -> None:
    terms = Terms(shipping=rule)
    one, order = step(EXPRESS, Ask({"shirt": 1}, shipping=asked), terms)
    two, _ = step(order, Ask({"book": 2}, shipping=asked), terms)
    assert (one.shipping_minor, two.shipping_minor) == (first, last)


def test_the_shipping_alone_is_given_where_it_is_asked_for() -> None:
    drawn, order = step(EXPRESS, Ask(shipping=True), Terms(restocking=Fee(0, 100)))
    assert (order.shipping_refunded_minor, order.shipping_tax_refunded_minor) == (1500, 240)
    assert said(drawn) == [("shipping", "Shipping", 1500)]
    assert (drawn.lines, drawn.points) == ({}, 0)


# Row 19: paid twice, and row 18: the order made cheaper after it was paid.


def test_what_was_paid_too_much_comes_back_without_lines_and_once() -> None:
    order = replace(ORDER, captured_minor=20000)
    assert overpaid_minor(order) == 10000
    drawn, order = step(order, Ask(overpaid=True), Terms())
    assert said(drawn) == [("overpaid", "Paid too much", 10000)]
    assert (drawn.total_minor, drawn.tax_minor, drawn.taxes) == (10000, 0, {})
    assert (overpaid_minor(order), sheet(order, Ask(overpaid=True)).entries) == (0, ())


def test_what_was_not_paid_yet_is_no_overpayment() -> None:
    assert overpaid_minor(replace(ORDER, captured_minor=9999)) == 0


# Fees.


def restocked(minor: int) -> tuple[str, str, int]:
    return "restocking", "Restocking", minor


def fetched(minor: int) -> tuple[str, str, int]:
    return "return_shipping", "Return shipping", minor


@pytest.mark.parametrize(
    ("restocking", "freight", "total", "entries"),
    [
        (Fee(100), Fee(), 5400, [restocked(-600)]),
        (Fee(0, 250), Fee(0, 499), 5251, [restocked(-250), fetched(-499)]),
        (Fee(15, 10), Fee(), 5900, [restocked(-100)]),
        (Fee(0, 9000), Fee(0, 499), 0, [restocked(-6000)]),
        (Fee(0, 5900), Fee(0, 499), 0, [restocked(-5900), fetched(-100)]),
        (Fee(), Fee(50, 1), 5699, [fetched(-301)]),
    ],
)
def test_fees_are_per_cent_or_fixed_and_never_above_what_was_paid(
    restocking: Fee, freight: Fee, total: int, entries: list[tuple[str, str, int]]
) -> None:
    drawn = sheet(ORDER, Ask({"shirt": 1}), Terms(restocking=restocking, return_shipping=freight))
    assert (drawn.total_minor, said(drawn)[1:]) == (total, entries)
    assert drawn.fees_minor == 6000 - total
    assert drawn.tax_minor == round(958 * total / 6000)


def test_a_fee_leaves_what_is_given_exactly_alone() -> None:
    drawn = sheet(ORDER, Ask({"shirt": 1}, {"book": 300}), Terms(restocking=Fee(0, 9000)))
    assert (drawn.total_minor, drawn.fees_minor) == (300, 6000)


# Tax.


def test_the_tax_is_told_by_the_rate_that_each_line_states() -> None:
    drawn = sheet(replace(ORDER, shipping_minor=500, shipping_tax_minor=80), Ask(ALL), Terms())
    assert drawn.taxes == {"19": LineShare(6000, 958), "7": LineShare(4000, 262), "": LineShare(500, 80)}


def test_lines_of_one_rate_are_told_together_and_those_of_none_with_the_shipping() -> None:
    lines = (SHIRT, replace(SHIRT, line_id="shirt2"), replace(BOOK, tax_rate=""))
    order = OrderMoney("EUR", True, lines, shipping_minor=500, shipping_tax_minor=80)
    drawn = sheet(order, Ask({"shirt": 1, "shirt2": 1, "book": 2}))
    assert drawn.taxes == {"19": LineShare(12000, 1916), "": LineShare(4500, 342)}


def test_what_the_shop_keeps_lowers_every_rate_in_proportion() -> None:
    drawn = sheet(ORDER, Ask(ALL), Terms(restocking=Fee(500)))
    assert drawn.taxes == {"19": LineShare(3000, 479), "7": LineShare(2000, 131)}
    assert drawn.tax_minor == 610


def test_what_is_only_given_back_has_no_rate() -> None:
    order = replace(ORDER, lines=(SHIRT, replace(MUG, tax_rate="19")), discounts=(FREE_MUG,))
    _, order = step(order, Ask({"shirt": 1}), Terms(gifts=True))
    drawn = sheet(order, Ask({"mug": 1}))
    assert drawn.taxes == {"": LineShare(2900, drawn.tax_minor)}
