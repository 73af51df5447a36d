"""Our minor units and Stripe's."""

import pytest

from workers.adapters.stripe_amounts import from_stripe, to_stripe


@pytest.mark.parametrize(
    ("ours", "currency", "theirs"),
    [
        (1000, "EUR", 1000),
        (5800, "JPY", 5800),
        (18600, "KWD", 18600),
        (5, "ISK", 500),
        (5, "UGX", 500),
        (7, "MGA", 7),
        (70, "HUF", 7000),
        (12, "RSD", 12),
        (12, "LBP", 1200),
        (0, "USD", 0),
    ],
)
def test_amounts_are_the_same_money_on_both_sides(ours: int, currency: str, theirs: int) -> None:
    assert to_stripe(ours, currency) == theirs
    assert from_stripe(theirs, currency) == ours


def test_fraction_of_our_unit_is_an_error_not_a_rounding() -> None:
    with pytest.raises(ValueError, match="ISK"):
        from_stripe(550, "ISK")
