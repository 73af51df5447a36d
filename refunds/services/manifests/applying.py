"""Declaring: apply and approve a manifest (`removing` lets it go). Each is one transaction on its row; the controllers
do the rest. Each raises LockNotHad where the row was held for too long.

Applied again as it stands, nothing changes. The spec moves the generation and is kept for ever as a version; labels,
annotations and the end of it move the resource version as well. What is found, or agreed to, moves neither.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from orders import clock
from orders.errors import Conflict, FieldError, Forbidden, Invalid, Stale
from orders.locks import WEB_WAIT_MS, lock_had
from orders.roles import Actor, Role
from refunds import records
from refunds.declared import channel_rules, policy_rules
from refunds.declared.approval import is_bypass, is_record
from refunds.declared.envelope import Declared, checked
from refunds.declared.reading import Violation
from refunds.models import Manifest, ManifestVersion
from refunds.policy import BUILT_IN_NAME
from refunds.selectors.manifests import Scope, not_found, scope_of
from refunds.services.manifests.agreeing import refuse_unasked
from refunds.services.manifests.opening import hold_channels, is_declared_by, open_channel, refuse_served
from refunds.services.wakes import wake_manifests

#: Who declares what is to be so, and who may let a loosened rule pass without a second person.
DECLARE = frozenset({Role.SHOP, Role.SUPERVISOR, Role.FINANCE, Role.SYSTEM})
AGREE = frozenset({Role.SUPERVISOR, Role.FINANCE, Role.SYSTEM})
BYPASS = frozenset({Role.FINANCE, Role.SYSTEM})
#: Who says where the engine sends calls for money.
ACCOUNTS = frozenset({Role.SUPERVISOR, Role.FINANCE, Role.SYSTEM})
#: The word of a second person.
APPROVAL = ("approval", "approved_by", "approved_generation")
CREATED, CONFIGURED, UNCHANGED = "created", "configured", "unchanged"


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of it: created, configured or unchanged."""

    manifest: Manifest
    what: str


