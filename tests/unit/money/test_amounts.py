"""Amounts as people read them."""

import pytest
from babel.core import get_global
from babel.numbers import list_currencies

from refunds.amounts import exponent, format_minor

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("minor", "currency", "en", "zh_hans"),
    [
        (5800, "JPY", "¥5,800", "JP¥5,800"),
        (9899, "JPY", "¥9,899", "JP¥9,899"),
        (18600, "KWD", f"KWD{NBSP}18.600", f"KWD{NBSP}18.600"),
        (1, "BHD", f"BHD{NBSP}0.001", f"BHD{NBSP}0.001"),
        (5800, "CNY", "CN¥58.00", "¥58.00"),
        (123456789, "EUR", "€1,234,567.89", "€1,234,567.89"),
        (0, "USD", "$0.00", "US$0.00"),
        (-540, "USD", "-$5.40", "-US$5.40"),
    ],
)
def test_rows_30_and_31_an_amount_reads_with_the_decimals_of_its_currency(minor, currency, en, zh_hans):
    assert format_minor(minor, currency, "en") == en
    assert format_minor(minor, currency, "zh_Hans") == zh_hans


def test_no_digit_of_a_huge_amount_is_lost():
    assert format_minor(10**40 + 1, "USD", "en").replace(",", "") == f"${10**38}.01"


@pytest.mark.parametrize("locale", ["", "xx", "x", "not a locale", "en_US", "en-US"])
def test_an_unknown_locale_reads_english(locale):
    assert format_minor(5800, "JPY", locale) == "¥5,800"


@pytest.mark.parametrize("locale", ["zh_Hans", "zh-Hans", "zh_CN", "zh-Hans-CN"])
def test_a_locale_reads_the_same_with_either_separator(locale):
    assert format_minor(5800, "CNY", locale) == "¥58.00"


#: ISO 4217: the active currencies whose minor unit is not a hundredth, by their decimals.
ISO_DECIMALS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
#: CLDR decides here, and has these in whole units where ISO 4217 still has hundredths or thousandths.
WHOLE_IN_CLDR = "AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK SOS SYP YER"


def test_decimals_are_those_of_iso_4217_but_for_the_listed_currencies():
    active = [code for code in list_currencies() if _in_use(code)]
    differ = {code for code in active if exponent(code) != _iso_decimals(code)}
    assert len(active) > 150
    assert differ == set(WHOLE_IN_CLDR.split())
    assert {exponent(code) for code in differ} == {0}


def _iso_decimals(currency):
    return next((decimals for decimals, codes in ISO_DECIMALS.items() if currency in codes), 2)


def _in_use(currency):
    """Whether some territory has it as tender with no end date."""
    tenders = (tender for territory in get_global("territory_currencies").values() for tender in territory)
    return any(code == currency and end is None and is_tender for code, _, end, is_tender in tenders)
