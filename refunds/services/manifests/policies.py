"""The controller of refund policies: structure, then approval, then the version in force, then the rollout.

A policy with violations, or one that loosens a rule and has no second person's word, changes nothing: the last good
version stays in force.
"""

from dataclasses import asdict, replace
from datetime import datetime

from orders.models import Channel
from refunds.conditions import FALSE, TRUE, Condition
from refunds.declared import approval, structure
from refunds.declared.choosing import InForce
from refunds.declared.governing import looser_for_orders
from refunds.declared.loosening import loosened
from refunds.declared.policy_rules import DeclaredPolicy
from refunds.declared.rollout import Running, batch, conditions
from refunds.models import Manifest, PolicyInForce, PolicyVersion
from refunds.policy import BUILT_IN, PolicySpec
from refunds.selectors.manifests import WITHDRAWN
from refunds.selectors.policies import governing_now, version_in_force
from refunds.services.manifest_wakes import wake_channels_of
from refunds.services.manifests.agreeing import agreement, one_at_a_time
from refunds.services.manifests.found import Found
from refunds.services.manifests.replanning import replan, running

#: While refunds run on older versions their number is looked at again.
COUNT_AGAIN_SECONDS = 10.0
#: A request that began before a version came into force may still be pinned to the one before for so long.
SETTLE_SECONDS = 60
#: Stands for the version that is not in force yet.
_NEW = 0


def sync_policy(row: Manifest, now: datetime) -> Found:
    """One pass. The row is locked."""
    if row.deletion_at is not None:
        return _remove(row)
    declared, broken = structure.judged(row.spec)
    before = version_in_force(row)
    word = _judged(row, declared, before) if declared and broken is None else None
    if declared and broken is None and approval.opens(word):
        before = _put_in_force(row, declared, before)
    in_force = before.generation if before else None
    seen = _roll_out(row, declared, before)
    said = [c for c in (broken, word, _unknown_channels(declared)) if c is not None]
    said += conditions(seen, in_force=in_force, suspended=_is_suspended(row))
    said.append(_ready(row, in_force))
    status = {
        "inForceGeneration": in_force,
        "running": {str(generation): count for generation, count in sorted(seen.by_generation.items())},
        "movable": seen.movable,
    }
    if WITHDRAWN in row.status:
        status[WITHDRAWN] = row.status[WITHDRAWN]
    return Found(said, status, look_in=_look_in(row, seen, in_force, now))


def _judged(row: Manifest, declared: DeclaredPolicy, before: PolicyVersion | None) -> Condition | None:
    if before is not None and before.generation == row.generation:
        return _stored(row)
    one_at_a_time()
    own = loosened(PolicySpec.from_json(before.spec) if before else BUILT_IN, declared.rules)
    now = governing_now()
    others = [policy for policy in now.policies if policy.name != row.name]
    new = InForce(_NEW, row.name, declared.selector, declared.precedence)
    after = replace(now, policies=(*others, new), rules={**now.rules, _NEW: declared.rules})
    return agreement(row, {*own, *looser_for_orders(now, after, row.name)})


def _stored(row: Manifest) -> Condition | None:
    """What was found when this generation came into force stays: there is nothing to compare it with any more."""
    stored = next((c for c in row.conditions if c["type"] == approval.TYPE), None)
    if stored is None or stored["observed_generation"] != row.generation:
        return None
    return Condition(approval.TYPE, stored["status"], stored["reason"], stored["message"])


def _put_in_force(row: Manifest, declared: DeclaredPolicy, before: PolicyVersion | None) -> PolicyVersion:
    if before is not None and before.generation == row.generation:
        return before
    selector = asdict(declared.selector) if declared.selector else None
    version = PolicyVersion.objects.create(
        name=row.name,
        uid=row.uid,
        generation=row.generation,
        spec=declared.rules.to_json(),
        selector=selector,
        precedence=declared.precedence,
    )
    PolicyInForce.objects.update_or_create(name=row.name, defaults={"version": version})
    if before is None:
        wake_channels_of(row.name)
    return version


def _roll_out(row: Manifest, declared: DeclaredPolicy | None, version: PolicyVersion | None) -> Running:
    seen = running(row.uid, version)
    if declared is None or version is None:
        return seen
    if most := batch(seen, suspended=declared.suspend, most=declared.max_replan):
        replan(row.uid, version, most=most)
        seen = running(row.uid, version)
    return seen


def _is_suspended(row: Manifest) -> bool:
    return row.spec.get("suspend") is True


def _unknown_channels(declared: DeclaredPolicy | None) -> Condition | None:
    """It is for orders of channels that are not there; one that comes later is not missed."""
    named = set(declared.selector.channels) if declared and declared.selector else set()
    known = set(Channel.objects.filter(slug__in=named, retired_at=None).values_list("slug", flat=True))
    if missing := sorted(named - known):
        return Condition("ChannelsFound", FALSE, "NoSuchChannel", f"There is no channel {', '.join(missing)}.")
    return None


def _ready(row: Manifest, in_force: int | None) -> Condition:
    if in_force == row.generation:
        return Condition("Ready", TRUE, "InForce", "The policy is in force as it was applied.")
    held = f"Generation {in_force} stays in force." if in_force else "Nothing of it is in force."
    return Condition("Ready", FALSE, "NotInForce", f"Generation {row.generation} is not in force. {held}")


def _look_in(row: Manifest, seen: Running, in_force: int | None, now: datetime) -> float | None:
    if in_force is None:
        return None
    if seen.movable and not _is_suspended(row):
        return 0.0
    is_fresh = (now - row.updated_at).total_seconds() < SETTLE_SECONDS
    return COUNT_AGAIN_SECONDS if seen.old(in_force) or is_fresh else None


def _remove(row: Manifest) -> Found:
    """New refunds are not pinned to it any more; it is gone once those that are have ended. Where other rules would be
    looser, a second person has to agree to its end first."""
    waits = _kept_until_agreed(row)
    if not approval.opens(waits):
        said = Condition("Terminating", FALSE, "WaitsForApproval", "It stays in force until a second person agrees.")
        return Found([c for c in (waits, said) if c], row.status, look_in=COUNT_AGAIN_SECONDS)
    if PolicyInForce.objects.filter(name=row.name, version__uid=row.uid).delete()[0]:
        wake_channels_of(row.name)
    seen = running(row.uid, None)
    count = sum(seen.by_generation.values())
    if not count:
        return Found(is_gone=True)
    said = Condition("Terminating", TRUE, "RefundsInFlight", f"{count} refunds are still running by it.")
    status = {"inForceGeneration": None, "running": {str(g): n for g, n in sorted(seen.by_generation.items())}}
    return Found([said], status, look_in=COUNT_AGAIN_SECONDS)


def _kept_until_agreed(row: Manifest) -> Condition | None:
    if version_in_force(row) is None:
        return None
    one_at_a_time()
    now = governing_now()
    after = replace(now, policies=tuple(policy for policy in now.policies if policy.name != row.name))
    return agreement(row, looser_for_orders(now, after, row.name))
