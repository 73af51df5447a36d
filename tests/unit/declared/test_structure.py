"""Everything that is wrong with a policy is listed in one condition; a clean one says nothing."""

import re
from typing import Any

import pytest

from refunds.declared import structure
from refunds.declared.policy_rules import read_policy


def paths(spec: dict[str, Any]) -> list[tuple[str, str]]:
    declared, found = read_policy(spec)
    assert declared is not None, found
    return [(v.path, v.code) for v in structure.violations(declared)]


def test_the_built_in_rules_are_clean() -> None:
    assert structure.judged({})[1] is None


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        ({"clocks": {"review": "0s"}}, "clocks.review", "too_short"),
        ({"clocks": {"hold": "600w"}}, "clocks.hold", "too_long"),
        ({"clocks": {"return": "2d", "remindBefore": "2d"}}, "clocks.remindBefore", "contradiction"),
        ({"window": {"faultDays": 30}}, "window.faultDays", "contradiction"),
        ({"window": {"days": 30, "faultDays": 7}}, "window.faultDays", "contradiction"),
        ({"limits": {"instantMinor": {"XXX": 1}}}, "limits.instantMinor.XXX", "unknown_currency"),
        ({"approval": {"aboveMinor": {"ZZZ": 1}}}, "approval.aboveMinor.ZZZ", "unknown_currency"),
        ({"fees": {"restocking": {"fixedMinor": {"ABC": 1}}}}, "fees.restocking.fixedMinor.ABC", "unknown_currency"),
        ({"calendar": {"zone": "Mars/Base"}}, "calendar.zone", "unknown_zone"),
        ({"calendar": {"weekend": [1, 2, 3, 4, 5, 6, 7]}}, "calendar.weekend", "contradiction"),
        (
            {"calendar": {"holidays": ["2026-10-01"], "workdays": ["2026-10-01"]}},
            "calendar.workdays",
            "contradiction",
        ),
        ({"exclusions": [{"rule": "nothing at all"}]}, "exclusions[0]", "excludes_everything"),
        ({"exclusions": [{"rule": "a", "skus": ["X"]}, {"rule": "a", "skus": ["Y"]}]}, "exclusions[1].rule", "twice"),
        (
            {"reasons": [{"code": "a", "text": {"en": "A"}}, {"code": "a", "text": {"en": "B"}}]},
            "reasons[1].code",
            "twice",
        ),
        ({"reasons": [{"code": "a", "text": {"zh-hans": "甲"}}]}, "reasons[0].text", "no_text"),
        ({"notifications": {"sms": ["refundet"]}}, "notifications.sms[0]", "unknown_message"),
        ({"notifications": {"email": [], "sms": []}}, "notifications", "never_told"),
    ],
)
def test_a_violation_is_told_with_its_path(spec: dict[str, Any], path: str, code: str) -> None:
    assert (path, code) in paths(spec)


def test_the_condition_lists_all_of_them() -> None:
    _, told = structure.judged({"clocks": {"review": "0s", "offer": "0s"}, "window": {"faultDays": 1}})
    assert told is not None and (told.type, told.status, told.reason) == ("RulesViolation", "True", "Violations")
    assert [told.message.count(p) for p in ("spec.clocks.review", "spec.clocks.offer", "spec.window.faultDays")] == [
        1
    ] * 3


def test_a_long_list_is_cut_and_says_so() -> None:
    reasons = [{"code": "a", "text": {"en": "A"}}] * 40
    _, told = structure.judged({"reasons": reasons})
    assert told is not None and told.message.endswith("and 19 more")


def test_a_checker_that_fails_says_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "violations", lambda declared: 1 / 0)
    _, told = structure.judged({})
    assert told is not None and (told.status, told.reason) == ("Unknown", "RulesError")


