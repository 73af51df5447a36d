"""A RefundPolicy as merchants write it: every field, and which of the engine's rules it becomes. Pure.

What is not written keeps the built-in rule (`refunds.policy.PolicySpec` says what each one means).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orders.states import Fulfilment
from refunds.calendars import Calendar
from refunds.declared.reading import (
    Place,
    Rule,
    Violation,
    amounts,
    day,
    flag,
    group,
    labels,
    list_of,
    object_name,
    one_of,
    read_good,
    seconds,
    some_of,
    text,
    text_of,
    whole,
    words_by_name,
)
from refunds.policy import FAULTS, WORDS, FeeRule, PolicySpec
from refunds.returnable import EVIDENCE, Exclusion, Reason
from refunds.returnable import FAULTS as WHOSE_FAULT

KIND = "RefundPolicy"
MOST_DAYS = 3650
#: As long as a refund's column for the reason that was chosen.
LONGEST_CODE = 40
#: As long as the column of a line's sku; and what a customer reads of a rule is no longer.
LONGEST_SKU = LONGEST_RULE = 100
#: So many refunds are planned anew in one pass, where the policy says nothing.
MAX_REPLAN = 100


@dataclass(frozen=True, slots=True)
class Selector:
    """Orders of one of these channels (none named: of any) that carry all of these labels."""

    labels: dict[str, str]
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredPolicy:
    """`selector` None: only where a channel names the policy. `suspend`: running refunds stay on their version."""

    rules: PolicySpec
    selector: Selector | None = None
    precedence: int = 0
    suspend: bool = False
    max_replan: int = MAX_REPLAN


def _words(path: str, name: str) -> Rule:
    return Rule(path, name, one_of(WORDS[name]))


def _clocks(*names: str) -> tuple[Rule, ...]:
    return tuple(Rule(f"clocks.{_camel(name)}", f"{name}_seconds", seconds) for name in names)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _fee(**found: Any) -> FeeRule:
    return FeeRule(**found)


def _calendar(**found: Any) -> Calendar:
    found |= {name: frozenset(found[name]) for name in ("holidays", "workdays") if name in found}
    return Calendar(**found)


def _selector(**found: Any) -> Selector:
    return Selector(found.get("labels", {}), found.get("channels", ()))


FEE = group((Rule("perMille", "per_mille", whole(0, 1000)), Rule("fixedMinor", "fixed_minor", amounts)), {}, _fee)
CALENDAR = group(
    (
        Rule("zone", "zone", text),
        Rule("weekend", "weekend", list_of(whole(1, 7))),
        Rule("holidays", "holidays", list_of(day)),
        Rule("workdays", "workdays", list_of(day)),
    ),
    {},
    _calendar,
)
EXCLUSION = group(
    (
        Rule("rule", "rule", text_of(LONGEST_RULE)),
        Rule("lineLabels", "labels", labels),
        Rule("skus", "skus", list_of(text_of(LONGEST_SKU))),
        Rule("fulfilment", "fulfilment", one_of([f.value for f in Fulfilment])),
        Rule("unshipped", "unshipped", flag),
    ),
    {"rule": ""},
    Exclusion,
)
REASON = group(
    (
        Rule("code", "code", text_of(LONGEST_CODE)),
        Rule("text", "text", words_by_name),
        Rule("fault", "fault", one_of(WHOSE_FAULT)),
        Rule("evidence", "evidence", one_of(EVIDENCE)),
    ),
    {"code": "", "text": {"en": ""}},
    Reason,
)
SELECTOR = group((Rule("labels", "labels", labels), Rule("channels", "channels", some_of(object_name))), {}, _selector)

#: What is said of the policy, and not by its rules.
AROUND = (
    Rule("selector", "selector", SELECTOR),
    Rule("precedence", "precedence", whole(-1000, 1000)),
    Rule("suspend", "suspend", flag),
    Rule("maxReplanPerSync", "max_replan", whole(1, 1000)),
)
RULES = (
    Rule("window.days", "window_days", whole(0, MOST_DAYS)),
    _words("window.from", "window_from"),
    Rule("window.faultDays", "fault_window_days", whole(0, MOST_DAYS)),
    Rule("exclusions", "exclusions", list_of(EXCLUSION)),
    Rule("reasons", "reasons", list_of(REASON)),
    Rule("returns.approve", "approve_returns", flag),
    _words("returns.wayBack", "way_back"),
    _words("returns.payOn", "pay_on"),
    Rule("returns.replacements", "replacements", flag),
    Rule("returns.pickupAttempts", "pickup_attempts", whole(1, 20)),
    _words("unshipped.stopShipment", "stop_shipment"),
    Rule("limits.instantMinor", "instant_limit_minor", amounts),
    Rule("limits.requestAttempts", "request_attempts", whole(1, 100)),
    Rule("limits.contestAttempts", "contest_attempts", whole(0, 100)),
    Rule("approval.aboveMinor", "second_approval_minor", amounts),
    Rule("approval.bypass", "second_bypass", flag),
    Rule("approval.orderLabels", "protected_labels", labels),
    Rule("fees.restocking", "restocking_fee", FEE),
    Rule("fees.returnShipping", "return_shipping_fee", FEE),
    _words("money.paymentOrder", "payment_order"),
    _words("money.refundTo", "refund_to"),
    Rule("money.holdForCreditNote", "hold_for_credit_note", flag),
    _words("money.shipping", "shipping"),
    _words("money.supplement", "supplement"),
    _words("money.deposit", "deposit"),
    _words("money.belowMinimum", "below_minimum"),
    _words("money.gifts", "gifts"),
    _words("money.bundles", "bundles"),
    *_clocks("review", "offer", "contest", "answer", "return", "remind_before", "inspect", "hold", "missed_after"),
    *_clocks("courier_patience", "transit", "proof", "delivered_after", "send", "capture", "dispute", "confirm"),
    *_clocks("replacement", "second_approval", "acknowledge_after", "unknown_incident", "pending_incident"),
    _words("outcomes.review", "review_outcome"),
    _words("outcomes.proof", "proof_outcome"),
    Rule("calendar", "calendar", CALENDAR),
    Rule("notifications.email", "email_for", list_of(text)),
    Rule("notifications.sms", "sms_for", list_of(text)),
)
#: Where each of the engine's rules is written.
PATHS = {rule.name: rule.path for rule in RULES}


def read_policy(spec: Mapping[str, Any]) -> tuple[DeclaredPolicy | None, list[Violation]]:
    """The policy, or everything about it that cannot be read."""
    place = Place("")
    declared = read_what_can_be(spec, place)
    return (None, place.found) if place.found else (declared, [])


def read_what_can_be(spec: Mapping[str, Any], place: Place) -> DeclaredPolicy:
    """The policy as far as it can be read, with the built-in rules for the rest; `place` has what cannot be."""
    found = read_good(spec, (*AROUND, *RULES), place)
    around = {rule.name: found.pop(rule.name) for rule in AROUND if rule.name in found}
    if "reasons" in found:
        found["faults"] = FAULTS | {reason.code: reason.fault for reason in found["reasons"]}
    return DeclaredPolicy(PolicySpec(**found), **around)
