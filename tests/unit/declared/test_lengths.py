"""What a manifest says fits into the column that it is stored in: read, it can be written."""

from typing import Any
from zoneinfo import available_timezones

import pytest
from django.db.models import Model

from orders.models import Channel, OrderLine, Payment
from refunds.declared.channel_rules import DeclaredChannel, read_channel
from refunds.declared.envelope import read_manifest
from refunds.declared.names import Accepted
from refunds.declared.policy_rules import read_policy
from refunds.models import HeldName, Manifest, ManifestVersion, PolicyInForce, PolicyVersion, Refund, WebhookEndpoint
from refunds.services.manifests import channels

Column = tuple[type[Model], str]
LETTERS = "a" * 2000


def of(length: int, *, end: str = "", letter: str = "a") -> str:
    return letter * (length - len(end)) + end


def hostname(length: int) -> str:
    """Of labels that are short enough themselves."""
    return ".".join(of(50) for _ in range(12))[: length - 1] + "b"


def account(length: int) -> dict[str, Any]:
    return {"accounts": [{"name": of(length), "adapter": "manual"}]}


def webhook(**said: str) -> dict[str, Any]:
    return {"webhooks": [{"url": "https://a.example", "secret": "env:A"} | said]}


#: Of each field that ends in a bounded column: a spec with a value of this length, and the columns.
CHANNEL: dict[str, tuple[Any, list[Column]]] = {
    "title": (lambda n: {"title": of(n)}, [(Channel, "name")]),
    "hostnames[0]": (lambda n: {"hostnames": [hostname(n)]}, [(HeldName, "value")]),
    "numberPrefix": (
        lambda n: {"numberPrefix": of(n, letter="A")},
        [(Channel, "number_prefix"), (HeldName, "value")],
    ),
    "defaultLocale": (lambda n: {"defaultLocale": of(n)}, [(Channel, "default_locale")]),
    "timeZone": (lambda n: {"timeZone": of(n)}, [(Channel, "time_zone")]),
    "sender": (lambda n: {"sender": of(n, end=" <a@b.example>")}, [(Channel, "sender")]),
    "contact": (lambda n: {"contact": of(n)}, [(Channel, "contact")]),
    "courier": (lambda n: {"courier": of(n)}, [(Channel, "courier")]),
    "policy": (lambda n: {"policy": of(n)}, [(Channel, "policy"), (PolicyInForce, "name")]),
    "accounts[0].name": (account, [(HeldName, "value"), (Payment, "account")]),
    "webhooks[0].url": (lambda n: webhook(url="https://a.example/" + LETTERS[: n - 18]), [(WebhookEndpoint, "url")]),
    "webhooks[0].secret": (lambda n: webhook(secret="file:/" + LETTERS[: n - 6]), [(WebhookEndpoint, "secret")]),
}
POLICY: dict[str, tuple[Any, list[Column]]] = {
    "reasons[0].code": (lambda n: {"reasons": [{"code": of(n), "text": {"en": "x"}}]}, [(Refund, "reason_code")]),
    "exclusions[0].skus[0]": (lambda n: {"exclusions": [{"rule": "x", "skus": [of(n)]}]}, [(OrderLine, "sku")]),
}
NAME_COLUMNS: list[Column] = [
    (Manifest, "name"),
    (ManifestVersion, "name"),
    (PolicyVersion, "name"),
    (PolicyInForce, "name"),
    (Channel, "slug"),
    (HeldName, "value"),
]
#: Those that take any text: they can be filled.
TEXTS = {"title", "sender", "contact", "courier", "reasons[0].code", "exclusions[0].skus[0]"}
FIELDS = [(read_channel, path, *told) for path, told in CHANNEL.items()]
FIELDS += [(read_policy, path, *told) for path, told in POLICY.items()]


def most(columns: list[Column]) -> int:
    return min(model._meta.get_field(name).max_length or 0 for model, name in columns)


@pytest.mark.parametrize(
    ("read", "path", "spec", "columns"), FIELDS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_more_is_read_than_its_column_holds(read: Any, path: str, spec: Any, columns: list[Column]) -> None:
    limit = most(columns)
    _, found = read(spec(limit + 1))
    assert [v.path for v in found] == [path]
    if path in TEXTS:
        assert (found[0].code, found[0].detail) == ("too_long", f"At most {limit} characters.")
        assert read(spec(limit))[1] == []


def test_no_longer_name_is_read_than_its_columns_hold() -> None:
    written = {"apiVersion": "refundry/v1", "kind": "Channel", "spec": {}}
    _, found = read_manifest(written | {"metadata": {"name": of(most(NAME_COLUMNS) + 1)}})
    assert [v.path for v in found] == ["metadata.name"]


def test_every_bounded_column_that_the_controller_writes_is_among_them() -> None:
    written = channels._columns(Manifest(kind="Channel", name="oak"), DeclaredChannel(), Accepted(frozenset()))
    bounded = {name for name in written if getattr(Channel._meta.get_field(name), "max_length", None)}
    assert bounded == {name for _, columns in CHANNEL.values() for model, name in columns if model is Channel}


@pytest.mark.parametrize(("field", "values"), [("default_locale", ["zh-hans"]), ("time_zone", None)])
def test_every_choice_fits(field: str, values: list[str] | None) -> None:
    longest = max(map(len, values or available_timezones()))
    assert longest <= most([(Channel, field)])