#: (what is written, all that is told of it at once)
AT_ONCE: list[tuple[dict[str, Any], set[tuple[str, str]]]] = [
    (
        {"clocks": {"review": "soon", "offer": "0s"}, "calendar": {"zone": "Mars/Base"}, "limit": 1},
        {
            ("clocks.review", "bad_duration"),
            ("clocks.offer", "too_short"),
            ("calendar.zone", "unknown_zone"),
            ("limit", "unknown_field"),
        },
    ),
    ({"clocks": {"return": 1, "remindBefore": "20d"}}, {("clocks.return", "bad_duration")}),
    ({"clocks": {"return": "2d", "remindBefore": 1}}, {("clocks.remindBefore", "bad_duration")}),
    ({"window": {"days": "x", "faultDays": 3}}, {("window.days", "wrong_type")}),
    ({"notifications": {"email": [1], "sms": []}}, {("notifications.email[0]", "wrong_type")}),
    ({"window": 3, "clocks": {"offer": "0s"}}, {("window", "wrong_type"), ("clocks.offer", "too_short")}),
    (
        {"reasons": [{"code": 1, "text": {}}], "exclusions": [{"rule": "a"}]},
        {
            ("reasons[0].code", "wrong_type"),
            ("reasons[0].text", "no_text"),
            ("exclusions[0]", "excludes_everything"),
        },
    ),
    ({"selector": 1, "window": {"faultDays": 3}}, {("selector", "wrong_type"), ("window.faultDays", "contradiction")}),
]


#: One field each that cannot be read, and what is told of it.
UNREADABLE: list[tuple[dict[str, Any], str]] = [
    ({"clocks": {"review": "9999999999999999w"}}, "clocks.review"),
    ({"window": {"from": "now"}}, "window.from"),
    ({"limits": {"instantMinor": {"eur": 5}}}, "limits.instantMinor.eur"),
    ({"limits": {"requestAttempts": 0}}, "limits.requestAttempts"),
    ({"approval": {"aboveMinor": {"EUR": -1}}}, "approval.aboveMinor.EUR"),
    ({"fees": {"restocking": {"perMille": 1001}}}, "fees.restocking.perMille"),
    ({"fees": {"returnShipping": {"fixedMinor": {"EUR": "5"}}}}, "fees.returnShipping.fixedMinor.EUR"),
    ({"calendar": {"zone": 1}}, "calendar.zone"),
    ({"exclusions": [{"rule": "", "skus": ["X"]}]}, "exclusions[0].rule"),
    ({"exclusions": [{"skus": ["X"]}]}, "exclusions[0].rule"),
    ({"exclusions": [{"rule": "b", "skus": [1]}]}, "exclusions[0].skus[0]"),
    ({"exclusions": [{"rule": "b", "skus": ["X"], "unshipped": 1}]}, "exclusions[0].unshipped"),
    ({"exclusions": [7]}, "exclusions[0]"),
    ({"reasons": [{"text": {"en": "A"}}]}, "reasons[0].code"),
    ({"reasons": [{"code": "b"}]}, "reasons[0].text"),
    ({"reasons": [{"code": "b", "text": {"en": "A"}, "fault": "mine"}]}, "reasons[0].fault"),
    ({"reasons": ["b"]}, "reasons[0]"),
    ({"notifications": {"sms": [1]}}, "notifications.sms[0]"),
    ({"selector": {"channels": []}}, "selector.channels"),
    ({"precedence": "high"}, "precedence"),
    ({"limit": 1}, "limit"),
]
#: And what can be read and cannot be right.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"clocks": {"offer": "0s"}}, "clocks.offer"),
    ({"clocks": {"return": "2d", "remindBefore": "2d"}}, "clocks.remindBefore"),
    ({"window": {"faultDays": 30}}, "window.faultDays"),
    ({"limits": {"instantMinor": {"QQQ": 1}}}, "limits.instantMinor.QQQ"),
    ({"approval": {"aboveMinor": {"QQQ": 1}}}, "approval.aboveMinor.QQQ"),
    ({"fees": {"restocking": {"fixedMinor": {"QQQ": 1}}}}, "fees.restocking.fixedMinor.QQQ"),
    ({"fees": {"returnShipping": {"fixedMinor": {"QQQ": 1}}}}, "fees.returnShipping.fixedMinor.QQQ"),
    ({"calendar": {"weekend": [1, 2, 3, 4, 5, 6, 7]}}, "calendar.weekend"),
    ({"calendar": {"holidays": ["2026-10-01"], "workdays": ["2026-10-01"]}}, "calendar.workdays"),
    ({"exclusions": [{"rule": "a"}]}, "exclusions[0]"),
    ({"exclusions": [{"rule": "a", "skus": ["X"]}, {"rule": "a", "skus": ["Y"]}]}, "exclusions[1].rule"),
    ({"reasons": [{"code": "x", "text": {"de": "X"}}]}, "reasons[0].text"),
    ({"reasons": [{"code": "x", "text": {"en": "X"}}, {"code": "x", "text": {"en": "X"}}]}, "reasons[1].code"),
    ({"notifications": {"email": ["refunded", "rejected", "failed", "refundet"]}}, "notifications.email[3]"),
]
PAIRS = [(unreadable, wrong) for unreadable in UNREADABLE for wrong in WRONG]


