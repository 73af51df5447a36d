"""Manifests as `get` and `history` write them: as a table for people, as YAML or JSON to work on."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from orders.models import Channel
from refunds.declared import channel_rules, policy_rules
from refunds.management.writing import age, columns, moment
from refunds.management.yaml_form import dump
from refunds.models import Manifest, ManifestVersion
from refunds.selectors.manifests import tree, version_tree, withdrawn

_SHOWN = 4
Cells = Callable[[Manifest], tuple[object, ...]]


def as_text(trees: Sequence[Any], output: str, *, is_one: bool) -> str:
    """As YAML, one document for each, or as JSON, where several are a list."""
    if output == "yaml":
        return dump(*trees).rstrip("\n")
    return json.dumps(trees[0] if is_one else list(trees), indent=2, ensure_ascii=False)


def manifests_text(rows: Sequence[Manifest], output: str, *, is_one: bool = False) -> str:
    """As YAML or JSON."""
    return as_text([tree(row) for row in rows], output, is_one=is_one)


def manifests_table(kind: str, rows: Sequence[Manifest], undeclared: Sequence[Channel], *, now: datetime) -> str:
    """By name, with the channels that are served though nobody has declared them."""
    header, cells = _OF_KIND[kind]
    lines = [(row.name, row.generation, *cells(row), *_ready(row), age(now - row.created_at)) for row in rows]
    lines += [_undeclared(channel) for channel in undeclared]
    return "\n".join(columns([("NAME", "GENERATION", *header, "READY", "REASON", "AGE"), *sorted(lines)]))


def history_text(row: Manifest, versions: Sequence[ManifestVersion], output: str, *, now: datetime) -> str:
    """The newest first; the table tells of removals that were withdrawn, too."""
    if output != "table":
        return as_text([version_tree(version) for version in versions], output, is_one=False)
    before = [*versions[1:], None]
    told = [
        (v.applied_at, str(v.generation), v.applied_by, _changed(older, v))
        for v, older in zip(versions, before, strict=True)
    ]
    told += [(at, "none", by, f"withdrew the removal that {asked} asked for") for at, by, asked in withdrawn(row)]
    told.sort(key=lambda line: line[0], reverse=True)
    lines = [(generation, moment(at, now), by, what) for at, generation, by, what in told]
    return "\n".join(columns([("GENERATION", "APPLIED", "BY", "CHANGED"), *lines]))


def changed_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Where two specs differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted(before.keys() | after.keys()):
            yield from changed_paths(before.get(name), after.get(name), f"{path}.{name}" if path else name)
    elif before != after:
        yield path


def _changed(before: ManifestVersion | None, after: ManifestVersion) -> str:
    if before is None:
        return "created"
    paths = list(changed_paths(before.spec, after.spec))
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + more


def _ready(row: Manifest) -> tuple[str, str]:
    if row.deletion_at is not None:
        return "False", "Terminating"
    said = next((c for c in row.conditions if c["type"] == "Ready"), None)
    if said is None or said["observed_generation"] != row.generation:
        return "Unknown", "NotLookedAt"
    return said["status"], said["reason"]


def _policy(row: Manifest) -> tuple[object, ...]:
    return row.status.get("inForceGeneration") or "none", row.spec.get("precedence", 0)


def _channel(row: Manifest) -> tuple[object, ...]:
    held = row.status.get("acceptedNames", {}).get("hostnames", [])
    return ", ".join(held) or "none", row.spec.get("policy") or "built-in"


def _undeclared(channel: Channel) -> tuple[object, ...]:
    hosts, reason = ", ".join(channel.hostnames) or "none", "BuiltIn" if channel.is_default else "NotDeclared"
    return channel.slug, "none", hosts, channel.policy or "built-in", "True", reason, "none"


_OF_KIND: dict[str, tuple[tuple[str, str], Cells]] = {
    policy_rules.KIND: (("IN FORCE", "PRECEDENCE"), _policy),
    channel_rules.KIND: (("HOSTNAMES", "POLICY"), _channel),
}
