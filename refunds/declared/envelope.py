"""A manifest: what kind of thing is declared, under which name, and its spec. Pure.

The form is that of Kubernetes' objects: `apiVersion`, `kind`, `metadata`, `spec`. `status` is ours: one that is sent
back, as after a `get`, is not read. The same holds for the parts of `metadata` that only we write.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refunds.declared import channel_rules, policy_rules, structure
from refunds.declared.reading import Place, Rule, Violation, labels, object_name, read_rules

API_VERSION = "refundry/v1"
KINDS = (policy_rules.KIND, channel_rules.KIND)
#: How a kind may be written on the command line and in addresses.
ALIASES = {
    "refundpolicy": policy_rules.KIND,
    "refundpolicies": policy_rules.KIND,
    "policy": policy_rules.KIND,
    "policies": policy_rules.KIND,
    "channel": channel_rules.KIND,
    "channels": channel_rules.KIND,
}
_READERS: dict[str, Callable[[Mapping[str, Any]], tuple[Any, list[Violation]]]] = {
    policy_rules.KIND: structure.read,
    channel_rules.KIND: channel_rules.read_channel,
}
_OURS = ("uid", "generation", "resourceVersion", "creationTimestamp", "deletionTimestamp")


@dataclass(frozen=True, slots=True)
class Declared:
    """What somebody wants to be so. `spec` is as it was written. `expected`: the resource version that was seen;
    `exists`: whether it has to be there (True), or must not (False)."""

    kind: str
    name: str
    spec: dict[str, Any]
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    expected: int | None = None
    exists: bool | None = None


def kind_named(word: str) -> str | None:
    """The kind of this name in any of its ways to be written; None: there is none."""
    return ALIASES.get(word.lower())


def read_manifest(value: Any) -> tuple[Declared | None, list[Violation]]:
    """The manifest, or everything about it that cannot be read, each with its path."""
    place = Place("")
    if not isinstance(value, Mapping):
        place.refuse("wrong_type", "A manifest is a group of fields: apiVersion, kind, metadata, spec.")
        return None, place.found
    found = read_rules({name: below for name, below in value.items() if name != "status"}, _ENVELOPE, place)
    for path in ("apiVersion", "kind", "metadata", "spec"):
        if path not in value:
            place.at(path).refuse("required", "This has to be said.")
    if "name" not in found and isinstance(value.get("metadata"), Mapping):
        place.at("metadata").at("name").refuse("required", "This has to be said.")
    if place.found:
        return None, [*place.found, *_of_spec(found.get("kind"), found.get("spec"))]
    found.pop("api_version")
    return Declared(**{name: found[name] for name in found if not name.startswith("_")}), []


def _version(value: Any, place: Place) -> str:
    if value != API_VERSION:
        place.refuse("unknown_value", f"This is {API_VERSION}.")
    return API_VERSION


def _kind(value: Any, place: Place) -> str:
    if not isinstance(value, str) or value not in KINDS:
        place.refuse("unknown_value", f"One of {', '.join(KINDS)}.")
    return str(value)


def _expected(value: Any, place: Place) -> int | None:
    written = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not re.fullmatch("[0-9]{1,18}", written, re.ASCII):
        place.refuse("bad_version", "The resourceVersion as it was read.")
        return None
    return int(written)


def _tree(value: Any, place: Place) -> dict[str, Any]:
    """Read by its kind later; here it only has to be a group."""
    if not isinstance(value, Mapping):
        place.refuse("wrong_type", "This is a group of fields.")
        return {}
    return dict(value)


_ENVELOPE = (
    Rule("apiVersion", "api_version", _version),
    Rule("kind", "kind", _kind),
    Rule("metadata.name", "name", object_name),
    Rule("metadata.labels", "labels", labels),
    Rule("metadata.annotations", "annotations", labels),
    Rule("metadata.resourceVersion", "expected", _expected),
    *(Rule(f"metadata.{name}", f"_{name}", lambda value, place: None) for name in _OURS if name != "resourceVersion"),
    Rule("spec", "spec", _tree),
)


def checked(declared: Declared) -> list[Violation]:
    """What of the spec cannot be read; its paths begin at the manifest."""
    return _of_spec(declared.kind, declared.spec)


def _of_spec(kind: str | None, spec: Any) -> list[Violation]:
    _, found = _READERS[kind](spec) if kind in _READERS and spec else (None, [])
    return [Violation(f"spec.{v.path}" if v.path else "spec", v.code, v.detail) for v in found]
