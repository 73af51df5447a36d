"""One policy or channel as an operator reads it: what is wanted, what holds of it, and for which orders it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from orders.models import Channel
from refunds.declared import policy_rules
from refunds.declared.choosing import InForce, OrderFacts, fits, ranked
from refunds.declared.policy_rules import Selector
from refunds.management.writing import age, field, moment, table
from refunds.management.yaml_form import dump
from refunds.models import Manifest, ManifestVersion
from refunds.policy import BUILT_IN_NAME
from refunds.selectors.manifests import manifest_named, versions_of, withdrawn
from refunds.selectors.policies import policies_in_force
from refunds.services.manifests.replanning import running

#: So many of a long list are shown.
MOST = 20


@dataclass(frozen=True, slots=True)
class Described:
    """`running`: open refunds by the generation they are pinned to; `channels`: by slug the policy each names."""

    row: Manifest
    versions: Sequence[ManifestVersion]
    running: Mapping[int, int]
    policies: Sequence[InForce]
    channels: Mapping[str, str]


def found_manifest(kind: str, name: str) -> Described:
    """All of it, in a constant number of statements. NotFound."""
    row = manifest_named(kind, name, channels=None)
    served = Channel.objects.filter(retired_at=None).values_list("slug", "policy")
    return Described(
        row, versions_of(row, limit=MOST), running(row.uid, None).by_generation, policies_in_force(), dict(served)
    )


def describe_manifest(found: Described, now: datetime) -> str:
    row = found.row
    own = _policy(found) if row.kind == policy_rules.KIND else _channel(found)
    lines = [
        *_head(row, now),
        "Spec:",
        *(f"  {line}" for line in dump(row.spec).splitlines()),
        *_conditions(row, now),
        *own,
        *_versions(found, now),
        *_withdrawn(row, now),
        field("Next look", moment(row.next_reconcile_at, now)),
    ]
    return "\n".join(lines)


def precedence_table(policies: Sequence[InForce], order: OrderFacts, *, title: str) -> list[str]:
    """Those that fit the order, the one that applies first."""
    rows = [(policy.name, _why(policy, order)) for policy in ranked(policies, order)]
    return table(title, ("Policy", "Why"), rows[:MOST])


def _why(policy: InForce, order: OrderFacts) -> str:
    if policy.selector is not None and fits(policy.selector, order):
        return f"its selector fits, precedence {policy.precedence}"
    return "it comes with the product" if policy.name == BUILT_IN_NAME else "the channel names it"


def _head(row: Manifest, now: datetime) -> Iterator[str]:
    yield field("Name", row.name)
    yield field("Kind", row.kind)
    yield field("UID", row.uid)
    yield field("Labels", _pairs(row.labels))
    yield field("Annotations", _pairs(row.annotations))
    yield field("Created", moment(row.created_at, now))
    yield field("Generation", f"{row.generation} (observed {row.observed_generation}), applied by {row.applied_by}")
    yield field("Resource version", row.resource_version)
    if row.approval:
        yield field("Approval", f"{row.approval} ({row.approved_by}, of generation {row.approved_generation})")
    if row.deletion_at:
        yield field("Being removed", f"since {moment(row.deletion_at, now)}, {_ending(row)}")
    if row.failures:
        yield field("Failed syncs", row.failures)


def _ending(row: Manifest) -> str:
    return f"asked for by {row.deletion_by}, waits for {', '.join(row.finalizers)}"


def _withdrawn(row: Manifest, now: datetime) -> list[str]:
    rows = [(moment(at, now), by, asked) for at, by, asked in withdrawn(row)]
    return table("Withdrawn removals", ("Withdrawn", "By", "Asked for by"), rows) if rows else []


def _conditions(row: Manifest, now: datetime) -> list[str]:
    rows = [
        (
            c["type"],
            c["status"],
            age(now - datetime.fromisoformat(c["last_transition_time"])),
            c["reason"],
            c["message"],
        )
        for c in row.conditions
    ]
    return table("Conditions", ("Type", "Status", "Age", "Reason", "Message"), rows)


def _versions(found: Described, now: datetime) -> list[str]:
    in_force = found.row.status.get("inForceGeneration")
    rows = [
        (v.generation, moment(v.applied_at, now), v.applied_by, "in force" if v.generation == in_force else "")
        for v in found.versions
    ]
    return table("Versions", ("Generation", "Applied", "By", ""), rows)


def _policy(found: Described) -> Iterator[str]:
    in_force = found.row.status.get("inForceGeneration")
    yield field("In force", f"generation {in_force}" if in_force else "nothing")
    by = sorted(slug for slug, policy in found.channels.items() if policy == found.row.name)
    yield field("Named by channels", ", ".join(by[:MOST]))
    yield from table("Running refunds", ("Generation", "Refunds"), sorted(found.running.items()))
    yield from _precedence(found)


def _precedence(found: Described) -> Iterator[str]:
    """For the orders that it just fits, in each of its channels."""
    own = next((policy for policy in found.policies if policy.name == found.row.name), None)
    if own is None:
        return
    selector = own.selector or Selector({})
    named = selector.channels or tuple(found.channels)
    fitting = [slug for slug in named if own.selector is not None or found.channels.get(slug) == own.name]
    if not fitting:
        yield field("Precedence", "no selector, and no channel names it: it applies to no order")
    for slug in sorted(fitting)[:MOST]:
        order = OrderFacts(slug, selector.labels, found.channels.get(slug, ""))
        labels = f" with {_pairs(selector.labels)}" if selector.labels else ""
        yield from precedence_table(found.policies, order, title=f"Precedence for orders of {slug}{labels}")


def _channel(found: Described) -> Iterator[str]:
    held = found.row.status.get("acceptedNames", {})
    yield from table("Names", ("Field", "Held"), [(scope, ", ".join(names)) for scope, names in sorted(held.items())])
    slug = found.row.name
    if slug not in found.channels:
        yield field("Policies", "it is not served yet")
        return
    order = OrderFacts(slug, {}, found.channels[slug])
    yield from table("Policies", ("Policy", "Order labels", "Why"), list(_by_labels(found.policies, order))[:MOST])


def _by_labels(policies: Sequence[InForce], order: OrderFacts) -> Iterator[tuple[str, str, str]]:
    """Those that an order of the channel can be refunded by, whatever its labels are, the one that applies first."""
    labels = {p.name: _pairs(p.selector.labels) for p in policies if p.selector}
    unlabelled = [replace(p, selector=p.selector and replace(p.selector, labels={})) for p in policies]
    for policy in ranked(unlabelled, order):
        if policy.selector and fits(policy.selector, order):
            yield policy.name, labels[policy.name] or "any", _why(policy, order)
    for policy in ranked([replace(p, selector=None) for p in policies], order):
        yield policy.name, "any", _why(policy, order)


def _pairs(pairs: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(pairs.items()))
