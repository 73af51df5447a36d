"""What the money of an order and of a refund is made of.

Every amount is an integer of minor units, in the order's currency.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


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

    `list_minor` is the whole line before discounts; `tax_minor` the tax of the whole line after them.
    """

    line_id: str
    name: str
    quantity: int
    list_minor: int
    tax_minor: int
    refunded_units: int = 0
    refunded_minor: int = 0
    refunded_tax_minor: int = 0

    @property
    def left_units(self) -> int:
        return max(0, self.quantity - self.refunded_units)


@dataclass(frozen=True, slots=True)
class DiscountMoney(_Whole):
    """An amount off the lines it is for; None: off all lines. `funded_by` is shop, platform or points."""

    label: str
    amount_minor: int
    lines: tuple[str, ...] | None = None
    funded_by: str = "shop"


@dataclass(frozen=True, slots=True)
class LineShare:
    """What a line is worth: the gross amount, and the tax within it."""

    amount_minor: int
    tax_minor: int

    def to_json(self) -> dict[str, int]:
        return {"amount_minor": self.amount_minor, "tax_minor": self.tax_minor}


class EntryKind(StrEnum):
    LINE = "line"
    DISCOUNT = "discount"
    TAX = "tax"
    SHIPPING = "shipping"
    SHIPPING_TAX = "shipping_tax"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Entry:
    """One explained amount of a sheet: negative where it takes off. `quantity` is the units of a line entry."""

    kind: EntryKind
    label: str
    amount_minor: int
    line_id: str = ""
    quantity: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "label": self.label,
            "amount_minor": self.amount_minor,
            "line_id": self.line_id,
            "quantity": self.quantity,
        }


@dataclass(frozen=True, slots=True)
class Sheet:
    """How an amount came about: `entries` add up to `total_minor`.

    `lines` and `shipping_minor` are what to book on the order's counters; they are gross and add up to
    `total_minor` as well. `tax_minor` is all tax in it, shown as an entry of its own only when it comes on top.
    """

    entries: tuple[Entry, ...]
    lines: dict[str, LineShare]
    shipping_minor: int
    shipping_tax_minor: int
    total_minor: int
    tax_minor: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, the same for the same sheet."""
        return {
            "entries": [entry.to_json() for entry in self.entries],
            "lines": {line_id: share.to_json() for line_id, share in self.lines.items()},
            "shipping_minor": self.shipping_minor,
            "shipping_tax_minor": self.shipping_tax_minor,
            "total_minor": self.total_minor,
            "tax_minor": self.tax_minor,
        }


@dataclass(frozen=True, slots=True)
class OrderMoney(_Whole):
    """The money of an order. With `prices_include_tax` all tax is within list prices and `shipping_minor`,
    else it comes on top. `shipping_refunded_minor` is gross.
    """

    currency: str
    prices_include_tax: bool
    lines: tuple[LineMoney, ...]
    discounts: tuple[DiscountMoney, ...] = ()
    shipping_minor: int = 0
    shipping_tax_minor: int = 0
    shipping_refunded_minor: int = 0
    shipping_tax_refunded_minor: int = 0

    def after(self, units: Mapping[str, int], sheet: Sheet) -> "OrderMoney":
        """The order once a refund of these units has taken what its sheet says: what the next sheet starts from."""
        return replace(
            self,
            lines=tuple(
                _after(line, units[line.line_id], sheet) if line.line_id in sheet.lines else line for line in self.lines
            ),
            shipping_refunded_minor=self.shipping_refunded_minor + sheet.shipping_minor,
            shipping_tax_refunded_minor=self.shipping_tax_refunded_minor + sheet.shipping_tax_minor,
        )


def _after(line: LineMoney, units: int, sheet: Sheet) -> LineMoney:
    share = sheet.lines[line.line_id]
    return replace(
        line,
        refunded_units=line.refunded_units + units,
        refunded_minor=line.refunded_minor + share.amount_minor,
        refunded_tax_minor=line.refunded_tax_minor + share.tax_minor,
    )
