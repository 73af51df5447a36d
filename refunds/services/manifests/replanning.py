"""Moving running refunds to the version in force: those of which no money was ever claimed, the oldest first.

What the customer was shown stays: the sheet, the amount and the units are of the version he asked under. What follows
is decided by the new one: who has to look, how long everybody has, what is told. A deadline that is stored is not
shortened.
"""

from uuid import UUID

from orders import clock
from orders.locks import lock_orders
from orders.roles import SYSTEM
from refunds import records
from refunds.declared.rollout import Running
from refunds.models import PolicyVersion
from refunds.services.docket import Docket
from refunds.services.wakes import wake_notifications
from refunds.states import FINAL_STATES

_OPEN = """
FROM refunds_refund r JOIN refunds_policyversion v ON v.id = r.policy_version_id
WHERE v.uid = %s AND r.next_reconcile_at IS NOT NULL AND NOT r.state = ANY(%b::text[])
"""
#: No call was ever claimed for any of its movements, and nobody has moved its money outside.
_UNCLAIMED = """
AND r.state <> 'failed' AND NOT EXISTS (
    SELECT 1 FROM refunds_gatewayrefund m WHERE m.refund_id = r.id
    AND (m.attempt > 0 OR m.state NOT IN ('intended', 'cancelled')))
"""
_COUNT = f"SELECT v.generation, count(*) {_OPEN} GROUP BY v.generation"
_MOVABLE = f"SELECT count(*) {_OPEN} {_UNCLAIMED} AND v.id <> %s"
_OLDEST = f"SELECT r.id, r.order_id {_OPEN} {_UNCLAIMED} AND v.id <> %s ORDER BY r.id LIMIT %s"
_STILL = f"SELECT r.id {_OPEN} {_UNCLAIMED} AND v.id <> %s AND r.id = ANY(%b::bigint[])"
_FINAL = sorted(map(str, FINAL_STATES))


def running(uid: UUID, version: PolicyVersion | None) -> Running:
    """The open refunds pinned to versions of this policy, and how many could follow `version`."""
    by_generation = dict(records.execute(_COUNT, [uid, _FINAL]).fetchall())
    movable = records.execute(_MOVABLE, [uid, _FINAL, version.pk]).fetchone() if version else None
    return Running(by_generation, movable[0] if movable else 0)


def replan(uid: UUID, version: PolicyVersion, *, most: int) -> int:
    """Pin at most so many of them to `version`; how many were. What another writer holds is left for the next pass."""
    found = dict(records.execute(_OLDEST, [uid, _FINAL, version.pk, most]).fetchall())
    locked = lock_orders(found.values(), skip_locked=True)
    mine = [refund_id for refund_id, order_id in found.items() if order_id in locked]
    # Decided again under the locks: money may have been claimed since.
    still = [row[0] for row in records.execute(_STILL, [uid, _FINAL, version.pk, mine]).fetchall()]
    if not still:
        return 0
    docket = Docket(locked, now=clock.now())
    docket.open_cases(still)
    for refund_id in still:
        refund = docket.refunds[refund_id]
        before = refund.policy_version_id
        refund.policy_version_id = version.pk
        refund.generation += 1
        docket.decide_anew(refund)
        docket.record(refund, "refund.policy_changed", {"from": before, "to": version.pk}, SYSTEM)
        docket.set_clock(refund, docket.now)
    docket.concerned.update(still)
    wake_notifications(docket.write())
    return len(still)
