"""How currencies are counted, here and elsewhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.currencies import ADYEN, COUNTINGS, ISO_4217, MONEY, PAYPAL, STRIPE, WHOLE_HERE, exponent

#: Legal tender until a few years ago; orders in it can still be refunded.
NO_MORE = {"ANG", "BGN", "CUC", "HRK", "SLL", "ZWL"}
IN_USE = sorted(MONEY - NO_MORE)
DOCS = Path(__file__).resolve().parents[3] / "docs" / "currencies.md"


@pytest.mark.parametrize("code", ["XXX", "XTS", "XAU", "XPT", "XDR", "XUA", "CLF", "UYW", "MXV", "CHE", "DEM", "ZZZ"])
def test_what_nobody_pays_with_is_no_money_of_a_shop(code):
    assert code not in MONEY


@pytest.mark.parametrize("code", ["EUR", "JPY", "KWD", "CNY", "CLP", "UYU", "XAF", "XOF", "XPF", "XCD", *NO_MORE])
def test_what_people_pay_with_is(code):
    assert code in MONEY


def test_our_decimals_are_those_of_iso_4217_but_for_the_listed_currencies():
    assert len(IN_USE) > 150
    assert {code for code in IN_USE if exponent(code) != ISO_4217.exponent(code)} == WHOLE_HERE
    assert {exponent(code) for code in WHOLE_HERE} == {0}


@pytest.mark.parametrize("code", sorted(WHOLE_HERE))
def test_the_docs_name_every_currency_that_differs(code):
    assert code in DOCS.read_text()


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
def test_amounts_are_the_same_money_here_and_at_stripe(ours, currency, theirs):
    assert STRIPE.theirs(ours, currency) == theirs
    assert STRIPE.ours(theirs, currency) == ours


@pytest.mark.parametrize(
    ("counting", "ours", "currency", "theirs"),
    [
        (ADYEN, 5, "ISK", 500),
        (ADYEN, 5, "CLP", 500),
        (ADYEN, 5, "IDR", 5),
        (ADYEN, 500, "CVE", 5),
        (ADYEN, 70, "HUF", 7000),
        (PAYPAL, 70, "HUF", 70),
        (PAYPAL, 7000, "TWD", 70),
        (ISO_4217, 7, "IQD", 7000),
    ],
)
def test_amounts_are_the_same_money_here_and_elsewhere(counting, ours, currency, theirs):
    assert counting.theirs(ours, currency) == theirs
    assert counting.ours(theirs, currency) == ours


def test_a_fraction_of_our_unit_is_an_error_not_a_rounding():
    with pytest.raises(ValueError, match="ISK"):
        STRIPE.ours(550, "ISK")


@pytest.mark.parametrize(
    ("counting", "amount", "currency", "step"),
    [(STRIPE, 5124, "KWD", 10), (STRIPE, 1005, "LYD", 10), (ADYEN, 550, "CVE", 100), (PAYPAL, 50, "TWD", 100)],
)
def test_what_the_other_cannot_express_is_an_error_not_a_rounding(counting, amount, currency, step):
    assert counting.step_minor(currency) == step
    with pytest.raises(ValueError, match=currency):
        counting.theirs(amount, currency)


@given(st.sampled_from(list(COUNTINGS.values())), st.sampled_from(IN_USE), st.integers(0, 10**15))
def test_every_multiple_of_the_step_comes_back_as_it_went(counting, currency, times):
    amount = times * counting.step_minor(currency)
    assert counting.ours(counting.theirs(amount, currency), currency) == amount


@pytest.mark.parametrize("counting", COUNTINGS.values())
def test_every_table_names_where_it_comes_from(counting):
    assert counting.source.startswith("https://")