def both(one: Any, other: Any) -> Any:
    """One tree of two: lists one after the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {k: both(one[k], other[k]) if k in one and k in other else (one | other)[k] for k in one | other}
    return [*one, *other]


def shifted(path: str, by: int) -> str:
    """The path of what stands so many items further down the list."""
    return re.sub(r"^(exclusions|reasons)\[(\d)\]", lambda m: f"{m[1]}[{int(m[2]) + by}]", path)


@pytest.mark.parametrize(("unreadable", "wrong"), PAIRS, ids=lambda case: case[1])
def test_of_two_fields_one_unreadable_and_one_wrong_both_are_told(unreadable: Any, wrong: Any) -> None:
    """Wherever they stand: beside each other in one list, too."""
    (one, unread), (other, path) = unreadable, wrong
    same = next((name for name in ("exclusions", "reasons") if name in one and name in other), None)
    _, found = structure.read(both(one, other))
    expected = {unread, shifted(path, 1) if same else path}
    assert {v.path for v in found} == expected
    if same:
        _, found = structure.read(both(other, one))
        assert {v.path for v in found} == {shifted(unread, len(other[same])), path}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"exclusions": [{"rule": "a", "skus": [1]}]}, {"exclusions[0].skus[0]"}),
        ({"exclusions": [{"rule": "a", "sku": ["X"]}]}, {"exclusions[0].sku"}),
        ({"exclusions": [{"rule": ""}]}, {"exclusions[0].rule", "exclusions[0]"}),
        (
            {"exclusions": [{"rule": 1, "skus": ["X"]}, {"rule": 2, "skus": ["X"]}]},
            {"exclusions[0].rule", "exclusions[1].rule"},
        ),
        ({"reasons": [{"code": "x", "text": {"en": 1}}]}, {"reasons[0].text.en"}),
        ({"reasons": [{"code": 1, "text": {"de": "X"}}]}, {"reasons[0].code", "reasons[0].text"}),
        ({"reasons": [1, 2]}, {"reasons[0]", "reasons[1]"}),
        ({"calendar": {"weekend": [1, 2, 3, 4, 5, 6, 7], "workdays": ["x"]}}, {"calendar.workdays[0]"}),
        ({"calendar": {"weekend": [1, 2, 3, 4, 5, 6, 9]}}, {"calendar.weekend[6]"}),
        ({"limits": {"instantMinor": {"QQQ": "x"}}}, {"limits.instantMinor.QQQ"}),
    ],
)
def test_nothing_is_told_that_hangs_on_what_cannot_be_read(spec: dict[str, Any], told: set[str]) -> None:
    _, found = structure.read(spec)
    assert {v.path for v in found} == told


@pytest.mark.parametrize(("spec", "told"), AT_ONCE)
def test_what_cannot_be_right_is_told_with_what_cannot_be_read(spec: dict[str, Any], told: set[Any]) -> None:
    """Each once, and nothing that hangs on a field that cannot be read."""
    declared, found = structure.read(spec)
    assert declared is None
    assert sorted((v.path, v.code) for v in found) == sorted(told)
    _, condition = structure.judged(spec)
    assert condition is not None and all(f"spec.{path}" in condition.message for path, _ in told)


def test_what_can_be_read_is_read_whatever_its_rules_say() -> None:
    declared, found = structure.read({"clocks": {"offer": "0s"}})
    assert found == [] and declared is not None and declared.rules.offer_seconds == 0
