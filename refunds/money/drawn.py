"""The refund sheet: how an amount came about, every part of it an explained entry.

Every amount is an integer of minor units, in the order's currency.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from refunds.money.asked import Ask


@dataclass(frozen=True, slots=True)
class LineShare:
    """What something is worth: the gross amount, and the tax within it."""

    amount_minor: int
    tax_minor: int

    @property
    def net_minor(self) -> int:
        return self.amount_minor - self.tax_minor

    def to_json(self) -> dict[str, int]:
        return {"amount_minor": self.amount_minor, "tax_minor": self.tax_minor}

    @classmethod
    def from_json(cls, value: Mapping[str, int]) -> "LineShare":
        return cls(**value)


NOTHING = LineShare(0, 0)


class EntryKind(StrEnum):
    LINE = "line"
    DISCOUNT = "discount"
    TAX = "tax"
    SHIPPING = "shipping"
    SHIPPING_TAX = "shipping_tax"
    ADJUSTMENT = "adjustment"
    AMOUNT = "amount"
    OVERPAID = "overpaid"
    SUPPLEMENT = "supplement"
    CLAW_BACK = "claw_back"
    GIFT = "gift"
    DEPOSIT = "deposit"
    RESTOCKING = "restocking"
    RETURN_SHIPPING = "return_shipping"
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

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Entry":
        return cls(**{**value, "kind": EntryKind(value["kind"])})


@dataclass(frozen=True, slots=True)
class Sheet:
    """How an amount came about: `entries` add up to `total_minor`; `tax_minor` is all tax in it.

    `lines` (of units), `adjustments` (by line) and shipping are gross: what to book on the order's counters. With
    `overpaid_minor` they add up to the total, less what the shop keeps: its share of the deposit (`deposit_minor` is
    the share that is settled, kept or waived), `clawed_back_minor` and `gifts_minor` (negative: given back again, now
    that the rest comes; `withheld_tax_minor` is the tax within both), and `fees_minor`. `points` are to be taken back
    from the customer, `funded` goes back to the payers of discounts, `taxes` has the total but for the overpayment by
    tax rate as stated ("": none). `asked`: what it was drawn up for, but for the units.
    """

    entries: tuple[Entry, ...]
    lines: dict[str, LineShare]
    shipping_minor: int
    shipping_tax_minor: int
    total_minor: int
    tax_minor: int
    adjustments: dict[str, LineShare] = field(default_factory=dict)
    deposit_minor: int = 0
    clawed_back_minor: int = 0
    gifts_minor: int = 0
    withheld_tax_minor: int = 0
    overpaid_minor: int = 0
    fees_minor: int = 0
    points: int = 0
    funded: Mapping[str, int] = field(default_factory=dict)
    taxes: dict[str, LineShare] = field(default_factory=dict)
    asked: Ask = field(default_factory=Ask)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, the same for the same sheet."""
        return {
            "entries": [entry.to_json() for entry in self.entries],
            "lines": _by_key(self.lines),
            "adjustments": _by_key(self.adjustments),
            **{name: getattr(self, name) for name in AMOUNTS},
            "funded": dict(self.funded),
            "taxes": _by_key(self.taxes),
            "asked": self.asked.to_json(),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], units: Mapping[str, int]) -> "Sheet":
        """As `to_json` wrote it, for these units; what an older one does not say is nothing."""
        return cls(
            entries=tuple(Entry.from_json(entry) for entry in value["entries"]),
            lines=_shares(value["lines"]),
            adjustments=_shares(value.get("adjustments", {})),
            **{name: value.get(name, 0) for name in AMOUNTS},
            funded=value.get("funded", {}),
            taxes=_shares(value.get("taxes", {})),
            asked=Ask.from_json(value.get("asked", {}), units),
        )


AMOUNTS = (
    "shipping_minor",
    "shipping_tax_minor",
    "total_minor",
    "tax_minor",
    "deposit_minor",
    "clawed_back_minor",
    "gifts_minor",
    "withheld_tax_minor",
    "overpaid_minor",
    "fees_minor",
    "points",
)


def _by_key(shares: Mapping[str, LineShare]) -> dict[str, dict[str, int]]:
    return {key: share.to_json() for key, share in shares.items()}


def _shares(stored: Mapping[str, Mapping[str, int]]) -> dict[str, LineShare]:
    return {key: LineShare.from_json(value) for key, value in stored.items()}
