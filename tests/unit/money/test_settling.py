"""Several things are taken off one refund, or were given back too much before it: each in its turn, and only once."""

from dataclasses import replace

import pytest

from refunds.money import (
    Ask,
    DiscountMoney,
    LineMoney,
    MoreThanLeft,
    OrderMoney,
    Taken,
    Terms,
    free_minor,
    sheet,
)
from tests.unit.money.test_situations import BOOK, COUPON, FREE_MUG, MUG, ORDER, SHIRT, step


@pytest.mark.parametrize(("deposit", "gift", "kept"), [(True, 1000, 1000), (False, 2000, 0)])
def test_a_gift_leaves_the_share_of_the_deposit_unless_it_is_waived(deposit: bool, gift: int, kept: int) -> None:
    cheap = replace(SHIRT, list_minor=2000, tax_minor=0)
    order = replace(ORDER, lines=(cheap, BOOK, MUG), discounts=(FREE_MUG,), non_refundable_minor=3000)
    drawn = sheet(order, Ask({"shirt": 1}), Terms(gifts=True, deposit=deposit))
    off = {entry.kind.value: -entry.amount_minor for entry in drawn.entries if entry.amount_minor < 0}
    assert (drawn.gifts_minor, off.get("deposit", 0), drawn.total_minor) == (gift, kept, 0)
    assert drawn.deposit_minor == 1000


@pytest.mark.parametrize(
    ("shirt_minor", "coupon", "gift"),
    [(300, 300, 0), (400, 400, 0), (500, 400, 100), (2000, 400, 1600), (9000, 400, 2900)],
)
def test_a_coupon_is_taken_off_before_a_gift(shirt_minor: int, coupon: int, gift: int) -> None:
    coupons = (FREE_MUG, DiscountMoney("Books", 400, ("book",), "shop", 9000))
    shirt = replace(SHIRT, list_minor=shirt_minor, tax_minor=0)
    pen = LineMoney("pen", "Pen", 1, 5000, 0)
    order = replace(ORDER, lines=(shirt, BOOK, MUG, pen), discounts=coupons)
    drawn = sheet(order, Ask({"shirt": 1}), Terms(claw_back=True, gifts=True))
    assert (drawn.clawed_back_minor, drawn.gifts_minor) == (coupon, gift)


def test_of_a_gift_at_a_lower_price_what_was_paid_for_it_is_not_taken_off() -> None:
    order = replace(ORDER, lines=(SHIRT, MUG), discounts=(DiscountMoney("Mug for less", 2000, ("mug",)),))
    assert sheet(order, Ask({"shirt": 1}), Terms(gifts=True)).gifts_minor == 2000


def test_several_coupons_are_named_one_after_the_other() -> None:
    order = replace(ORDER, discounts=(COUPON, replace(COUPON, label="Welcome")))
    drawn = sheet(order, Ask({"shirt": 1}), Terms(claw_back=True))
    assert [entry.label for entry in drawn.entries if entry.kind == "claw_back"] == ["Ten off 80, Welcome"]


def test_an_adjustment_that_no_part_of_falls_on_a_unit_is_not_named() -> None:
    order = replace(ORDER, lines=(LineMoney("cup", "Cup", 3, 3000, 0),))
    _, order = step(order, Ask(adjustments={"cup": 1}), Terms())
    assert [(e.kind, e.amount_minor) for e in sheet(order, Ask({"cup": 1})).entries] == [("line", 1000)]


def test_what_others_get_back_comes_with_units_only() -> None:
    """An order that was refunded in part before it was sent here: what its payer is owed waits for the next unit."""
    book = replace(BOOK, refunded_units=1, refunded_minor=1800, refunded_tax_minor=131)
    order = replace(ORDER, lines=(SHIRT, book), discounts=(DiscountMoney("Platform", 1000, None, "platform"),))
    assert sheet(order, Ask(amount_minor=100)).funded == {}
    assert sheet(order, Ask({"book": 1})).funded == {"platform": 400}


def test_the_tax_kept_with_a_gift_is_given_back_with_it_however_high_it_is() -> None:
    gin = LineMoney("gin", "Gin", 1, 1000, 1600)
    glass = replace(MUG, list_minor=300, gift_for="gin")
    order = OrderMoney("EUR", False, (gin, glass, replace(gin, line_id="rum")), (replace(FREE_MUG, amount_minor=300),))
    first, order = step(order, Ask({"gin": 1}), Terms(gifts=True))
    second, order = step(order, Ask({"mug": 1}), Terms(gifts=True))
    assert (first.gifts_minor, first.tax_minor) == (300, 1600 - 185)
    assert (second.gifts_minor, second.tax_minor, order.taken.withheld_tax_minor) == (-300, 185, 0)


