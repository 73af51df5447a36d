"""Which rules a new version of a policy loosens: what then pays more, sooner, or with fewer eyes on it. Pure.

A policy that loosens a rule comes into force once a second person has agreed (`refunds.declared.approval`). Tightening
needs nobody: it costs the shop nothing that a person could regret.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from refunds.declared.policy_rules import PATHS
from refunds.policy import PolicySpec
from refunds.returnable import Exclusion

#: From strict to loose.
_LADDERS = {
    "review_outcome": ("reject", "wait"),
    "proof_outcome": ("wait", "approve"),
    "pay_on": ("inspection", "receipt", "collection"),
    "stop_shipment": ("confirm", "assume"),
    "shipping": ("never", "completing", "first"),
    "supplement": ("unshipped", "always"),
    "deposit": ("keep", "return"),
    "below_minimum": ("claw_back", "keep"),
    "gifts": ("deduct", "keep"),
    "refund_to": ("store_credit", "original"),
}


def loosened(before: PolicySpec, after: PolicySpec) -> tuple[str, ...]:
    """The paths of the fields that are looser than before, in order."""
    return tuple(sorted(PATHS[name] for name in _loosened(before, after)))


def _loosened(before: PolicySpec, after: PolicySpec) -> Iterator[str]:
    for name, ladder in _LADDERS.items():
        if ladder.index(getattr(after, name)) > ladder.index(getattr(before, name)):
            yield name
    if _more_faults(before.faults, after.faults):
        yield "reasons"
    for name, is_looser in _RULES.items():
        if is_looser(getattr(before, name), getattr(after, name)):
            yield name


def _limit(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Above the limit somebody looks: no entry means no limit."""
    return any(currency not in after or after[currency] > minor for currency, minor in before.items())


def _fee(before: Any, after: Any) -> bool:
    lower = any(after.fixed_minor.get(currency, 0) < minor for currency, minor in before.fixed_minor.items())
    return after.per_mille < before.per_mille or lower


def _turned_on(before: bool, after: bool) -> bool:
    return after and not before


def _turned_off(before: bool, after: bool) -> bool:
    return before and not after


def _more(before: int, after: int) -> bool:
    return after > before


def _longer(before: int | None, after: int | None) -> bool:
    return before is not None and (after is None or after > before)


def _fewer_excluded(before: tuple[Exclusion, ...], after: tuple[Exclusion, ...]) -> bool:
    def bare(exclusions: tuple[Exclusion, ...]) -> list[tuple[object, ...]]:
        return [(e.labels, e.skus, e.fulfilment, e.unshipped) for e in exclusions]

    return any(exclusion not in bare(after) for exclusion in bare(before))


def _fewer_labels(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """An order is protected when it has all of the labels: other ones protect other orders."""
    return bool(before) and before != after


def _more_faults(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """What is not the customer's fault costs him nothing and outlasts the window."""
    return any(whose != "customer" and before.get(code, "customer") == "customer" for code, whose in after.items())


_RULES: dict[str, Callable[[Any, Any], bool]] = {
    "instant_limit_minor": _limit,
    "second_approval_minor": _limit,
    "protected_labels": _fewer_labels,
    "second_bypass": _turned_on,
    "approve_returns": _turned_on,
    "replacements": _turned_on,
    "hold_for_credit_note": _turned_off,
    "request_attempts": _more,
    "contest_attempts": _more,
    "window_days": _longer,
    "fault_window_days": _longer,
    "exclusions": _fewer_excluded,
    "restocking_fee": _fee,
    "return_shipping_fee": _fee,
}
