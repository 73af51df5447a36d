"""Manifests as doors read them: who sees which, in pages, with their versions, and as the tree that people write.

A channel is its own people's, and of who has declared it. A policy is of those whose orders it is for: of the channels
its selector names, else of all. Who works for one of them reads it, who works for each of them may change it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q

from orders.errors import NotFound
from orders.models import Channel
from refunds.declared import channel_rules
from refunds.declared.envelope import API_VERSION
from refunds.models import Manifest, ManifestVersion, PolicyInForce
from refunds.records import execute

#: Each channel that is served, and whether somebody has opened it for himself: he declared what was not there before,
#: and nobody has been let in there since. What was, its own people declare first, who are bound to it.
_SERVED = """
SELECT c.slug, c.id, NOT c.is_default AND EXISTS (
    SELECT 1 FROM refunds_manifest m
    JOIN refunds_manifestversion v ON v.uid = m.uid AND v.generation = 1
    JOIN orders_principal p ON v.applied_by = 'principal:' || p.id
    WHERE m.kind = %s AND m.name = c.slug
    AND NOT EXISTS (SELECT 1 FROM orders_principal_channels b WHERE b.channel_id = c.id)
)
FROM orders_channel c WHERE c.retired_at IS NULL
"""


#: Parts of a status that are no controller's: what was agreed to before it was to go, which nobody is told; and who has
#: withdrawn that it was to go, the newest first.
BEFORE_REMOVAL, WITHDRAWN = "beforeRemoval", "withdrawnRemovals"


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of the channels that somebody is bound to; those that others have `opened` for themselves and nobody
    works for, which take nothing from anybody; and whether his own are all the rest. One that was retired counts no
    more: who has its name by now is somebody else. `is_operator`: he is bound to nothing."""

    own: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    has_all: bool = False
    is_operator: bool = False

    def has(self, channels: Collection[str]) -> bool:
        """All of these are his own; of none named, all that there are."""
        return self.is_operator or (self.own.issuperset(channels) if channels else self.has_all)

    def sees(self, row: Manifest) -> bool:
        """It is about a channel of his, as it was applied or as it is in force; `_seen` says the same in SQL."""
        if self.is_operator:
            return True
        if row.kind == channel_rules.KIND:
            return row.name in self.own
        return bool(self.own) and any(not named or self.own & named for named in _named(row))

    def may_change(self, row: Manifest) -> bool:
        """It is about channels of his alone, and of those that others have opened for themselves."""
        if self.is_operator or row.kind == channel_rules.KIND:
            return self.sees(row)
        return self.sees(row) and all(
            (self.own | self.opened).issuperset(named) if named else self.has_all for named in _named(row)
        )


def scope_of(channels: Mapping[str, int] | None) -> Scope:
    """Of these channels (slug -> id); None: an operator at the machine, bound to nothing."""
    if channels is None:
        return Scope(is_operator=True)
    served = execute(_SERVED, [channel_rules.KIND]).fetchall()
    own = frozenset(slug for slug, pk, _ in served if pk in channels.values())
    opened = frozenset(slug for slug, _, is_opened in served if is_opened) - own
    return Scope(own, opened, has_all=all(slug in own or slug in opened for slug, *_ in served))


def _named(row: Manifest) -> list[frozenset[str]]:
    """The channels whose orders a policy is for, as it was applied and as it is in force; none named: all."""
    held = PolicyInForce.objects.filter(name=row.name, version__uid=row.uid).values_list("version__selector", flat=True)
    selectors = [row.spec.get("selector"), *held]
    return [frozenset((selector or {}).get("channels", ())) for selector in selectors]


def declaring(channels: Mapping[str, int], reference: str) -> dict[str, int]:
    """The channels that somebody declares for (slug -> id): those he works for, and those he has declared himself."""
    first = ManifestVersion.objects.filter(kind=channel_rules.KIND, generation=1, applied_by=reference)
    own = Manifest.objects.filter(kind=channel_rules.KIND, uid__in=first.values("uid"))
    found = Channel.objects.filter(slug__in=own.values("name"), retired_at=None)
    return {**channels, **dict(found.values_list("slug", "id"))}


def manifests_page(
    kind: str,
    *,
    channels: Mapping[str, int] | None,
    labels: Mapping[str, str],
    after: str = "",
    limit: int | None = None,
) -> list[Manifest]:
    """By name, at most `limit`; those that carry all of the labels."""
    found = Manifest.objects.filter(_seen(scope_of(channels), kind), kind=kind, name__gt=after)
    if labels:
        found = found.filter(labels__contains=dict(labels))
    return list(found.order_by("name")[:limit])


