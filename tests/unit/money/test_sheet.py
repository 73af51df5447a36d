"""The sheet explains: entries by kind, in the shop's order, adding up; and what a shop must not send."""

import json

import pytest

from refunds.money import Ask, DiscountMoney, LineMoney, OrderMoney, capped, check_order, paid_minor, sheet

TWO_LINES = (LineMoney("tea", "Tea", 3, 1000, 150), LineMoney("cup", "Cup", 1, 500, 80))
COUPONS = (DiscountMoney("Welcome", 150), DiscountMoney("Tea week", 100, ("tea",), "platform"))


def entries(order, units):
    return [(e.kind.value, e.label, e.amount_minor, e.line_id, e.quantity) for e in sheet(order, Ask(units)).entries]


def test_each_line_is_followed_by_its_discounts_and_shipping_comes_last():
    order = OrderMoney("EUR", True, TWO_LINES, COUPONS, 490, 78)
    assert entries(order, {"cup": 1, "tea": 3}) == [
        ("line", "Tea", 1000, "tea", 3),
        ("discount", "Welcome", -100, "tea", 0),
        ("discount", "Tea week", -100, "tea", 0),
        ("line", "Cup", 500, "cup", 1),
        ("discount", "Welcome", -50, "cup", 0),
        ("shipping", "Shipping", 490, "", 0),
    ]
    assert sheet(order, Ask({"cup": 1, "tea": 3})).tax_minor == 150 + 80 + 78


def test_tax_on_top_has_entries_of_its_own():
    order = OrderMoney("USD", False, TWO_LINES, (), 490, 49)
    assert entries(order, {"tea": 3, "cup": 1}) == [
        ("line", "Tea", 1000, "tea", 3),
        ("tax", "Tax", 150, "tea", 0),
        ("line", "Cup", 500, "cup", 1),
        ("tax", "Tax", 80, "cup", 0),
        ("shipping", "Shipping", 490, "", 0),
        ("shipping_tax", "Tax on shipping", 49, "", 0),
    ]


def test_a_later_discount_is_spread_by_what_earlier_ones_left():
    lines = (LineMoney("A", "A", 1, 1000, 0), LineMoney("B", "B", 1, 1000, 0))
    order = OrderMoney("EUR", True, lines, (DiscountMoney("Half of A", 500, ("A",)), DiscountMoney("Coupon", 300)))
    assert {line_id: share.amount_minor for line_id, share in sheet(order, Ask({"A": 1, "B": 1})).lines.items()} == {
        "A": 400,
        "B": 800,
    }


def test_one_unit_of_three_for_ten_is_a_third_and_the_last_takes_the_rest():
    order, worth = OrderMoney("EUR", True, (LineMoney("A", "A", 3, 1000, 0),)), []
    for _ in range(3):
        drawn = sheet(order, Ask({"A": 1}))
        worth.append(drawn.total_minor)
        order = order.after({"A": 1}, drawn)
    assert worth == [333, 334, 333]


@pytest.mark.parametrize("refunded_minor", [331, 332, 333, 334, 335])
def test_entries_add_up_whatever_a_cancelled_refund_left_of_the_rounding(refunded_minor):
    """One of three for 10.00 less 0.01 is held at more or less than its share: the others get what is left."""
    held = LineMoney("A", "A", 3, 1000, 0, refunded_units=1, refunded_minor=refunded_minor)
    order = OrderMoney("EUR", True, (held,), (DiscountMoney("Coupon", 1),))
    drawn = sheet(order, Ask({"A": 2}))
    assert drawn.total_minor == sum(e.amount_minor for e in drawn.entries) == 999 - refunded_minor
    assert all(e.amount_minor < 0 for e in drawn.entries if e.kind == "discount")
    assert {e.kind for e in drawn.entries} <= {"line", "discount"}


@pytest.mark.parametrize("refunded_minor", [332, 334])
def test_without_discounts_the_line_is_what_is_left_of_it(refunded_minor):
    held = LineMoney("A", "A", 3, 1000, 0, refunded_units=1, refunded_minor=refunded_minor)
    drawn = sheet(OrderMoney("EUR", True, (held,)), Ask({"A": 2}))
    assert [(e.kind, e.amount_minor) for e in drawn.entries] == [("line", 1000 - refunded_minor)]


def test_the_tax_of_a_line_ends_with_its_last_unit():
    order = OrderMoney("EUR", True, (LineMoney("A", "A", 3, 1000, 160),))
    taxes = []
    for _ in range(3):
        drawn = sheet(order, Ask({"A": 1}))
        taxes.append(drawn.tax_minor)
        order = order.after({"A": 1}, drawn)
    assert taxes == [53, 54, 53]


def test_the_json_of_a_sheet_is_plain_and_the_same_every_time():
    order = OrderMoney("EUR", True, TWO_LINES, COUPONS, 490, 78)
    text = json.dumps(sheet(order, Ask({"tea": 1, "cup": 1})).to_json())
    assert text == json.dumps(sheet(order, Ask({"cup": 1, "tea": 1})).to_json())
    assert json.loads(text) == {
        "entries": [
            {"kind": "line", "label": "Tea", "amount_minor": 333, "line_id": "tea", "quantity": 1},
            {"kind": "discount", "label": "Welcome", "amount_minor": -33, "line_id": "tea", "quantity": 0},
            {"kind": "discount", "label": "Tea week", "amount_minor": -33, "line_id": "tea", "quantity": 0},
            {"kind": "line", "label": "Cup", "amount_minor": 500, "line_id": "cup", "quantity": 1},
            {"kind": "discount", "label": "Welcome", "amount_minor": -50, "line_id": "cup", "quantity": 0},
        ],
        "lines": {"tea": {"amount_minor": 267, "tax_minor": 50}, "cup": {"amount_minor": 450, "tax_minor": 80}},
        "shipping_minor": 0,
        "shipping_tax_minor": 0,
        "total_minor": 717,
        "tax_minor": 130,
        "adjustments": {},
        "deposit_minor": 0,
        "clawed_back_minor": 0,
        "gifts_minor": 0,
        "withheld_tax_minor": 0,
        "overpaid_minor": 0,
        "fees_minor": 0,
        "points": 0,
        "funded": {"platform": 33},
        "taxes": {"": {"amount_minor": 717, "tax_minor": 130}},
        "asked": {"adjustments": {}, "amount_minor": None, "shipping": None, "overpaid": False},
    }


