"""What is asked of an order's money, and the terms it is given on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Ask:
    """What a refund is wanted for, in any combination; amounts are gross minor units.

    `units`: so many of a line, by line id. `adjustments`: off a line's price, without units coming back.
    `amount_minor`: a free amount, spread over what is left of the lines, then the shipping. `shipping`: True now,
    False not now, None by the terms' rule. `overpaid`: what was captured beyond the price of the order.
    """

    units: Mapping[str, int] = field(default_factory=dict)
    adjustments: Mapping[str, int] = field(default_factory=dict)
    amount_minor: int | None = None
    shipping: bool | None = None
    overpaid: bool = False

    def to_json(self) -> dict[str, Any]:
        """All but the units, which are a refund's own rows."""
        return {
            "adjustments": dict(self.adjustments),
            "amount_minor": self.amount_minor,
            "shipping": self.shipping,
            "overpaid": self.overpaid,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], units: Mapping[str, int]) -> "Ask":
        """As `to_json` wrote it; what is missing was not asked for."""
        return cls(units=units, **value)


@dataclass(frozen=True, slots=True)
class Fee:
    """So many thousandths of what the goods are worth, and a fixed amount in minor units."""

    per_mille: int = 0
    fixed_minor: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What a refund is given on; the terms as they stand here take nothing off.

    `shipping`: it comes back with the units that complete the order ("completing"), with the first ones ("first"), or
    "never" by itself. `supplement`: the part of it for express comes back too. `restocking`, `return_shipping`: fees,
    never more than what is left. `deposit`: the shop keeps its share. `claw_back`: discounts whose minimum spend is
    not reached any more are taken off. `gifts`: so is the value of gifts that stay. `bundles`: sets may be "split", or
    come back "whole".
    """

    shipping: str = "completing"
    supplement: bool = True
    restocking: Fee = Fee()
    return_shipping: Fee = Fee()
    deposit: bool = False
    claw_back: bool = False
    gifts: bool = False
    bundles: str = "split"


NO_DEDUCTION = Terms()
