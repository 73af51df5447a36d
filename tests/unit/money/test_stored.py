"""What is stored of a sheet is all that the next one needs, and what older ones do not say is nothing."""

import json

from refunds.money import Ask, DiscountMoney, Fee, LineMoney, OrderMoney, Taken, Terms, sheet
from refunds.money.drawn import AMOUNTS, Sheet


def test_what_was_asked_is_read_again_as_it_was_but_for_the_units() -> None:
    ask = Ask({"tea": 2}, {"tea": 5}, amount_minor=7, shipping=True, overpaid=True)
    assert Ask.from_json(json.loads(json.dumps(ask.to_json())), {"tea": 1}) == Ask(
        {"tea": 1}, {"tea": 5}, 7, True, True
    )
    assert Ask.from_json({}, {"tea": 1}) == Ask({"tea": 1})


def test_what_refunds_took_beside_lines_is_the_sum_of_their_sheets() -> None:
    order = OrderMoney(
        currency="EUR",
        prices_include_tax=True,
        lines=(LineMoney("tea", "Tea", 2, 2000, 320), LineMoney("mug", "Mug", 1, 500, 0, gift_for="tea")),
        discounts=(DiscountMoney("Mug", 500, ("mug",), "platform"), DiscountMoney("Ten", 400, None, "shop", 2500)),
        non_refundable_minor=160,
        captured_minor=2200,
        points_earned=16,
    )
    terms = Terms(deposit=True, claw_back=True, gifts=True)
    first = sheet(order, Ask({"tea": 1}, overpaid=True), terms)
    taken = Taken(80, 200, 500, 140, 600, 8, {"platform": 0})
    assert Taken().plus(first.to_json()) == Taken(80, 200, 500, 140, 600, 8, {})
    assert taken.plus(first.to_json()).plus({"funded": {"platform": 3}}) == Taken(
        160, 400, 1000, 280, 1200, 16, {"platform": 3}
    )


def test_an_old_sheet_took_nothing_beside_its_lines() -> None:
    assert Taken().plus({"total_minor": 500, "lines": {}}) == Taken()


def test_every_amount_of_a_sheet_is_stored_under_its_name() -> None:
    drawn = sheet(OrderMoney("EUR", True, (LineMoney("tea", "Tea", 1, 100, 16),), shipping_minor=50), Ask({"tea": 1}))
    stored = drawn.to_json()
    assert {name: stored[name] for name in AMOUNTS} == {name: getattr(drawn, name) for name in AMOUNTS}
    assert (stored["total_minor"], stored["shipping_minor"], stored["taxes"]) == (
        150,
        50,
        {"": {"amount_minor": 150, "tax_minor": 16}},
    )


def test_a_sheet_is_read_again_as_it_was() -> None:
    order = OrderMoney(
        currency="EUR",
        prices_include_tax=True,
        lines=(LineMoney("tea", "Tea", 2, 2000, 320, tax_rate="19"), LineMoney("mug", "Mug", 1, 500, 0)),
        discounts=(DiscountMoney("Ten", 400, None, "platform", 2500),),
        shipping_minor=300,
        shipping_tax_minor=40,
        non_refundable_minor=160,
        captured_minor=2500,
        points_earned=16,
    )
    ask = Ask({"tea": 1}, {"mug": 100}, shipping=True, overpaid=True)
    drawn = sheet(order, ask, Terms(deposit=True, claw_back=True, restocking=Fee(10, 5)))
    assert all((drawn.points, drawn.funded, drawn.taxes, drawn.adjustments, drawn.fees_minor, drawn.overpaid_minor))
    assert Sheet.from_json(json.loads(json.dumps(drawn.to_json())), {"tea": 1}) == drawn


def test_what_an_older_sheet_does_not_say_is_nothing() -> None:
    drawn = Sheet.from_json({"entries": [], "lines": {}, "total_minor": 500}, {"tea": 1})
    assert drawn == Sheet((), {}, 0, 0, 500, 0, asked=Ask({"tea": 1}))
