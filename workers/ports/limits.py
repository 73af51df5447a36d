"""What a gateway account refuses however well it is asked: told before anybody asks it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one account, 0 and empty: none. Amounts are in our minor units.

    `partial`: less than the whole payment can be refunded. `most_refunds`: so many per payment (1: no second one).
    `interval_seconds`: between two of one payment. `longest_seconds`: after its capture. `minimum_minor`: the least, by
    currency. `currencies`: no others. `step_minor`: by currency, what amounts are multiples of, as the gateway
    counts it coarser than we do.
    """

    partial: bool = True
    most_refunds: int = 0
    interval_seconds: int = 0
    longest_seconds: int = 0
    minimum_minor: Mapping[str, int] = field(default_factory=dict)
    currencies: frozenset[str] = frozenset()
    step_minor: Mapping[str, int] = field(default_factory=dict)

    def step_of(self, currency: str) -> int:
        return self.step_minor.get(currency, 1)


NO_LIMITS = Limits()