def test_an_unknown_line_is_refused():
    with pytest.raises(ValueError, match="no line spoon"):
        sheet(OrderMoney("EUR", True, TWO_LINES), Ask({"spoon": 1}))


WRONG = {
    "a line named twice": (
        OrderMoney("EUR", True, (*TWO_LINES, LineMoney("tea", "Tea", 1, 0, 0))),
        [("lines[2].id", "repeated", "line tea is named twice: give each its own id")],
    ),
    "a discount for a line that is not there": (
        OrderMoney("EUR", True, TWO_LINES, (DiscountMoney("x", 1, ("tea", "spoon")),)),
        [("discounts[0].lines[1]", "unknown_line", "the order has no line spoon")],
    ),
    "a discount above what its lines cost": (
        OrderMoney("EUR", True, TWO_LINES, (DiscountMoney("x", 501, ("cup",)),)),
        [
            (
                "discounts[0].amount_minor",
                "discount_too_high",
                "501 off lines that cost 500 after earlier discounts: 1 too much",
            )
        ],
    ),
    "a discount above what earlier ones left": (
        OrderMoney("EUR", True, TWO_LINES, (DiscountMoney("x", 500, ("cup",)), DiscountMoney("y", 1001))),
        [
            (
                "discounts[1].amount_minor",
                "discount_too_high",
                "1001 off lines that cost 1000 after earlier discounts: 1 too much",
            )
        ],
    ),
    "a discount off nothing": (
        OrderMoney("EUR", True, (), (DiscountMoney("x", 1),)),
        [
            (
                "discounts[0].amount_minor",
                "discount_too_high",
                "1 off lines that cost 0 after earlier discounts: 1 too much",
            )
        ],
    ),
    "more tax than price": (
        OrderMoney("EUR", True, (LineMoney("A", "A", 1, 100, 16),), (DiscountMoney("x", 90),), 10, 11),
        [
            (
                "lines[0].tax_minor",
                "tax_too_high",
                "tax of 16 cannot be within 10, the price after discounts",
            ),
            ("shipping_tax_minor", "tax_too_high", "tax of 11 cannot be within 10, the price after discounts"),
        ],
    ),
}


@pytest.mark.parametrize(("order", "violations"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_an_order_is_named_by_field(order, violations):
    assert [(error.field, error.code, error.detail) for error in check_order(order)] == violations


def test_a_discount_that_is_too_high_says_by_how_much_and_has_no_price():
    order = OrderMoney("EUR", True, TWO_LINES, (DiscountMoney("x", 501, ("cup",)),))
    assert check_order(order)[0].detail == "501 off lines that cost 500 after earlier discounts: 1 too much"
    with pytest.raises(ValueError, match="501 off lines that cost 500"):
        paid_minor(order)


def test_tax_on_top_may_be_more_than_the_price():
    assert check_order(OrderMoney("EUR", False, (LineMoney("A", "Spirits", 1, 100, 160),))) == []


@pytest.mark.parametrize("limit_minor", [0, 1, 999, 1990, 2018, 2019, 2218])
def test_a_sheet_is_capped_with_an_entry_that_says_why(limit_minor: int) -> None:
    order = OrderMoney("USD", False, TWO_LINES, COUPONS, 490, 49)
    full = sheet(order, Ask({"tea": 3, "cup": 1}))
    assert full.total_minor == 2019
    least = capped(full, limit_minor, "Not more")
    over = max(0, 2019 - limit_minor)
    assert least.total_minor == 2019 - over == sum(entry.amount_minor for entry in least.entries)
    assert least.total_minor == sum(one.amount_minor for one in least.lines.values()) + least.shipping_minor
    assert least.tax_minor == sum(one.tax_minor for one in least.lines.values()) + least.shipping_tax_minor
    assert all(one.tax_minor <= one.amount_minor for one in least.lines.values())
    said = [(e.kind, e.label, e.amount_minor) for e in least.entries[len(full.entries) :]]
    assert said == ([("limit", "Not more", -over)] if over else [])


def test_what_a_cap_has_withheld_is_due_on_the_lines_still() -> None:
    order = OrderMoney("EUR", True, (LineMoney("A", "A", 2, 2000, 200),))
    first = capped(sheet(order, Ask({"A": 1})), 700, "Not more")
    rest = sheet(order.after({"A": 1}, first), Ask({"A": 1}))
    assert (first.total_minor + rest.total_minor, first.tax_minor + rest.tax_minor) == (2000, 200)


def test_a_sheet_of_nothing_is_not_capped() -> None:
    free = sheet(OrderMoney("EUR", True, (LineMoney("A", "A", 1, 0, 0),)), Ask({"A": 1}))
    assert capped(free, 0, "Not more") == free
