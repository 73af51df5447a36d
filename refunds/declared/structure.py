"""What a policy says that cannot be right, though every field can be read: all of it, each with its path. Pure.

As the NonStructuralSchema condition of Kubernetes: there is one condition that lists every violation, none where there
is nothing to say, and Unknown where the checker itself failed. A policy with violations never comes into force.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orders.currencies import MONEY
from refunds.calendars import LONGEST_BREAK_DAYS
from refunds.conditions import TRUE, UNKNOWN, Condition
from refunds.days import is_zone
from refunds.declared.policy_rules import PATHS, DeclaredPolicy, read_what_can_be
from refunds.declared.reading import Place, Violation
from refunds.policy import BUILT_IN, PolicySpec

TYPE = "RulesViolation"
#: A clock may be zero only where that means "at once".
MAY_BE_ZERO = {"acknowledge_after_seconds", "remind_before_seconds", "contest_seconds", "delivered_after_seconds"}
LONGEST_SECONDS = 10 * 365 * 86_400
LISTED = 20
#: Of what is judged by other fields than its own: by which.
_HANGS_ON = {
    PATHS["remind_before_seconds"]: (PATHS["return_seconds"],),
    PATHS["fault_window_days"]: (PATHS["window_days"],),
    "calendar.weekend": ("calendar.workdays",),
    "calendar.workdays": ("calendar.holidays",),
}
_CURRENCY_RULES = ("instant_limit_minor", "second_approval_minor")


def read(spec: Mapping[str, Any]) -> tuple[DeclaredPolicy | None, list[Violation]]:
    """The policy, or everything about it that cannot be read, with all that cannot be right in what can be: who mends
    the one finds nothing new."""
    place = Place("")
    declared = read_what_can_be(spec, place)
    if not place.found:
        return declared, []
    unread = [violation.path for violation in place.found]
    return None, [*place.found, *(v for v in violations(declared) if not _hangs(v, unread))]


def _hangs(violation: Violation, unread: Sequence[str]) -> bool:
    """On something that cannot be read: it may be otherwise when that is mended."""
    judged_by = (violation.path, *_HANGS_ON.get(violation.path, ()))
    by_lines = violation.code == "excludes_everything"  # whatever the exclusion is called
    others = [path for path in unread if not (by_lines and path == f"{violation.path}.rule")]
    return any(_is_within(a, b) or _is_within(b, a) for a in judged_by for b in others)


def _is_within(path: str, group: str) -> bool:
    return path == group or path.startswith((f"{group}.", f"{group}["))


def violations(declared: DeclaredPolicy) -> list[Violation]:
    """Everything that is wrong with it, in the order of the fields."""
    rules = declared.rules
    found = [*_clocks(rules), *_currencies(rules), *_calendar(rules), *_taking_back(rules), *_telling(rules)]
    return sorted(found, key=lambda v: v.path)


def judged(spec: Mapping[str, Any]) -> tuple[DeclaredPolicy | None, Condition | None]:
    """The policy, if it can be read, and what is to be said of its rules; None where they are clean."""
    declared = None
    try:
        declared, found = read(spec)
        found = found if declared is None else violations(declared)
    except Exception as error:  # noqa: BLE001 - a checker that fails must not pass for a clean policy
        told = f"The rules could not be checked: {type(error).__name__}: {error}"
        return declared, Condition(TYPE, UNKNOWN, "RulesError", told)
    return declared, violated(found) if found else None


def violated(found: Sequence[Violation]) -> Condition:
    """What is to be said of these."""
    told = "; ".join(f"spec.{v.path}: {v.detail}" for v in found[:LISTED])
    more = f"; and {len(found) - LISTED} more" if len(found) > LISTED else ""
    return Condition(TYPE, TRUE, "Violations", told + more)


def _clocks(rules: PolicySpec) -> Iterator[Violation]:
    for name in (name for name in PATHS if name.endswith("_seconds")):
        seconds = getattr(rules, name)
        if seconds == 0 and name not in MAY_BE_ZERO:
            yield Violation(PATHS[name], "too_short", "Nobody can act in no time.")
        if seconds > LONGEST_SECONDS:
            yield Violation(PATHS[name], "too_long", "Longer than ten years.")
    if rules.remind_before_seconds >= rules.return_seconds:
        detail = "The reminder would come before the time has begun: it must be shorter than clocks.return."
        yield Violation(PATHS["remind_before_seconds"], "contradiction", detail)
    if rules.fault_window_days is not None and rules.window_days is None:
        detail = "Without window.days there is no end that this could put off."
        yield Violation(PATHS["fault_window_days"], "contradiction", detail)
    elif rules.fault_window_days is not None and rules.fault_window_days < (rules.window_days or 0):
        detail = "What is the shop's fault cannot have less time than a change of mind."
        yield Violation(PATHS["fault_window_days"], "contradiction", detail)


def _currencies(rules: PolicySpec) -> Iterator[Violation]:
    named = [(PATHS[name], getattr(rules, name)) for name in _CURRENCY_RULES]
    for name in ("restocking_fee", "return_shipping_fee"):
        named.append((f"{PATHS[name]}.fixedMinor", getattr(rules, name).fixed_minor))
    for path, by_currency in named:
        for currency in sorted(by_currency.keys() - MONEY):
            yield Violation(f"{path}.{currency}", "unknown_currency", "No currency of ISO 4217 that money is paid in.")


def _calendar(rules: PolicySpec) -> Iterator[Violation]:
    calendar = rules.calendar
    if calendar.zone and not is_zone(calendar.zone):
        yield Violation("calendar.zone", "unknown_zone", "An IANA name, such as Europe/Berlin.")
    if len(set(calendar.weekend)) == 7 and len(calendar.workdays) < LONGEST_BREAK_DAYS:
        yield Violation("calendar.weekend", "contradiction", "Nobody ever works: every clock would stand still.")
    for day in sorted(calendar.holidays & calendar.workdays):
        yield Violation("calendar.workdays", "contradiction", f"{day} is a holiday and worked.")


def _taking_back(rules: PolicySpec) -> Iterator[Violation]:
    names = [exclusion.rule for exclusion in rules.exclusions]
    for n, exclusion in enumerate(rules.exclusions):
        if exclusion.rule in names[:n]:
            yield Violation(f"exclusions[{n}].rule", "twice", f"{exclusion.rule} is there already.")
        if not (exclusion.labels or exclusion.skus or exclusion.fulfilment):
            yield Violation(
                f"exclusions[{n}]", "excludes_everything", "Say which lines: lineLabels, skus or fulfilment."
            )
    codes = [reason.code for reason in rules.reasons]
    for n, reason in enumerate(rules.reasons):
        if reason.code in codes[:n]:
            yield Violation(f"reasons[{n}].code", "twice", f"{reason.code} is there already.")
        if "en" not in reason.text:
            yield Violation(f"reasons[{n}].text", "no_text", "It needs a text in English (en), for who reads no other.")


def _telling(rules: PolicySpec) -> Iterator[Violation]:
    known = {*BUILT_IN.email_for, *BUILT_IN.sms_for}
    for name in ("email_for", "sms_for"):
        for n, template in enumerate(getattr(rules, name)):
            if template not in known:
                yield Violation(f"{PATHS[name]}[{n}]", "unknown_message", f"One of {', '.join(sorted(known))}.")
    told = {*rules.email_for, *rules.sms_for}
    for template in ("refunded", "rejected", "failed"):
        if template not in told:
            detail = f"Customers would never hear of it: {template} goes by e-mail or SMS."
            yield Violation("notifications", "never_told", detail)
