"""What the money that is left pays for: exactly what a sheet of those units costs, and of one more does not."""

import pytest

from refunds.money import Ask, LineMoney, OrderMoney, sheet, units_within


def order(*lines: LineMoney, shipping_minor: int = 0) -> OrderMoney:
    return OrderMoney("EUR", True, lines, (), shipping_minor, 0, 0, 0)


MUGS = LineMoney("mug", "Mug", 3, 1000, 0)
TEA = LineMoney("tea", "Tea", 1, 500, 0)


@pytest.mark.parametrize("money", range(0, 1700, 50))
@pytest.mark.parametrize("lines", [(MUGS,), (MUGS, TEA)], ids=["alone", "beside another"])
def test_so_many_units_can_be_paid_and_no_more(lines: tuple[LineMoney, ...], money: int) -> None:
    paid = order(*lines, shipping_minor=490)
    most, worth = units_within(paid, {line.line_id: line.quantity for line in lines}, money)["mug"]
    costs = [sheet(paid, Ask({"mug": units} if units else {})).total_minor for units in range(4)]
    assert most == max(units for units in range(4) if costs[units] <= money)
    assert worth == (sheet(paid, Ask({"mug": most})).lines["mug"].amount_minor if most else 0)


def test_units_that_are_not_free_are_not_counted() -> None:
    assert units_within(order(MUGS), {"mug": 1}, 10_000) == {"mug": (1, 333)}
    assert units_within(order(MUGS), {}, 10_000) == {"mug": (0, 0)}


def test_shipping_completes_with_a_line_beside_which_nothing_is_left() -> None:
    gone = LineMoney("tea", "Tea", 1, 500, 0, refunded_units=1, refunded_minor=500)
    paid = order(MUGS, gone, shipping_minor=490)
    assert units_within(paid, {"mug": 3}, 1489)["mug"] == (2, 667)
    assert units_within(paid, {"mug": 3}, 1490)["mug"] == (3, 1000)
    assert units_within(order(MUGS, TEA, shipping_minor=490), {"mug": 3}, 1000)["mug"] == (3, 1000)


def test_the_very_money_of_some_units_pays_for_them() -> None:
    assert units_within(order(MUGS, TEA), {"mug": 3}, 333)["mug"] == (1, 333)
    assert units_within(order(MUGS, TEA), {"mug": 3}, 332)["mug"] == (0, 0)


def test_no_units_are_worth_nothing_whatever_an_earlier_one_left_to_the_line() -> None:
    lowered_then = LineMoney("mug", "Mug", 2, 2000, 0, refunded_units=1)
    assert units_within(order(lowered_then), {"mug": 1}, 0) == {"mug": (0, 0)}