# What is withheld, and free amounts.


def test_no_amount_takes_what_is_withheld_while_any_unit_is_kept() -> None:
    _, order = step(replace(ORDER, discounts=(COUPON,)), Ask({"shirt": 1}), Terms(claw_back=True))
    assert (order.taken.clawed_back_minor, order.taken.withheld_tax_minor) == (400, 54)
    assert free_minor(order) == 3600
    with pytest.raises(MoreThanLeft, match="^3601 wanted, 3600 left"):
        sheet(order, Ask(amount_minor=3601))


@pytest.mark.parametrize(("amount", "freight", "returned"), [(300, 300, 0), (500, 500, 0), (540, 500, 40)])
def test_an_amount_takes_the_shipping_before_what_is_withheld(amount: int, freight: int, returned: int) -> None:
    gone = replace(SHIRT, refunded_units=1, refunded_minor=6000, refunded_tax_minor=958)
    order = replace(ORDER, lines=(gone,), shipping_minor=500, taken=Taken(clawed_back_minor=100))
    drawn = sheet(order, Ask(amount_minor=amount))
    assert (drawn.total_minor, drawn.shipping_minor, -drawn.clawed_back_minor) == (amount, freight, returned)


# What a cancelled refund had kept, and a later one gave back: it is missing now.

FREIGHT = replace(ORDER, shipping_minor=500, shipping_tax_minor=80)
TOO_MUCH = Taken(clawed_back_minor=-50, withheld_tax_minor=-8)


def test_what_was_given_back_too_much_comes_off_the_last_amount_and_off_nothing_else() -> None:
    order = replace(FREIGHT, taken=TOO_MUCH)
    ask = Ask({"shirt": 1, "book": 2}, amount_minor=450)
    drawn, order = step(order, ask, Terms(shipping="never", claw_back=True))
    assert (drawn.total_minor, drawn.tax_minor) == (10450, 958 + 262 + 80 - 8)
    assert (order.taken.clawed_back_minor, order.taken.withheld_tax_minor, free_minor(order)) == (0, 0, 0)


@pytest.mark.parametrize("terms", [Terms(shipping="never"), Terms(shipping="never", claw_back=True, gifts=True)])
def test_a_coupon_and_a_gift_that_stand_against_each_other_are_both_settled(terms: Terms) -> None:
    mixed = Taken(clawed_back_minor=100, gifts_minor=-150, withheld_tax_minor=-8)
    order = replace(FREIGHT, taken=mixed)
    drawn, order = step(order, Ask({"shirt": 1, "book": 2}, amount_minor=450), terms)
    assert (drawn.total_minor, drawn.tax_minor) == (10450, 958 + 262 + 80 - 8)
    assert (order.taken.clawed_back_minor, order.taken.gifts_minor, order.taken.withheld_tax_minor) == (0, 0, 0)


def test_a_coupon_on_what_is_kept_is_taken_with_its_tax_where_all_else_is_settled() -> None:
    """The shirt comes back, the books are kept and cost nothing any more: 400 of the coupon are on them."""
    order = replace(FREIGHT, discounts=(COUPON,), taken=TOO_MUCH)
    drawn, order = step(order, Ask({"shirt": 1}, amount_minor=3600 + 500 - 50), Terms(claw_back=True))
    assert (drawn.total_minor, drawn.tax_minor) == (9500 - 50 - 400, 958 + 262 + 80 - 8 - 54)
    assert (order.taken.clawed_back_minor, order.taken.withheld_tax_minor, free_minor(order)) == (400, 54, 0)


def test_an_amount_beside_the_shipping_never_gives_more_net_than_is_left() -> None:
    tea = LineMoney("tea", "Tea", 1, 1000, 160)
    order = replace(FREIGHT, lines=(tea,), taken=TOO_MUCH)
    first, order = step(order, Ask(amount_minor=949, shipping=True), Terms())
    rest, order = step(order, Ask(amount_minor=1), Terms())
    assert (first.total_minor, rest.total_minor) == (1449, 1)
    assert first.tax_minor + rest.tax_minor == 160 + 80 - 8
    assert (order.taken.withheld_tax_minor, free_minor(order)) == (0, 0)
