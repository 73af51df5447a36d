"""Amounts as Stripe counts them, where that differs from ours.

Ours are minor units by the exponents of CLDR (JPY 0, EUR 2, KWD 3). Stripe's are listed at
https://docs.stripe.com/currencies ("Zero-decimal currencies", "Three-decimal currencies", "Special cases").
Two decimals for all but the following. ISK and UGX have no decimals, yet are sent with two.
"""

from babel.numbers import get_currency_precision

ZERO_DECIMAL = frozenset(
    ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"]
)
THREE_DECIMAL = frozenset(["BHD", "JOD", "KWD", "OMR", "TND"])


def to_stripe(amount_minor: int, currency: str) -> int:
    """Our minor units in Stripe's. Raises ValueError where Stripe cannot express the amount."""
    return _shift(amount_minor, stripe_exponent(currency) - get_currency_precision(currency), currency)


def from_stripe(amount: int, currency: str) -> int:
    """Stripe's units in ours. Raises ValueError for a fraction of our minor unit."""
    return _shift(amount, get_currency_precision(currency) - stripe_exponent(currency), currency)


def stripe_exponent(currency: str) -> int:
    """How many decimals Stripe counts for this currency."""
    if currency in ZERO_DECIMAL:
        return 0
    return 3 if currency in THREE_DECIMAL else 2


def _shift(amount: int, decimals: int, currency: str) -> int:
    if decimals >= 0:
        return amount * int(10**decimals)
    whole, rest = divmod(amount, int(10**-decimals))
    if rest:
        raise ValueError(f"{amount} {currency} cannot be expressed in the other's unit")
    return whole
