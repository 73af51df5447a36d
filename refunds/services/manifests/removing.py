"""Letting a manifest go, and taking that back as long as it has not begun. Each is one transaction on its row.

A policy whose end would loosen the rules of some orders stays in force until a second person agrees
(`refunds.services.manifests.policies`). Withdrawn, it is as it was before, and its status remembers who asked for its
end, and who withdrew that.
"""

from orders import clock
from orders.errors import Conflict
from refunds.declared import approval, channel_rules
from refunds.models import Manifest
from refunds.selectors.manifests import BEFORE_REMOVAL, WITHDRAWN, time_told
from refunds.services.manifests.applying import (
    APPROVAL,
    DECLARE,
    Declarer,
    changed,
    locked,
    permit,
    refuse_stale,
    writing,
)
from refunds.services.manifests.opening import close_channel, refuse_default

#: It waits until no refund of it is running.
IN_FLIGHT = "refunds-in-flight"
TERMINATING = "Terminating"
#: So many withdrawn removals are remembered, the newest first.
REMEMBERED = 20


def delete_manifest(kind: str, name: str, by: Declarer, *, expected: int | None = None) -> Manifest:
    """Let it go: nothing new is taken, and it is gone once what runs has ended. The same again changes nothing.

    Raises Conflict (`default_channel`): somewhere orders without a channel have to go.
    """
    permit(DECLARE, by)
    with writing():
        if kind == channel_rules.KIND and (by.channels is None or name in by.channels):
            refuse_default(name)  # declared or not
        row = locked(kind, name, by)
        refuse_stale(row, expected)
        if row.deletion_at is None:
            row.deletion_at, row.deletion_by, row.finalizers = clock.now(), by.actor.reference, [IN_FLIGHT]
            row.status |= {BEFORE_REMOVAL: _agreed(row)}
            # What was agreed to before was no end of it.
            row.approval, row.approved_by, row.approved_generation = "", "", 0
            changed(row, ["deletion_at", "deletion_by", "finalizers", "status", *APPROVAL])
            if kind == channel_rules.KIND:
                close_channel(name, row.deletion_at)
    return row


def withdraw_removal(kind: str, name: str, by: Declarer, *, expected: int | None = None) -> Manifest:
    """It stays as it was. Whoever may let it go may withdraw that, himself or another.

    Raises Conflict (`not_being_removed`), and (`removal_begun`) where it takes nothing new any more: a channel at once,
    a policy as soon as nobody has to agree, or somebody has.
    """
    permit(DECLARE, by)
    with writing():
        row = locked(kind, name, by)
        refuse_stale(row, expected)
        if row.deletion_at is None:
            raise Conflict("not_being_removed", f"{row} is not being removed.")
        if has_begun(row):
            raise Conflict("removal_begun", f"{row} takes nothing new any more: apply it again once it is gone.")
        _restore(row, by)
        changed(row, ["deletion_at", "deletion_by", "finalizers", "status", "conditions", *APPROVAL])
    return row


def has_begun(row: Manifest) -> bool:
    """Of one that is to go: it cannot stay any more."""
    if row.kind == channel_rules.KIND:
        return True
    return any(c["type"] == TERMINATING and c["status"] == "True" for c in row.conditions)


def _agreed(row: Manifest) -> dict[str, object]:
    """What a second person has said of the spec, and what was found of it."""
    found = [c for c in row.conditions if c["type"] == approval.TYPE]
    return {"approval": {name: getattr(row, name) for name in APPROVAL}, "conditions": found}


def _restore(row: Manifest, by: Declarer) -> None:
    told = {
        "askedBy": row.deletion_by,
        "askedAt": time_told(row.deletion_at),
        "withdrawnBy": by.actor.reference,
        "withdrawnAt": time_told(clock.now()),
    }
    before = row.status.pop(BEFORE_REMOVAL, None) or {"approval": {}, "conditions": []}
    for name, value in before["approval"].items():
        setattr(row, name, value)
    of_the_end = (approval.TYPE, TERMINATING)
    row.conditions = [*(c for c in row.conditions if c["type"] not in of_the_end), *before["conditions"]]
    row.conditions.sort(key=lambda c: c["type"])
    row.status[WITHDRAWN] = [told, *row.status.get(WITHDRAWN, ())][:REMEMBERED]
    row.deletion_at, row.deletion_by, row.finalizers = None, "", []
