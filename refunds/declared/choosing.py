"""Which policy an order is refunded by. Pure, and the stated precedence:

1. policies whose selector fits the order's channel and labels, the highest `precedence` first, then by name;
2. the policy that the order's channel names;
3. the built-in one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from refunds.declared.policy_rules import Selector
from refunds.policy import BUILT_IN_NAME
from refunds.returnable import has_labels


@dataclass(frozen=True, slots=True)
class InForce:
    """The version of a policy that new refunds are pinned to."""

    version_id: int
    name: str
    selector: Selector | None = None
    precedence: int = 0


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """What an order is chosen by. `policy`: the name that its channel names, empty for none."""

    channel: str
    labels: Mapping[str, Any]
    policy: str = ""


def chosen(policies: Iterable[InForce], order: OrderFacts) -> InForce:
    """Raises LookupError where there is no built-in policy."""
    return ranked(policies, order)[0]


def ranked(policies: Iterable[InForce], order: OrderFacts) -> list[InForce]:
    """Those that fit the order, the one that applies first, as `describe` tells it."""
    by_name = {policy.name: policy for policy in policies}
    fitting = [p for p in by_name.values() if p.selector is not None and fits(p.selector, order)]
    fitting.sort(key=lambda p: (-p.precedence, p.name))
    named = [by_name[name] for name in (order.policy, BUILT_IN_NAME) if name in by_name]
    found = [*fitting, *(p for p in named if p not in fitting)]
    if not found:
        raise LookupError("there is no policy, not even the built-in one: run migrate")
    return found


def fits(selector: Selector, order: OrderFacts) -> bool:
    """An empty selector fits every order."""
    return (not selector.channels or order.channel in selector.channels) and has_labels(order.labels, selector.labels)