def manifest_named(kind: str, name: str, *, channels: Mapping[str, int] | None) -> Manifest:
    """NotFound for unknown and foreign alike."""
    found = Manifest.objects.filter(_seen(scope_of(channels), kind), kind=kind, name=name).first()
    if found is None:
        raise not_found(kind, name)
    return found


def undeclared_channels() -> list[Channel]:
    """Those that are served without anybody's manifest, as the default one at first."""
    declared = Manifest.objects.filter(kind=channel_rules.KIND).values("name")
    return list(Channel.objects.filter(retired_at=None).exclude(slug__in=declared).order_by("slug"))


def manifests_named(names: Collection[tuple[str, str]]) -> dict[tuple[str, str], Manifest]:
    """By kind and name those there are of them, for operators."""
    rows = Manifest.objects.filter(name__in={name for _, name in names})
    return {(row.kind, row.name): row for row in rows}


def not_found(kind: str, name: str) -> NotFound:
    return NotFound("not_found", f"There is no {kind} {name[:60]}.")


def versions_of(row: Manifest, *, before: int | None = None, limit: int | None = None) -> list[ManifestVersion]:
    """What was applied in this life of the name, the newest first; `before`: only generations below."""
    found = ManifestVersion.objects.filter(uid=row.uid)
    if before is not None:
        found = found.filter(generation__lt=before)
    return list(found.order_by("-generation")[:limit])


def withdrawn(row: Manifest) -> list[tuple[datetime, str, str]]:
    """When its removal was withdrawn, by whom, and who had asked for it: the newest first."""
    told = row.status.get(WITHDRAWN, ())
    return [(datetime.fromisoformat(one["withdrawnAt"]), one["withdrawnBy"], one["askedBy"]) for one in told]


def tree(row: Manifest) -> dict[str, Any]:
    """The manifest as it is written and sent, in the order in which people read it."""
    return declared_tree(row) | {"status": _status(row)}


def declared_tree(row: Manifest) -> dict[str, Any]:
    """What somebody wanted, with the marks that only we write, and without what became of it."""
    metadata = {
        "name": row.name,
        "labels": row.labels,
        "annotations": row.annotations,
        "uid": str(row.uid),
        "generation": row.generation,
        "resourceVersion": str(row.resource_version),
        "creationTimestamp": time_told(row.created_at),
        "deletionTimestamp": time_told(row.deletion_at),
    }
    return {"apiVersion": API_VERSION, "kind": row.kind, "metadata": metadata, "spec": row.spec}


def version_tree(version: ManifestVersion) -> dict[str, Any]:
    return {
        "generation": version.generation,
        "appliedBy": version.applied_by,
        "appliedAt": time_told(version.applied_at),
        "spec": version.spec,
    }


def time_told(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def _status(row: Manifest) -> dict[str, Any]:
    approval = {"record": row.approval, "by": row.approved_by, "generation": row.approved_generation}
    told = {name: value for name, value in row.status.items() if name != BEFORE_REMOVAL}
    return {
        "observedGeneration": row.observed_generation,
        "conditions": _conditions(row.conditions),
        "appliedBy": row.applied_by,
        "approval": approval if row.approval else None,
    } | told


def _conditions(stored: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "type": condition["type"],
            "status": condition["status"],
            "reason": condition["reason"],
            "message": condition["message"],
            "lastTransitionTime": condition["last_transition_time"],
            "observedGeneration": condition["observed_generation"],
        }
        for condition in stored
    ]


def _seen(scope: Scope, kind: str) -> Q:
    if scope.is_operator:
        return Q()
    if kind == channel_rules.KIND:
        return Q(name__in=scope.own)
    in_force = PolicyInForce.objects.filter(_about(scope, "version__selector"), name=OuterRef("name"))
    return _about(scope, "spec__selector") | Q(Exists(in_force.filter(version__uid=OuterRef("uid"))))


def _about(scope: Scope, selector: str) -> Q:
    """It is for all channels, or for one of his."""
    if not scope.own:
        return Q(pk__in=())
    named = f"{selector}__channels"
    is_for_all = Q(**{f"{named}__isnull": True}) | Q(**{named: []})
    return is_for_all | Q(**{f"{named}__has_any_keys": sorted(scope.own)})
