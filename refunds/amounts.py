"""Amounts as people read them, in their locale, with the decimals of `orders.currencies`: JPY 0, EUR 2, KWD 3.

No amount passes through a float.
"""

import re
from decimal import Decimal, localcontext
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import format_currency

from orders.currencies import exponent

FALLBACK_LOCALE = Locale("en")

#: CLDR wants a space between a code such as KWD and the digits after it; Babel leaves it out.
CODE_MEETS_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)")
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def format_minor(amount_minor: int, currency: str, locale: str) -> str:
    """The amount with its currency, such as ¥5,800 for 5800 JPY. An unknown locale reads English."""
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


def read_minor(text: str, currency: str) -> int | None:
    """Minor units of an amount as people type it, with a point or a comma before its decimals; None for anything else.

    No more decimals than the currency has, no sign, no groups of thousands: nothing is guessed.
    """
    decimals = exponent(currency)
    typed = re.fullmatch(rf"([0-9]{{1,13}})(?:[.,]([0-9]{{1,{decimals}}}))?" if decimals else "([0-9]{1,15})()", text)
    return int(typed[1] + (typed[2] or "").ljust(decimals, "0")) if typed else None
