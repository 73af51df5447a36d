"""Amounts that went wrong in other systems, by the number of the report. Here each is a line of a table."""

import pytest

from refunds.money import Ask, DiscountMoney, LineMoney, OrderMoney, check_order, paid_minor, sheet


def line(line_id, list_minor, *, quantity=1, tax_minor=0):
    return LineMoney(line_id, f"Thing {line_id}", quantity, list_minor, tax_minor)


def order(*lines, off=(), gross=True, shipping=(0, 0)):
    discounts = tuple(DiscountMoney(f"Discount {i}", amount) for i, amount in enumerate(off))
    return OrderMoney("EUR", gross, lines, discounts, *shipping)


def everything(an_order):
    return {line.line_id: line.left_units for line in an_order.lines}


def refund(an_order, units):
    """What these units are worth now, and the order after they were refunded."""
    drawn = sheet(an_order, Ask(units))
    return drawn, an_order.after(units, drawn)


HALF_OFF_PAIR = order(line("A", 600), line("B", 400), off=[100])

WHOLE_ORDERS = {
    "row 19: ten at 23.90 less 25 %, 20 % tax within": (
        order(line("A", 23900, quantity=10, tax_minor=2988), off=[5975]),
        17925,
    ),
    "row 19: the same with the tax on top": (
        order(line("A", 19917, quantity=10, tax_minor=2988), off=[4980], gross=False),
        17925,
    ),
    "row 22: a coupon of 10 off 100": (order(line("A", 10000), off=[1000]), 9000),
    "row 25: all of it off, tax within": (order(line("A", 1000), off=[1000]), 0),
    "row 25: all of it off, tax on top": (order(line("A", 1000), off=[1000], gross=False), 0),
    "row 29: shipping 5.00 and 20 % on top": (order(line("A", 1000), gross=False, shipping=(500, 100)), 1600),
    "row 29: shipping 6.00 with 20 % within": (order(line("A", 1000), shipping=(600, 100)), 1600),
    "row 30: yen have no minor unit": (order(line("A", 5800)), 5800),
    "row 31: dinars have three decimals": (order(line("A", 18600)), 18600),
}

PARTS = {
    "row 21: the order's discount reaches the one item": (HALF_OFF_PAIR, {"A": 1}, 540),
    "row 21: and the other": (HALF_OFF_PAIR, {"B": 1}, 360),
    "row 23: one of two equal lines, 10 % off all": (
        order(line("A", 1000), line("B", 1000), off=[200]),
        {"A": 1},
        900,
    ),
    "row 23: one of two units, 10 % off": (order(line("A", 2000, quantity=2), off=[200]), {"A": 1}, 900),
    "row 33: three announced, two arrived": (order(line("A", 26997, quantity=3)), {"A": 2}, 17998),
}


@pytest.mark.parametrize(("an_order", "paid"), WHOLE_ORDERS.values(), ids=WHOLE_ORDERS)
def test_a_full_refund_is_exactly_what_was_paid(an_order, paid):
    drawn, after = refund(an_order, everything(an_order))
    assert check_order(an_order) == []
    assert (paid_minor(an_order), drawn.total_minor, sum(e.amount_minor for e in drawn.entries)) == (paid,) * 3
    assert sheet(after, Ask({})).total_minor == 0


@pytest.mark.parametrize(("an_order", "units", "worth"), PARTS.values(), ids=PARTS)
def test_a_part_is_worth_its_share_of_what_was_paid(an_order, units, worth):
    assert sheet(an_order, Ask(units)).total_minor == worth


@pytest.mark.parametrize("units", [{"A": 0}, {}])
def test_row_11_nothing_asked_is_nothing_not_everything(units):
    drawn = sheet(order(line("A", 1000), shipping=(500, 0)), Ask(units))
    assert (drawn.total_minor, drawn.entries, drawn.lines) == (0, (), {})


@pytest.mark.parametrize("quantity", [-1, 1.0, "1", True, None, float("nan")])
def test_row_11_a_quantity_that_is_no_count_is_refused(quantity):
    with pytest.raises(ValueError, match="quantity of line A"):
        sheet(order(line("A", 1000)), Ask({"A": quantity}))


@pytest.mark.parametrize("amount", [-1, 9.99, "999", float("inf")])
def test_row_11_an_amount_that_is_no_whole_number_is_refused_by_name(amount):
    with pytest.raises(ValueError, match="list_minor"):
        line("A", amount)


def test_row_15_after_all_but_one_only_one_is_left():
    _, after = refund(order(line("A", 1000, quantity=10)), {"A": 9})
    assert sheet(after, Ask({"A": 1})).total_minor == 100
    with pytest.raises(ValueError, match="line A: 10 wanted, 1 left"):
        sheet(after, Ask({"A": 10}))


def test_row_16_refunds_count_together_not_one_by_one():
    _, after = refund(order(line("A", 10000, quantity=10)), {"A": 8})
    with pytest.raises(ValueError, match="line A: 8 wanted, 2 left"):
        sheet(after, Ask({"A": 8}))


def test_row_27_shipping_comes_back_once():
    first, after = refund(order(line("A", 1000), line("B", 500), shipping=(600, 100)), {"A": 1})
    second, after = refund(after, {"B": 1})
    assert (first.shipping_minor, second.shipping_minor, second.total_minor) == (0, 600, 1100)
    assert not any(entry.kind == "shipping" for entry in first.entries)


def test_row_27_a_refund_after_the_shipping_went_back_has_none():
    shipped_back = OrderMoney(
        "EUR", True, (line("A", 1000),), (), 600, 100, shipping_refunded_minor=600, shipping_tax_refunded_minor=100
    )
    drawn = sheet(shipped_back, Ask({"A": 1}))
    assert (drawn.shipping_minor, drawn.shipping_tax_minor, drawn.total_minor) == (0, 0, 1000)
    assert [entry.kind for entry in drawn.entries] == ["line"]


def test_row_27_shipping_never_comes_without_units():
    all_taken = OrderMoney("EUR", True, (LineMoney("A", "Thing", 1, 1000, 0, 1, 1000, 0),), (), 600, 100)
    assert sheet(all_taken, Ask({})).total_minor == 0


def test_row_34_more_than_was_bought_or_the_same_again_is_refused():
    bought = order(line("A", 1000))
    with pytest.raises(ValueError, match="3 wanted, 1 left"):
        sheet(bought, Ask({"A": 3}))
    _, after = refund(bought, {"A": 1})
    with pytest.raises(ValueError, match="1 wanted, 0 left"):
        sheet(after, Ask({"A": 1}))


def test_row_53_a_free_line_comes_back_for_nothing_and_says_so():
    drawn = sheet(order(line("A", 0, quantity=2)), Ask({"A": 2}))
    assert drawn.total_minor == 0
    assert [(e.kind, e.amount_minor, e.quantity) for e in drawn.entries] == [("line", 0, 2)]
