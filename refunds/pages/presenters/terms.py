"""On which terms an order can be refunded, as its pages say it."""

from dataclasses import dataclass

from refunds.policy import PolicySpec


@dataclass(frozen=True, slots=True)
class Terms:
    """By which policy an order is refunded, of which `most_minor` minor units of `currency` are left."""

    policy: PolicySpec
    currency: str
    most_minor: int
