"""What the money of an order is made of.

Every amount is an integer of minor units, in the order's currency.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from refunds.money.drawn import NOTHING, Sheet


def whole(amount: int, what: str) -> int:
    """The amount itself; ValueError when it is negative or no integer."""
    if not isinstance(amount, int) or isinstance(amount, bool) or amount < 0:
        raise ValueError(f"{what} must be a whole number from 0 up, not {amount!r}")
    return amount


class _Whole:
    """Refuses a number that is no integer from 0 up, with the field's name."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, kind in type(self).__annotations__.items():
            if kind is int:
                whole(getattr(self, name), name)


@dataclass(frozen=True, slots=True)
class LineMoney(_Whole):
    """A line as bought, and what live and ended refunds have taken of it.

    `list_minor` is the whole line before discounts; `tax_minor` the tax of the whole line after them. `refunded_*` is
    what its units took; `adjusted_*`, gross, what came off its price without units. `gift_for`: the line it came free
    with; `bundle`: the set it was sold in. `tax_rate` is carried as stated.
    """

    line_id: str
    name: str
    quantity: int
    list_minor: int
    tax_minor: int
    refunded_units: int = 0
    refunded_minor: int = 0
    refunded_tax_minor: int = 0
    adjusted_minor: int = 0
    adjusted_tax_minor: int = 0
    gift_for: str = ""
    bundle: str = ""
    tax_rate: str = ""

    @property
    def left_units(self) -> int:
        return max(0, self.quantity - self.refunded_units)


@dataclass(frozen=True, slots=True)
class DiscountMoney(_Whole):
    """An amount off the lines it is for; None: off all lines. `funded_by` is shop, platform or points.

    `minimum_minor` is the spend on these lines, at list price, below which it would not have been given; 0: none.
    """

    label: str
    amount_minor: int
    lines: tuple[str, ...] | None = None
    funded_by: str = "shop"
    minimum_minor: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What the stored sheets of live and ended refunds took beside lines and shipping (`Sheet` says what each is), and
    how much of them was settled by the end of a hold (`voided_minor`): for that nothing was captured.

    Negative where a refund gave back what one that was cancelled since had taken.
    """

    deposit_minor: int = 0
    clawed_back_minor: int = 0
    gifts_minor: int = 0
    withheld_tax_minor: int = 0
    overpaid_minor: int = 0
    points: int = 0
    funded: Mapping[str, int] = field(default_factory=dict)
    voided_minor: int = 0

    def plus(self, sheet: Mapping[str, Any]) -> "Taken":
        """With one more sheet, as `Sheet.to_json` wrote it; what an old one does not name is zero."""
        sums = {name: getattr(self, name) + sheet.get(name, 0) for name in _SUMS}
        funded = Counter(self.funded)
        funded.update(sheet.get("funded"))
        return Taken(**sums, funded=dict(funded))


_SUMS = (
    "deposit_minor",
    "clawed_back_minor",
    "gifts_minor",
    "withheld_tax_minor",
    "overpaid_minor",
    "voided_minor",
    "points",
)


@dataclass(frozen=True, slots=True)
class OrderMoney(_Whole):
    """The money of an order. With `prices_include_tax` all tax is within list prices and `shipping_minor`,
    else it comes on top. `shipping_refunded_minor` is gross. `supplement_minor` is the part of `shipping_minor` for
    express, `non_refundable_minor` a deposit, `captured_minor` what all its payments brought, `free_minor` what of that
    is free (None: all that refunds have not taken), `points_earned` what the customer got for buying.
    """

    currency: str
    prices_include_tax: bool
    lines: tuple[LineMoney, ...]
    discounts: tuple[DiscountMoney, ...] = ()
    shipping_minor: int = 0
    shipping_tax_minor: int = 0
    shipping_refunded_minor: int = 0
    shipping_tax_refunded_minor: int = 0
    supplement_minor: int = 0
    non_refundable_minor: int = 0
    captured_minor: int = 0
    free_minor: int | None = None
    points_earned: int = 0
    taken: Taken = Taken()

    def after(self, units: Mapping[str, int], sheet: Sheet) -> "OrderMoney":
        """The order once a refund of these units has taken what its sheet says: what the next sheet starts from."""
        return replace(
            self,
            lines=tuple(
                _after(line, units.get(line.line_id, 0), sheet)
                if line.line_id in sheet.lines or line.line_id in sheet.adjustments
                else line
                for line in self.lines
            ),
            shipping_refunded_minor=self.shipping_refunded_minor + sheet.shipping_minor,
            shipping_tax_refunded_minor=self.shipping_tax_refunded_minor + sheet.shipping_tax_minor,
            taken=self.taken.plus(sheet.to_json()),
        )


def _after(line: LineMoney, units: int, sheet: Sheet) -> LineMoney:
    share = sheet.lines.get(line.line_id, NOTHING)
    adjusted = sheet.adjustments.get(line.line_id, NOTHING)
    return replace(
        line,
        refunded_units=line.refunded_units + units,
        refunded_minor=line.refunded_minor + share.amount_minor,
        refunded_tax_minor=line.refunded_tax_minor + share.tax_minor,
        adjusted_minor=line.adjusted_minor + adjusted.amount_minor,
        adjusted_tax_minor=line.adjusted_tax_minor + adjusted.tax_minor,
    )