@dataclass(frozen=True, slots=True)
class Declarer:
    """Who declares. `channels` (slug -> id) are those he declares for (`refunds.selectors.manifests.declaring`); None:
    an operator at the machine, bound to nothing."""

    actor: Actor
    channels: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a second person agrees to: the removal, or else the spec; of which generation and resource version, where he
    says so."""

    removal: bool = False
    generation: int | None = None
    version: int | None = None


ITS_SPEC = Seen()


def apply_manifest(declared: Declared, by: Declarer, *, dry_run: bool = False) -> Applied:
    """Make this what is wanted. `dry_run`: say what would become of it, and write nothing.

    Raises Invalid with every field that cannot be read; Forbidden (`role_forbidden`); NotFound for what is outside of
    his channels; Conflict (`being_removed`, `built_in`); Stale where another version was seen, or it is not there
    (`changed_since`), or is and must not be (`exists_already`).
    """
    refuse_violations(checked(declared))
    permit(DECLARE, by)
    with writing():
        applied = _apply(declared, by)
        if dry_run:
            transaction.set_rollback(True)
    return applied


def roll_back_manifest(kind: str, name: str, generation: int, by: Declarer, *, expected: int | None = None) -> Applied:
    """Apply the spec of an earlier generation anew: it becomes the next one. Labels and annotations stay.

    Raises what `apply_manifest` raises, and Invalid (`unknown_generation`).
    """
    permit(DECLARE, by)
    with writing():
        row = locked(kind, name, by)
        old = ManifestVersion.objects.filter(uid=row.uid, generation=generation).first()
        if old is None:
            detail = f"There is no generation {generation} of {row}: the last one is {row.generation}."
            raise Invalid.of("to_generation", "unknown_generation", detail)
        declared = Declared(kind, name, old.spec, row.labels, row.annotations, expected)
        refuse_violations(checked(declared))
        return _apply(declared, by)


def approve_manifest(kind: str, name: str, said: str, by: Declarer, *, seen: Seen = ITS_SPEC) -> Manifest:
    """The word of a second person about what he has seen of it: the address of his record, or "unapproved: why", which
    only those who may bypass say. The controller judges it (`refunds.declared.approval`).

    Raises Conflict (`changed_since`), or Stale, if it is not as he saw it any more, (`no_second_needed`) if nothing of
    it waits, Forbidden (`own_manifest`) for who has applied it, and Invalid (`bad_record`).
    """
    permit(AGREE, by)
    _refuse_bad_record(said)
    if is_bypass(said):
        permit(BYPASS, by)
    with writing():
        row = locked(kind, name, by)
        if row.asked_by == by.actor.reference and not is_bypass(said):
            raise Forbidden("own_manifest", f"{row.asked_by} has asked for it: another person has to approve it.")
        _refuse_unseen(row, seen)
        refuse_unasked(row)
        row.approval, row.approved_by, row.approved_generation = said, by.actor.reference, row.generation
        _written(row, [*APPROVAL])
    return row


def _refuse_unseen(row: Manifest, seen: Seen) -> None:
    """His word is for a spec, or for its removal: one must not count for the other."""
    refuse_stale(row, seen.version)
    if seen.removal != (row.deletion_at is not None):
        found = "is to be removed: say so to agree to that" if row.deletion_at else "is not to be removed (any more)"
        raise Conflict("changed_since", f"{row} {found}. Read it again.")
    if seen.generation not in (None, row.generation):
        raise Conflict("changed_since", f"It is at generation {row.generation} by now: read it again.")


def _refuse_bad_record(said: str) -> None:
    if not is_record(said):
        detail = "The address of a record, https://..., or unapproved: and why; at most 500 characters."
        raise Invalid.of("record", "bad_record", detail)


def refuse_violations(found: Sequence[Violation]) -> None:
    """Raise Invalid that names each of them."""
    if not found:
        return
    errors = tuple(FieldError(v.path, v.code, v.detail) for v in found)
    code = errors[0].code if len(errors) == 1 else "invalid_manifest"
    raise Invalid(code, "; ".join(f"{e.field}: {e.detail}" for e in errors[:3]), errors=errors)


def _apply(declared: Declared, by: Declarer) -> Applied:
    named = declared.spec.get("selector", {}).get("channels", ()) if declared.kind == policy_rules.KIND else ()
    hold_channels(named)
    scope = scope_of(by.channels)
    if declared.kind == policy_rules.KIND and not scope.has(named):
        raise _foreign_channels()
    row, is_new = _row_of(declared, by)
    _refuse_accounts(declared, {} if is_new else row.spec, by)
    if is_new:
        _begin(row, scope)
        return Applied(row, CREATED)
    if not scope.may_change(row) and not is_declared_by(row, by.actor.reference):
        raise _foreign_channels() if row.kind == policy_rules.KIND else not_found(row.kind, row.name)
    if declared.exists is False:
        raise Stale("exists_already", f"{row} is there already, and was to be created.")
    refuse_stale(row, declared.expected)
    if row.deletion_at is not None:
        raise Conflict("being_removed", f"{row} is being removed: withdraw that, or apply it again once it is gone.")
    return Applied(row, _configure(row, declared, by))


def _begin(row: Manifest, scope: Scope) -> None:
    if row.kind == channel_rules.KIND and not scope.is_operator:
        if row.name not in scope.own:
            refuse_served(row.name)
        open_channel(row.name)
    _keep_version(row)
    wake_manifests([row.pk])


def _refuse_accounts(declared: Declared, before: Mapping[str, Any], by: Declarer) -> None:
    """A shop's own key must not have the engine call addresses of its choice, with money."""
    if by.actor.role not in ACCOUNTS and declared.spec.get("accounts", []) != before.get("accounts", []):
        detail = f"The role {by.actor.role} may not change spec.accounts: a supervisor, finance or the operator does."
        raise Forbidden("role_forbidden", detail)


