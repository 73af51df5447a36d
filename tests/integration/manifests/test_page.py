"""docs/manifests.md says every field, with the rule that is built in, and every command; its examples work."""

import json
import re
from pathlib import Path

import pytest

from refunds.declared.channel_rules import ACCOUNT, WEBHOOK
from refunds.declared.channel_rules import RULES as CHANNEL_RULES
from refunds.declared.envelope import checked, read_manifest
from refunds.declared.policy_rules import AROUND, MAX_REPLAN, RULES
from refunds.declared.reading import Place, Reader, seconds
from refunds.management.yaml_form import load
from refunds.policy import BUILT_IN
from tests.integration.manifests.written import policy
from tests.integration.refunds_api.clients import Caller

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "manifests.md").read_text()
SECTIONS = dict(zip(*[iter(re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)[1:])] * 2, strict=True))
COMMANDS = ("apply", "diff", "get", "describe", "history", "rollback", "approve", "delete", "withdraw")


def rows(section: str) -> dict[str, list[str]]:
    """The cells of a section's table, by the code in the first one."""
    lines = [line.strip("|").split("|") for line in SECTIONS[section].splitlines() if line.startswith("| `")]
    return {re.findall("`([^`]+)`", cells[0])[0]: [cell.strip() for cell in cells] for cells in lines}


def known_below(read: Reader) -> list[str]:
    """The fields of a group, as it tells them itself."""
    place = Place("")
    read({"?": 1}, place)
    return next(v.detail for v in place.found if v.path == "?").partition("Known here: ")[2].rstrip(".").split(", ")


@pytest.mark.parametrize(("kind", "rules"), [("RefundPolicy", (*AROUND, *RULES)), ("Channel", CHANNEL_RULES)])
def test_every_field_is_said_and_no_other(kind: str, rules) -> None:
    below = {"selector.labels", "selector.channels"} if kind == "RefundPolicy" else set()
    assert rows(kind).keys() == {rule.path for rule in rules} | below


@pytest.mark.parametrize(
    ("kind", "path", "read"),
    [
        *(("RefundPolicy", r.path, r.read) for r in RULES if r.path in ("fees.restocking", "calendar")),
        ("Channel", "accounts", ACCOUNT),
        ("Channel", "webhooks", WEBHOOK),
    ],
)
def test_every_field_of_a_group_is_said(kind: str, path: str, read: Reader) -> None:
    text = " ".join(rows(kind)[path])
    assert [name for name in known_below(read) if f"`{name}`" not in text] == []


@pytest.mark.parametrize("path", ["exclusions", "reasons"])
def test_every_field_of_an_item_is_said(path: str) -> None:
    read = next(rule.read for rule in RULES if rule.path == path)
    place = Place("")
    read([{"?": 1}], place)
    known = next(v.detail for v in place.found if v.code == "unknown_field").partition("here: ")[2].rstrip(".")
    assert [name for name in known.split(", ") if f"`{name}`" not in " ".join(rows("RefundPolicy")[path])] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.path)
def test_the_built_in_rule_is_the_one_that_is_said(rule) -> None:
    said, built_in = rows("RefundPolicy")[rule.path][2].strip("`"), getattr(BUILT_IN, rule.name)
    if rule.name.endswith("_seconds"):
        assert seconds(said, Place("")) == built_in
    elif isinstance(built_in, bool | int | str):
        assert said == str(built_in).lower()
    elif rule.path not in ("calendar", "reasons") and not rule.path.startswith("notifications"):
        assert said == "none" and not (built_in and vars_of(built_in))
    assert rows("RefundPolicy")["maxReplanPerSync"][2] == f"`{MAX_REPLAN}`"


def vars_of(value: object) -> bool:
    return any(getattr(value, name) for name in getattr(value, "__slots__", ())) if value else False


def test_every_command_is_said_with_an_example_and_exists() -> None:
    said = rows("Commands")
    assert set(said) == set(COMMANDS)
    for name, cells in said.items():
        assert f"manage.py {name} " in cells[-1]
        assert (ROOT / "refunds" / "management" / "commands" / f"{name}.py").exists()


def test_the_manifests_of_the_page_can_be_applied() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    documents = [document for block in blocks for document in load(block)]
    assert len(documents) == 2
    for document in documents:
        declared, found = read_manifest(document.value)
        assert found == [] and declared is not None and checked(declared) == []


@pytest.mark.django_db
def test_the_call_of_the_page_does_what_it_says(merchant: Caller) -> None:
    (body,) = re.findall(r"-d '(\{.*?\})'\n```", PAGE, re.DOTALL)
    assert merchant.call("PUT", "/apis/channel/second", json.dumps(json.loads(body)).encode(), {}).status == 201
    for method, path in re.findall(r"^\| `(GET|PUT|DELETE|POST) (/apis[^`?]*)", PAGE, re.MULTILINE):
        at = path.replace("{kind}", "policy").replace("{name}", "fresh")
        raw = json.dumps(policy()).encode() if method == "PUT" else b"{}" if method == "POST" else b""
        assert merchant.call(method, at, raw, {}).status != 405, (method, path)
