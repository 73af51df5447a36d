"""Everything that is wrong with a policy is listed in one condition; a clean one says nothing."""

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
