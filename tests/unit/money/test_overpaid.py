"""What was paid too much: never what pays for all that remains, whoever gave the rest."""

import pytest

from refunds.money import LineMoney, OrderMoney, Taken, overpaid_minor

CUPS = LineMoney("CUP", "Cup", 2, 2000, 0, refunded_units=1, refunded_minor=1000, adjusted_minor=100)


@pytest.mark.parametrize(
    ("captured", "free", "taken", "overpaid"),
    [
        (2300, None, 0, 0),
        (3000, None, 0, 700),
        (3000, None, 700, 0),
        (3000, 1900, 0, 700),
        (3000, 1899, 0, 699),
        (3000, 1200, 0, 0),
        (3000, 0, 0, 0),
        (2000, 5000, 0, 0),
    ],
)
def test_overpaid_is_what_is_free_beyond_all_that_remains(
    captured: int, free: int | None, taken: int, overpaid: int
) -> None:
    order = OrderMoney(
        "EUR",
        True,
        (CUPS,),
        shipping_minor=300,
        captured_minor=captured,
        free_minor=free,
        taken=Taken(overpaid_minor=taken),
    )
    assert overpaid_minor(order) == overpaid


@pytest.mark.parametrize(("captured", "taken", "overpaid"), [(0, 0, 0), (1000, 0, 1000), (1000, 400, 600)])
def test_what_is_captured_although_its_hold_was_ended_is_paid_too_much(
    captured: int, taken: int, overpaid: int
) -> None:
    gone = LineMoney("CUP", "Cup", 1, 1000, 0, refunded_units=1, refunded_minor=1000)
    order = OrderMoney(
        "EUR",
        True,
        (gone,),
        captured_minor=captured,
        free_minor=captured,
        taken=Taken(overpaid_minor=taken, voided_minor=1000),
    )
    assert overpaid_minor(order) == overpaid
