"""What is written is found at its path; everything else is refused, all of it at once."""

from datetime import date
from typing import Any

import pytest

from refunds.declared.channel_rules import read_channel
from refunds.declared.envelope import checked, kind_named, read_manifest
from refunds.declared.policy_rules import AROUND, PATHS, RULES, Selector, read_policy
from refunds.policy import FAULTS, PolicySpec


def test_what_is_not_written_keeps_the_built_in_rule() -> None:
    declared, found = read_policy({})
    assert found == [] and declared is not None
    assert (declared.rules, declared.selector, declared.precedence) == (PolicySpec(), None, 0)


def test_every_rule_of_the_engine_can_be_written() -> None:
    rules = set(PolicySpec.__dataclass_fields__) - {"faults"}  # those come with the reasons
    assert set(PATHS) == rules
    assert len({rule.path for rule in (*AROUND, *RULES)}) == len(AROUND) + len(RULES)


@pytest.mark.parametrize(
    ("written", "name", "read"),
    [
        ({"window": {"days": 7}}, "window_days", 7),
        ({"window": {"from": "last_parcel"}}, "window_from", "last_parcel"),
        ({"clocks": {"review": "48h"}}, "review_seconds", 48 * 3600),
        ({"clocks": {"remindBefore": "0s"}}, "remind_before_seconds", 0),
        ({"clocks": {"secondApproval": "2w"}}, "second_approval_seconds", 14 * 86_400),
        ({"limits": {"instantMinor": {"EUR": 50_000}}}, "instant_limit_minor", {"EUR": 50_000}),
        ({"approval": {"orderLabels": {"risk": "high"}}}, "protected_labels", {"risk": "high"}),
        ({"returns": {"approve": True}}, "approve_returns", True),
        ({"notifications": {"sms": ["refunded"]}}, "sms_for", ("refunded",)),
    ],
)
def test_a_field_becomes_its_rule(written: dict[str, Any], name: str, read: object) -> None:
    declared, found = read_policy(written)
    assert found == [] and declared is not None
    assert getattr(declared.rules, name) == read


def test_groups_are_read_whole() -> None:
    declared, found = read_policy(
        {
            "selector": {"labels": {"kind": "fashion"}, "channels": ["main"]},
            "precedence": 10,
            "fees": {"restocking": {"perMille": 100, "fixedMinor": {"EUR": 200}}},
            "calendar": {"zone": "Asia/Shanghai", "weekend": [6, 7], "holidays": ["2026-10-01"]},
            "exclusions": [{"rule": "fresh food", "lineLabels": {"fresh": "true"}}],
            "reasons": [{"code": "too_small", "text": {"en": "It is too small"}, "fault": "customer"}],
        }
    )
    assert found == [] and declared is not None
    assert declared.selector == Selector({"kind": "fashion"}, ("main",))
    assert declared.rules.restocking_fee.fixed_minor == {"EUR": 200}
    assert declared.rules.calendar.holidays == {date(2026, 10, 1)}
    assert declared.rules.exclusions[0].rule == "fresh food"
    assert declared.rules.faults == FAULTS | {"too_small": "customer"}


