"""What is under way, counted for whoever watches the installation: five statements, each over an index.

They look at what still has a clock, and at open incidents: however many refunds have ended, the cost stays.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refunds.records import execute
from refunds.states import FINAL_STATES, RefundState

_OPEN = """
SELECT state, policy.name || '/' || policy.generation, count(*)
FROM refunds_refund AS refund JOIN refunds_policyversion AS policy ON policy.id = refund.policy_version_id
WHERE next_reconcile_at IS NOT NULL GROUP BY 1, 2
"""
# Each look is by the refund's own index (OFFSET 0 keeps it so): an index on `call` would make every claim and answer
# dearer. An intercept's outcome is its shipment's; the refund's order leads there.
_UNKNOWN = """
WITH alive AS MATERIALIZED (SELECT id, order_id FROM refunds_refund WHERE next_reconcile_at IS NOT NULL),
unknown AS (
    SELECT 'gateway' AS leg, sent_at FROM alive CROSS JOIN LATERAL
        (SELECT sent_at FROM refunds_gatewayrefund WHERE refund_id = alive.id AND call = 'unknown' OFFSET 0) AS effect
    UNION ALL
    SELECT 'courier', sent_at FROM alive CROSS JOIN LATERAL
        (SELECT sent_at FROM refunds_pickup WHERE refund_id = alive.id AND call = 'unknown' OFFSET 0) AS effect
    UNION ALL
    SELECT 'courier', sent_at FROM (SELECT DISTINCT order_id FROM alive) AS touched CROSS JOIN LATERAL
        (SELECT sent_at FROM orders_shipment WHERE order_id = touched.order_id AND call = 'unknown' OFFSET 0) AS effect
    UNION ALL
    SELECT 'message', sent_at FROM refunds_notification WHERE next_reconcile_at IS NOT NULL AND call = 'unknown'
)
SELECT leg, count(*), extract(epoch FROM refundry_now() - min(sent_at))::float FROM unknown GROUP BY leg
"""
_INCIDENTS = "SELECT kind, count(*) FROM refunds_incident WHERE closed_at IS NULL GROUP BY kind"
_OVERDUE = """
SELECT queue, coalesce(extract(epoch FROM refundry_now() - due), 0)::float FROM (VALUES
    ('refunds', (SELECT min(next_reconcile_at) FROM refunds_refund)),
    ('notifications', (SELECT min(next_reconcile_at) FROM refunds_notification)),
    ('orphans', (SELECT min(next_reconcile_at) FROM refunds_orphan)),
    ('webhooks', (SELECT min(next_reconcile_at) FROM refunds_webhookdelivery))
) AS clocks(queue, due)
"""
_HOOKS = """
SELECT (SELECT count(*) FROM refunds_webhookdelivery WHERE state = 'pending'),
    (SELECT count(*) FROM refunds_webhookdelivery WHERE state = 'dead'),
    (SELECT count(*) FROM refunds_webhookendpoint WHERE disabled_at IS NOT NULL AND removed_at IS NULL)
"""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Effects whose outcome nobody knows, and the age of the oldest in seconds."""

    count: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class Gauges:
    """Refunds that are not final by state and by policy version; unknown effects by leg; open incidents by kind;
    `overdue` by queue: seconds since the oldest row should have been looked at; `hooks`: webhooks to shops that wait,
    dead letters, and addresses that want nothing more."""

    states: Mapping[str, int]
    versions: Mapping[str, int]
    unknown: Mapping[str, Unknown]
    incidents: Mapping[str, int]
    overdue: Mapping[str, float]
    hooks: tuple[int, int, int]


def gauges() -> Gauges:
    states, versions = _open()
    unknown = {leg: Unknown(count, max(0.0, oldest or 0.0)) for leg, count, oldest in _rows(_UNKNOWN)}
    return Gauges(states, versions, unknown, dict(_rows(_INCIDENTS)), _overdue(), _hooks())


def _open() -> tuple[Mapping[str, int], Mapping[str, int]]:
    states: Counter[str] = Counter({state.value: 0 for state in RefundState if state not in FINAL_STATES})
    versions: Counter[str] = Counter()
    for state, version, count in _rows(_OPEN):
        if state in states:
            states[state] += count
            versions[version] += count
    return states, versions


def _overdue() -> Mapping[str, float]:
    return {queue: max(0.0, seconds) for queue, seconds in _rows(_OVERDUE)}


def _hooks() -> tuple[int, int, int]:
    ((pending, dead, disabled),) = _rows(_HOOKS)
    return pending, dead, disabled


def _rows(statement: str) -> list[tuple[Any, ...]]:
    return execute(statement, []).fetchall()
