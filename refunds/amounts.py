"""Amounts as people read them, in their locale, with the decimals of `orders.currencies`: JPY 0, EUR 2, KWD 3.

No amount passes through a float.
"""

import re
from decimal import Decimal, localcontext
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import format_currency, get_currency_symbol, get_decimal_symbol, get_group_symbol

from orders.currencies import exponent

FALLBACK_LOCALE = Locale("en")

#: CLDR wants a space between a code such as KWD and the digits after it; Babel leaves it out.
CODE_MEETS_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)")
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
#: No amount is above it, in minor units; nor is it longer than this, with all its commas.
_MOST_MINOR = 10**15
_LONGEST = 30


def format_minor(amount_minor: int, currency: str, locale: str) -> str:
    """The amount with its currency, such as ¥5,800 for 5800 JPY. An unknown locale reads English."""
    digits = str(amount_minor).zfill(exponent(currency) + 1)
    form = _form(len(digits), currency, locale) if amount_minor >= 0 else ""
    return form % tuple(digits) if form else _written(amount_minor, currency, locale)


@lru_cache(maxsize=1024)
def _form(length: int, currency: str, locale: str) -> str:
    """How amounts of so many digits are written, with a %s for each of them; empty where not every one is shown."""
    form = _written(int("1" * length), currency, locale).replace("%", "%%").replace("1", "%s")
    return form if form.count("%s") == length else ""


def _written(amount_minor: int, currency: str, locale: str) -> str:
    digits = str(amount_minor)
    with localcontext(prec=len(digits) + exponent(currency) + 1):
        amount = Decimal(digits).scaleb(-exponent(currency))
        text = format_currency(amount, currency, locale=_locale(locale))
    return CODE_MEETS_DIGIT.sub(NO_BREAK_SPACE, text)


@lru_cache(maxsize=256)
def _locale(name: str) -> Locale:
    try:
        return Locale.parse(name, sep="-" if "-" in name else "_")
    except (UnknownLocaleError, ValueError):
        return FALLBACK_LOCALE


def read_minor(text: str, currency: str, locale: str) -> tuple[int, ...]:
    """Minor units of an amount that a person typed: every way to read it, so one where it is clear, none where it is
    no amount.

    It may be as `format_minor` writes it in this locale, with or without the currency and the groups of thousands, or
    have the other of point and comma before its decimals. No sign, and no more decimals than the currency has.
    """
    digits = _without_currency(text, currency, locale)
    point, group = get_decimal_symbol(_locale(locale)), get_group_symbol(_locale(locale))
    other = "," if point == "." else "."
    readings = {_minor(digits, currency, point=point, group=group), _minor(digits, currency, point=other, group="")}
    return tuple(sorted(minor for minor in readings if minor is not None))


def _without_currency(text: str, currency: str, locale: str) -> str:
    text = text.replace(NO_BREAK_SPACE, " ").strip()
    for name in (get_currency_symbol(currency, _locale(locale)), currency):
        if name in (text[: len(name)], text[-len(name) :]):
            return text.removeprefix(name).removesuffix(name).strip()
    return text


def _minor(text: str, currency: str, *, point: str, group: str) -> int | None:
    """With this sign before the decimals, and this one between groups of thousands, if at all."""
    decimals = exponent(currency)
    grouped = rf"|[0-9]{{1,3}}(?:{re.escape(group)}[0-9]{{3}})+" if group else ""
    fraction = rf"(?:{re.escape(point)}([0-9]{{1,{decimals}}}))?" if decimals else "()"
    found = re.fullmatch(rf"([0-9]+{grouped}){fraction}", text) if len(text) <= _LONGEST else None
    if not found:
        return None
    minor = int(re.sub("[^0-9]", "", found[1]) + (found[2] or "").ljust(decimals, "0"))
    return minor if minor <= _MOST_MINOR else None
