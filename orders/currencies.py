"""How currencies are counted: by us, and by those who count otherwise. Pure, and the only table of it.

`amount_minor` is in units of 10 to the minus `exponent(currency)` everywhere here: in the API, the rows, the ledger.
The exponents are CLDR's, those in which people read and pay prices
(https://www.unicode.org/reports/tr35/tr35-numbers.html#Supplemental_Currency_Data, by way of Babel). ISO 4217 still
has hundredths or thousandths for fifteen currencies that CLDR, and their tills, count whole (`WHOLE_HERE`).

A gateway that counts a currency otherwise is converted at the edge, by its adapter, with the tables below. What one of
the two cannot express is refused, never rounded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from babel.core import get_global
from babel.numbers import get_currency_precision, list_currencies

#: An order lives on for years: what was legal tender since then still is money of a shop.
_SINCE = (2020, 1, 1)
#: What an order may be in: legal tender somewhere, by CLDR. No metals (XAU), units of account (CLF, XDR), tests (XTS).
MONEY = frozenset(
    code
    for territory in get_global("territory_currencies").values()
    for code, _begin, end, is_tender in territory
    if is_tender and (end is None or end >= _SINCE)
)

#: Counted in whole units here, in 100ths by ISO 4217 (IQD: in 1000ths). 500 HUF are 500, not 50000.
WHOLE_HERE = frozenset(
    ["AFN", "ALL", "COP", "HUF", "IDR", "IQD", "IRR", "KPW", "LAK", "LBP", "MGA", "MMK", "SOS", "SYP", "YER"]
)


def exponent(currency: str) -> int:
    """How many decimals a currency has here."""
    return get_currency_precision(currency)


@dataclass(frozen=True, slots=True)
class Counting:
    """How somebody counts: with two decimals, but for what `decimals` names. `steps`: amounts of these currencies, as
    he counts them, are multiples of this; `source`: where he says so.
    """

    source: str
    decimals: Mapping[str, int]
    steps: Mapping[str, int] = field(default_factory=dict)

    def exponent(self, currency: str) -> int:
        return self.decimals.get(currency, 2)

    def theirs(self, amount_minor: int, currency: str) -> int:
        """Our amount as he counts. ValueError where he cannot express it."""
        amount = _shift(amount_minor, self.exponent(currency) - exponent(currency), currency)
        if amount % self.steps.get(currency, 1):
            raise ValueError(f"{amount_minor} {currency} is no multiple of {self.step_minor(currency)}")
        return amount

    def ours(self, amount: int, currency: str) -> int:
        """His amount as we count. ValueError for a fraction of our minor unit."""
        return _shift(amount, exponent(currency) - self.exponent(currency), currency)

    def step_minor(self, currency: str) -> int:
        """The smallest amount of ours that both can express; all others are its multiples."""
        coarser = int(10 ** max(0, exponent(currency) - self.exponent(currency)))
        finer = int(10 ** max(0, self.exponent(currency) - exponent(currency)))
        return max(coarser * self.steps.get(currency, 1) // finer, 1)

    def steps_minor(self) -> dict[str, int]:
        """By currency, where it is more than 1."""
        steps = {code: self.step_minor(code) for code in list_currencies()}
        return {code: step for code, step in steps.items() if step > 1}


def _decimals(**codes: str) -> dict[str, int]:
    """From `zero="JPY KRW"` and the like."""
    by_name = {"zero": 0, "two": 2, "three": 3, "four": 4}
    return {code: by_name[name] for name, listed in codes.items() for code in listed.split()}


ISO_4217 = Counting(
    source="https://www.six-group.com/en/products-services/financial-information/data-standards.html",
    decimals=_decimals(
        zero="BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
        three="BHD IQD JOD KWD LYD OMR TND",
        four="CLF UYW",
    ),
)
#: "Zero-decimal currencies", "Three-decimal currencies" (the last digit is 0), "Special cases" (ISK and UGX are sent
#: with two decimals that are 00).
STRIPE = Counting(
    source="https://docs.stripe.com/currencies",
    decimals=_decimals(zero="BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF", three="BHD JOD KWD OMR TND"),
    steps={"ISK": 100, "UGX": 100} | dict.fromkeys(["BHD", "JOD", "KWD", "OMR", "TND"], 10),
)
#: ISO 4217, but for CLP, CVE, IDR and ISK ("differs from standard").
ADYEN = Counting(
    source="https://docs.adyen.com/development-resources/currency-codes/",
    decimals=dict(ISO_4217.decimals) | _decimals(zero="CVE IDR", two="CLP ISK"),
)
#: HUF, JPY and TWD are without decimals; it has no other currency that is.
PAYPAL = Counting(
    source="https://developer.paypal.com/docs/api/reference/currency-codes/", decimals=_decimals(zero="HUF JPY TWD")
)

COUNTINGS: Mapping[str, Counting] = {"iso-4217": ISO_4217, "stripe": STRIPE, "adyen": ADYEN, "paypal": PAYPAL}


def _shift(amount: int, decimals: int, currency: str) -> int:
    if decimals >= 0:
        return amount * int(10**decimals)
    whole, rest = divmod(amount, int(10**-decimals))
    if rest:
        raise ValueError(f"{amount} {currency} cannot be expressed in the other's unit")
    return whole
