"""Amounts as people read them."""

import pytest

from refunds.amounts import format_minor, read_minor

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


@pytest.mark.parametrize(
    ("typed", "currency", "minor"),
    [
        ("12.34", "EUR", 1234),
        ("12,34", "EUR", 1234),
        ("12.3", "EUR", 1230),
        ("12", "EUR", 1200),
        ("0", "EUR", 0),
        ("5800", "JPY", 5800),
        ("18.600", "KWD", 18600),
        ("18,6", "KWD", 18600),
    ],
)
def test_what_people_type_is_read_by_the_currencys_decimals(typed, currency, minor):
    assert read_minor(typed, currency) == minor


@pytest.mark.parametrize(
    ("typed", "currency"),
    [
        ("", "EUR"),
        ("-1", "EUR"),
        ("+1", "EUR"),
        ("1.234", "EUR"),
        ("1,234.00", "EUR"),
        ("1e3", "EUR"),
        (".5", "EUR"),
        ("5.", "EUR"),
        ("NaN", "EUR"),
        ("٣", "EUR"),
        ("1 000", "EUR"),
        ("58.00", "JPY"),
        ("9" * 20, "EUR"),
    ],
)
def test_what_is_no_amount_is_not_guessed(typed, currency):
    assert read_minor(typed, currency) is None