@pytest.mark.parametrize(
    ("written", "path", "code"),
    [
        ({"windows": {}}, "windows", "unknown_field"),
        ({"clocks": {"revue": "2d"}}, "clocks.revue", "unknown_field"),
        ({"clocks": "2d"}, "clocks", "wrong_type"),
        ({"clocks": {"review": 48}}, "clocks.review", "bad_duration"),
        ({"clocks": {"review": "-2d"}}, "clocks.review", "bad_duration"),
        ({"clocks": {"review": "٤d"}}, "clocks.review", "bad_duration"),
        ({"clocks": {"review": None}}, "clocks.review", "bad_duration"),
        ({"window": {"days": True}}, "window.days", "wrong_type"),
        ({"window": {"days": 7.5}}, "window.days", "wrong_type"),
        ({"window": {"days": -1}}, "window.days", "out_of_range"),
        ({"returns": {"approve": "yes"}}, "returns.approve", "wrong_type"),
        ({"returns": {"payOn": "never"}}, "returns.payOn", "unknown_value"),
        ({"limits": {"instantMinor": {"eur": 1}}}, "limits.instantMinor.eur", "bad_currency"),
        ({"limits": {"instantMinor": {"EUR": "1"}}}, "limits.instantMinor.EUR", "wrong_type"),
        ({"limits": {"instantMinor": 5}}, "limits.instantMinor", "wrong_type"),
        ({"reasons": [{"code": "x"}]}, "reasons[0].text", "required"),
        ({"reasons": [{"code": 5, "text": {}}]}, "reasons[0].code", "wrong_type"),
        ({"reasons": {"code": "x"}}, "reasons", "wrong_type"),
        ({"exclusions": [{"lineLabels": {"fresh": True}}]}, "exclusions[0].lineLabels.fresh", "wrong_type"),
        ({"calendar": {"holidays": ["1.10."]}}, "calendar.holidays[0]", "bad_date"),
        ({"selector": ["a"]}, "selector", "wrong_type"),
        ({"selector": {"channels": []}}, "selector.channels", "empty"),
        ({5: 1}, "5", "unknown_field"),
        ({"notifications": {"email": ["a\0b"]}}, "notifications.email[0]", "forbidden_character"),
        ({"notifications": {"email": ["x" * 501]}}, "notifications.email[0]", "too_long"),
        ({"calendar": {"weekend": [1] * 1001}}, "calendar.weekend", "too_long"),
        ({"calendar": {"zone": ""}}, "calendar.zone", "empty"),
        ({"exclusions": [{"rule": ""}]}, "exclusions[0].rule", "empty"),
        ({"exclusions": [{"rule": " \u3000"}]}, "exclusions[0].rule", "empty"),
        ({"exclusions": [{"rule": "r" * 101}]}, "exclusions[0].rule", "too_long"),
        ({"exclusions": [{"rule": "r", "skus": [""]}]}, "exclusions[0].skus[0]", "empty"),
        ({"exclusions": [{"rule": "r", "skus": ["s" * 101]}]}, "exclusions[0].skus[0]", "too_long"),
        ({"reasons": [{"code": "", "text": {"en": "x"}}]}, "reasons[0].code", "empty"),
        ({"reasons": [{"code": "x", "text": {"en": ""}}]}, "reasons[0].text.en", "empty"),
        ({"selector": {"channels": [""]}}, "selector.channels[0]", "bad_name"),
        ({"selector": {"channels": ["BAD name"]}}, "selector.channels[0]", "bad_name"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_path(written: dict[str, Any], path: str, code: str) -> None:
    declared, found = read_policy(written)
    assert declared is None
    assert (found[0].path, found[0].code) == (path, code)


def test_everything_wrong_is_told_at_once() -> None:
    _, found = read_policy({"window": {"days": "7", "until": 1}, "clocks": {"review": 1, "offer": "1y"}})
    assert [v.path for v in found] == ["window.days", "window.until", "clocks.review", "clocks.offer"]


def test_an_unknown_field_tells_which_are_known_there() -> None:
    _, found = read_policy({"window": {"day": 7}})
    assert found[0].detail.endswith("Known here: days, faultDays, from.")


@pytest.mark.parametrize(
    ("written", "path", "code"),
    [
        ({"title": ""}, "title", "empty"),
        ({"title": "  "}, "title", "empty"),
        ({"contact": ""}, "contact", "empty"),
        ({"sender": ""}, "sender", "empty"),
        ({"courier": ""}, "courier", "empty"),
        ({"policy": ""}, "policy", "bad_name"),
        ({"policy": "BAD name"}, "policy", "bad_name"),
        ({"returnAddress": {"street": ""}}, "returnAddress.street", "empty"),
        (
            {"webhooks": [{"url": "https://x.example/", "secret": "env:S", "types": []}]},
            "webhooks[0].types",
            "empty",
        ),
        ({"hostnames": ["Shop.Example"]}, "hostnames[0]", "bad_hostname"),
        ({"hostnames": ["shop.example:80"]}, "hostnames[0]", "bad_hostname"),
        ({"origins": ["https://shop.example/"]}, "origins[0]", "bad_origin"),
        ({"origins": ["https://u@shop.example"]}, "origins[0]", "bad_origin"),
        ({"origins": ["javascript:alert(1)"]}, "origins[0]", "bad_origin"),
        ({"origins": ["https://[::1"]}, "origins[0]", "bad_origin"),
        ({"numberPrefix": "fh"}, "numberPrefix", "bad_prefix"),
        ({"sender": "not an address"}, "sender", "bad_sender"),
        ({"sender": "a@b.example, c@d.example"}, "sender", "bad_sender"),
        ({"sender": "<>"}, "sender", "bad_sender"),
        ({"sender": "shop@a..example"}, "sender", "bad_sender"),
        ({"sender": "shop@a!b.example"}, "sender", "bad_sender"),
        ({"sender": "shop@a_b.example"}, "sender", "bad_sender"),
        ({"sender": f"{'a' * 65}@shop.example"}, "sender", "bad_sender"),
        ({"sender": "=?utf-8?q?a?=@shop.example"}, "sender", "bad_sender"),
        ({"sender": "shop@münchen.example"}, "sender", "bad_sender"),
        ({"sender": "Shop <a@b.example> x"}, "sender", "bad_sender"),
        ({"timeZone": "Mars/Base"}, "timeZone", "unknown_zone"),
        ({"defaultLocale": "fr"}, "defaultLocale", "unknown_value"),
        (
            {"accounts": [{"name": "a", "adapter": "http", "secret": "hunter2"}]},
            "accounts[0].secret",
            "secret_not_a_reference",
        ),
        ({"accounts": [{"name": "a", "adapter": "magic"}]}, "accounts[0].adapter", "unknown_value"),
        ({"accounts": [{"name": "a", "adapter": "http", "secret": "env:A"}]}, "accounts[0].baseUrl", "required"),
        ({"accounts": [{"name": "a", "adapter": "stripe"}]}, "accounts[0].secret", "required"),
        ({"webhooks": [{"url": "ftp://x", "secret": "env:S"}]}, "webhooks[0].url", "bad_url"),
        ({"webhooks": [{"url": "https://x.example"}]}, "webhooks[0].secret", "required"),
        ({"webhooks": [{"url": "https://x y/", "secret": "env:S"}]}, "webhooks[0].url", "bad_url"),
        ({"webhooks": [{"url": "https://x.example:99999/", "secret": "env:S"}]}, "webhooks[0].url", "bad_url"),
        ({"webhooks": [{"url": "https://x.example/", "secret": "env:S"}] * 2}, "webhooks[1]", "twice"),
        ({"accounts": [{"name": "a", "adapter": "manual"}] * 2}, "accounts[1]", "twice"),
        (
            {"webhooks": [{"url": "https://x.example/", "secret": "env:S", "types": ["refund.refunded", "nosuch"]}]},
            "webhooks[0].types[1]",
            "unknown_event",
        ),
        (
            {"webhooks": [{"url": "https://x.example/", "secret": "env:S", "types": [7]}]},
            "webhooks[0].types[0]",
            "wrong_type",
        ),
        ({"returnAddress": "street"}, "returnAddress", "wrong_type"),
    ],
)
def test_what_of_a_channel_cannot_be_read(written: dict[str, Any], path: str, code: str) -> None:
    declared, found = read_channel(written)
    assert declared is None
    assert (found[0].path, found[0].code) == (path, code)


def test_of_a_channel_s_list_with_an_unreadable_item_all_is_told_at_its_place() -> None:
    twice = {"name": "a", "adapter": "manual"}
    hook = {"url": "https://x.example/", "secret": "env:S"}
    nameless = {"name": "B", "adapter": "http", "secret": "hunter2"}
    _, found = read_channel({"accounts": [nameless, twice, twice], "webhooks": [7, hook | {"types": 1}, hook]})
    assert {(v.path, v.code) for v in found} == {
        ("accounts[0].name", "bad_name"),
        ("accounts[0].secret", "secret_not_a_reference"),
        ("accounts[0].baseUrl", "required"),
        ("accounts[2]", "twice"),
        ("webhooks[0]", "wrong_type"),
        ("webhooks[1].types", "wrong_type"),
        ("webhooks[2]", "twice"),
    }


def test_a_refused_secret_is_not_repeated() -> None:
    _, found = read_channel({"accounts": [{"name": "a", "adapter": "http", "secret": "hunter2"}]})
    assert "hunter2" not in str(found)


def manifest(**parts: Any) -> dict[str, Any]:
    whole = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "seven-days"}, "spec": {}}
    return whole | parts


def test_a_manifest_is_read() -> None:
    declared, found = read_manifest(manifest(metadata={"name": "a", "labels": {"team": "x"}, "resourceVersion": "7"}))
    assert found == [] and declared is not None
    assert (declared.name, declared.labels, declared.expected) == ("a", {"team": "x"}, 7)


def test_what_only_we_write_may_be_sent_back() -> None:
    ours = {"name": "a", "uid": "x", "generation": 3, "creationTimestamp": "2026", "deletionTimestamp": None}
    declared, found = read_manifest(manifest(metadata=ours, status={"conditions": []}))
    assert found == [] and declared is not None


@pytest.mark.parametrize(
    ("parts", "path", "code"),
    [
        ({"apiVersion": "v2"}, "apiVersion", "unknown_value"),
        ({"kind": "Deployment"}, "kind", "unknown_value"),
        ({"kind": ["RefundPolicy"]}, "kind", "unknown_value"),
        ({"metadata": {}}, "metadata.name", "required"),
        ({"metadata": {"name": "A b"}}, "metadata.name", "bad_name"),
        ({"metadata": {"name": "a" * 61}}, "metadata.name", "bad_name"),
        ({"metadata": {"name": "a--b"}}, "metadata.name", "bad_name"),
        ({"metadata": {"name": "-a"}}, "metadata.name", "bad_name"),
        ({"metadata": {"name": "a", "labels": {"x": 1}}}, "metadata.labels.x", "wrong_type"),
        ({"metadata": {"name": "a", "resourceVersion": "x"}}, "metadata.resourceVersion", "bad_version"),
        ({"spec": []}, "spec", "wrong_type"),
        ({"data": {}}, "data", "unknown_field"),
    ],
)
def test_a_manifest_that_cannot_be_read(parts: dict[str, Any], path: str, code: str) -> None:
    declared, found = read_manifest(manifest(**parts))
    assert declared is None
    assert (path, code) in [(v.path, v.code) for v in found]


@pytest.mark.parametrize("value", [None, "text", 5, []])
def test_what_is_no_manifest(value: object) -> None:
    assert read_manifest(value)[0] is None


def test_the_spec_of_a_manifest_is_told_from_its_top() -> None:
    declared, _ = read_manifest(manifest(spec={"window": {"days": "x"}}))
    assert declared is not None
    assert [v.path for v in checked(declared)] == ["spec.window.days"]


@pytest.mark.parametrize("word", ["refundpolicy", "RefundPolicies", "policy"])
def test_a_kind_has_several_names(word: str) -> None:
    assert kind_named(word) == "RefundPolicy"


@pytest.mark.parametrize(
    "sender", ["refunds@shop.example", "Oak & Co <refunds@shop.example>", '"Oak, Co" <a@b.example>']
)
def test_a_sender_is_one_mailbox(sender: str) -> None:
    declared, found = read_channel({"sender": sender})
    assert found == [] and declared is not None and declared.sender == sender


@pytest.mark.parametrize(
    ("said", "nearest"),
    [
        ("refund.refundd", "refund.refunded"),
        ("pickup.booked_", "pickup.booked"),
        ("Refund.Refunded", "refund.refunded"),
        ("", "target.set"),
    ],
)
def test_the_nearest_event_is_named_where_there_is_none_of_that_name(said: str, nearest: str) -> None:
    hook = {"url": "https://x.example/", "secret": "env:S", "types": [said]}
    _, [found] = read_channel({"webhooks": [hook]})
    assert found.detail == f"There is no such event. The nearest is {nearest}."


def test_a_label_may_be_empty() -> None:
    """It is a value like any other: orders carry such labels."""
    assert read_policy({"selector": {"labels": {"gift": ""}}, "approval": {"orderLabels": {"gift": ""}}})[1] == []
    assert read_manifest(manifest(metadata={"name": "a", "labels": {"gift": ""}, "annotations": {"why": ""}}))[1] == []