def _row_of(declared: Declared, by: Declarer) -> tuple[Manifest, bool]:
    """The row, locked; and whether it was made just now. Of two who create it at once the second finds the first's."""
    if declared.kind == policy_rules.KIND and declared.name == BUILT_IN_NAME:
        raise Conflict("built_in", f"{BUILT_IN_NAME} is the name of the rules that come with the product.")
    now = clock.now()
    row, is_new = Manifest.objects.select_for_update().get_or_create(
        kind=declared.kind,
        name=declared.name,
        defaults={
            "spec": declared.spec,
            "labels": declared.labels,
            "annotations": declared.annotations,
            "applied_by": by.actor.reference,
            "resource_version": _revision(),
            "next_reconcile_at": now,
            "created_at": now,
            "updated_at": now,
        },
    )
    if is_new and (declared.exists or declared.expected is not None):
        detail = "leave If-Match, or metadata.resourceVersion, out to create it"
        raise Stale("changed_since", f"{row} is not there, or not any more: {detail}.")
    return row, is_new


def _configure(row: Manifest, declared: Declared, by: Declarer) -> str:
    columns = [name for name in ("labels", "annotations") if getattr(row, name) != getattr(declared, name)]
    row.labels, row.annotations = declared.labels, declared.annotations
    if row.spec != declared.spec:
        row.spec, row.applied_by, row.generation = declared.spec, by.actor.reference, row.generation + 1
        columns += ["spec", "applied_by", "generation"]
        _keep_version(row)
    if not columns:
        return UNCHANGED
    changed(row, columns)
    return CONFIGURED


def _keep_version(row: Manifest) -> None:
    ManifestVersion.objects.create(
        kind=row.kind,
        name=row.name,
        uid=row.uid,
        generation=row.generation,
        spec=row.spec,
        applied_by=row.applied_by,
        applied_at=clock.now(),
    )


def changed(row: Manifest, columns: Sequence[str]) -> None:
    """Write what somebody wants of it now. Who has read it before has seen something else."""
    row.resource_version = _revision()
    _written(row, [*columns, "resource_version"])


def _revision() -> int:
    """A resource version that nothing else has or had: what was seen of one life of a name does not fit the next."""
    [revision] = records.new_ids(ManifestVersion, 1)
    return revision


def _written(row: Manifest, columns: list[str]) -> None:
    row.updated_at = row.next_reconcile_at = clock.now()
    row.save(update_fields=[*columns, "updated_at", "next_reconcile_at"])
    wake_manifests([row.pk])


def locked(kind: str, name: str, by: Declarer) -> Manifest:
    """To be changed. NotFound for unknown and foreign alike; Forbidden (`foreign_channels`) for a policy that is for
    others' orders as well."""
    scope = scope_of(by.channels)
    row = Manifest.objects.select_for_update().filter(kind=kind, name=name).first()
    if row is None or not scope.sees(row):
        raise not_found(kind, name)
    if not scope.may_change(row):
        raise _foreign_channels()
    return row


def refuse_stale(row: Manifest, expected: int | None) -> None:
    """Raise Stale where another resource version was seen."""
    if expected is not None and expected != row.resource_version:
        raise Stale("changed_since", f"{row} has changed since it was read: it is at {row.resource_version} now.")


@contextmanager
def writing() -> Iterator[None]:
    """A transaction that does not wait for ever: a controller's pass holds the row while it moves running refunds."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{WEB_WAIT_MS}ms"])
        with lock_had("its controller, or somebody else, is at it: try again"):
            yield


def permit(roles: frozenset[Role], by: Declarer) -> None:
    """Raise Forbidden (`role_forbidden`)."""
    if by.actor.role not in roles:
        raise Forbidden("role_forbidden", f"The role {by.actor.role} may not do that to manifests.")


def _foreign_channels() -> Forbidden:
    detail = "It is for orders of channels that are not yours: name yours in spec.selector.channels."
    return Forbidden("foreign_channels", detail)
