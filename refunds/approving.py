"""Four eyes: a protected refund is paid only when a second person has agreed to just this. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition
from refunds.policy import PolicySpec
from refunds.returnable import has_labels


class Second(StrEnum):
    """The word of a second person, as far as one is needed."""

    NOT_NEEDED = ""
    MISSING = "missing"
    LAPSED = "lapsed"
    GIVEN = "given"
    BYPASSED = "bypassed"
    UNKNOWN = "unknown"


#: The money may go.
OPEN = frozenset({Second.NOT_NEEDED, Second.GIVEN, Second.BYPASSED})


@dataclass(frozen=True, slots=True)
class Agreed:
    """A second person has agreed to this `subject`, and to so much at most (minor units). `bypass`: why he let it
    pass alone instead."""

    subject: str
    most_minor: int
    bypass: str = ""


def subject(units: Iterable[tuple[str, int]], goods: str, targets: Iterable[str]) -> str:
    """What an approval is bound to, as one word: so many of which line, what becomes of them, where the money goes."""
    said = [*(f"{line_id}={quantity}" for line_id, quantity in sorted(units)), goods, *sorted(targets)]
    return sha256("\n".join(said).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be paid (minor units), whether elsewhere than back to its payments by somebody's word, and the order's
    labels."""

    amount_minor: int
    currency: str
    goes_elsewhere: bool = False
    labels: Mapping[str, Any] = field(default_factory=dict)


def is_protected(asked: Asked, policy: PolicySpec) -> bool:
    """It is much, goes elsewhere, or is of an order that the policy names (a risk that the shop has seen)."""
    limit = policy.second_approval_minor.get(asked.currency)
    is_much = limit is not None and asked.amount_minor > limit
    is_risky = bool(policy.protected_labels) and has_labels(asked.labels, policy.protected_labels)
    return asked.amount_minor > 0 and (is_much or is_risky or asked.goes_elsewhere)


def second(agreed: Agreed | None, subject_now: str, amount_minor: int) -> Second:
    """Of a protected refund, judged in this order: is it there, can it be read, is it of this. An approval lapses when
    its subject changes, or the amount rises above what was agreed to; so does a bypass."""
    if agreed is None:
        return Second.MISSING
    if not agreed.subject:
        return Second.UNKNOWN
    if agreed.subject != subject_now or amount_minor > agreed.most_minor:
        return Second.LAPSED
    return Second.BYPASSED if agreed.bypass else Second.GIVEN


_MISSING = "A second person has to approve it, who neither asked for it nor approved it before."
CONDITIONS = {
    Second.MISSING: Condition("ApprovalConformant", FALSE, "Missing", _MISSING),
    Second.LAPSED: Condition("ApprovalConformant", FALSE, "Invalid", f"What was approved has changed. {_MISSING}"),
    Second.GIVEN: Condition("ApprovalConformant", TRUE, "Approved"),
    Second.BYPASSED: Condition("ApprovalConformant", TRUE, "Bypassed", "It was let pass without a second person."),
    Second.UNKNOWN: Condition("ApprovalConformant", UNKNOWN, "Unknown", f"It cannot be read. {_MISSING}"),
}
