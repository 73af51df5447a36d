"""Amounts as people read them."""

from decimal import Decimal

import pytest
from babel.numbers import format_currency

from orders.currencies import MONEY, exponent
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


@pytest.mark.parametrize("locale", ["en", "en_IN", "zh_Hans_CN", "de_CH", "es", "pl", "fr", "pt_PT", "ar_EG", "hi"])
def test_every_amount_of_every_currency_is_written_as_cldr_has_it(locale):
    amounts = [int("9876054321"[:length]) for length in range(1, 11)] + [0, 10, 10**12, 100200300400]
    for currency in sorted(MONEY):
        for minor in amounts:
            cldr = format_currency(Decimal(minor).scaleb(-exponent(currency)), currency, locale=locale)
            assert format_minor(minor, currency, locale).replace(NBSP, "") == cldr.replace(NBSP, ""), currency


def test_no_digit_of_a_huge_amount_is_lost():
    assert format_minor(10**40 + 1, "USD", "en").replace(",", "") == f"${10**38}.01"


@pytest.mark.parametrize("locale", ["", "xx", "x", "not a locale", "en_US", "en-US"])
def test_an_unknown_locale_reads_english(locale):
    assert format_minor(5800, "JPY", locale) == "¥5,800"


@pytest.mark.parametrize("locale", ["zh_Hans", "zh-Hans", "zh_CN", "zh-Hans-CN"])
def test_a_locale_reads_the_same_with_either_separator(locale):
    assert format_minor(5800, "CNY", locale) == "¥58.00"


LANGUAGES = ("en", "zh_Hans_CN")


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("minor", [1, 50, 1250, 99999, 100000, 1234567, 10**9, 10**15])
@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD", "CNY", "USD", "HUF"])
def test_whatever_we_write_can_be_typed(minor, currency, locale):
    assert read_minor(format_minor(minor, currency, locale), currency, locale) == (minor,)


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(
    ("typed", "eur", "jpy", "kwd"),
    [
        ("0", (0,), (0,), (0,)),
        ("12", (1200,), (12,), (12000,)),
        ("12.3", (1230,), (), (12300,)),
        ("12.34", (1234,), (), (12340,)),
        ("12,34", (1234,), (), (12340,)),
        ("1,50", (150,), (), (1500,)),
        ("1.234", (), (), (1234,)),
        ("1,000", (100000,), (1000,), (1000, 1000000)),
        ("1,000.00", (100000,), (), (1000000,)),
        ("1,000.000", (), (), (1000000,)),
        ("1,234,567", (123456700,), (1234567,), (1234567000,)),
        ("12,345", (1234500,), (12345,), (12345, 12345000)),
        ("1234,567", (), (), (1234567,)),
        ("12345.67", (1234567,), (), (12345670,)),
        (" 5 ", (500,), (5,), (5000,)),
        ("12.3456", (), (), ()),
        ("1.000,50", (), (), ()),
        ("1,00,000", (), (), ()),
        ("0,5,5", (), (), ()),
        ("1e3", (), (), ()),
        ("-1", (), (), ()),
        ("+1", (), (), ()),
        ("", (), (), ()),
        (".5", (), (), ()),
        ("5.", (), (), ()),
        ("NaN", (), (), ()),
        ("\N{ARABIC-INDIC DIGIT THREE}", (), (), ()),
        ("1 000", (), (), ()),
        ("1_000", (), (), ()),
        ("12 USD", (), (), ()),
        ("9" * 21, (), (), ()),
    ],
)
def test_what_people_type_is_read_in_every_way_it_can_be_and_in_no_other(typed, eur, jpy, kwd, locale):
    assert read_minor(typed, "EUR", locale) == eur
    assert read_minor(typed, "JPY", locale) == jpy
    assert read_minor(typed, "KWD", locale) == kwd


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("typed", ["EUR 12.50", "12.50 EUR", "€12.50", "12,50 €", f"12.50{NBSP}€", "EUR12.50"])
def test_the_currency_may_stand_beside_it(typed, locale):
    assert read_minor(typed, "EUR", locale) == (1250,)


def test_another_currency_of_the_same_sign_is_not_taken_for_it():
    assert read_minor("¥58", "JPY", "zh_Hans_CN") == ()
    assert read_minor("JP¥58", "JPY", "zh_Hans_CN") == read_minor("¥58", "JPY", "en") == (58,)
