"""When refunds were refunded and told, by the commits that made it true (`track_commit_timestamp`), and when all are.

A time that a row states was taken before its commit, by one contender earlier than by the other; the commit's own time
is the first moment at which anybody could see it. The machine has one clock.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from benchmarks.proof import NotTrue
from workers.local.children import Child, Children

LIMIT_SECONDS = 120.0
POLL_SECONDS = 0.1

_MOMENTS = """
SELECT r.id, o.number,
    extract(epoch FROM (SELECT pg_xact_commit_timestamp(e.xmin) FROM refunds_refundevent e
        WHERE e.refund_id = r.id AND e.kind = 'refund.refunded'))::float,
    extract(epoch FROM (SELECT max(pg_xact_commit_timestamp(n.xmin)) FROM refunds_notification n
        WHERE n.refund_id = r.id))::float,
    extract(epoch FROM (SELECT min(m.first_sent_at) FROM refunds_gatewayrefund m WHERE m.refund_id = r.id))::float
FROM orders_order o JOIN refunds_refund r ON r.order_id = o.id WHERE
"""
# A seed of the drain sleeps far beyond it.
_OPEN = """
SELECT EXISTS (SELECT FROM refunds_refund WHERE next_reconcile_at < now() + interval '1 day')
OR EXISTS (SELECT FROM refunds_notification WHERE next_reconcile_at < now() + interval '1 day')
"""


@dataclass(frozen=True)
class Moments:
    """In seconds since the epoch."""

    refund_id: int
    order: str
    refunded: float
    told: float
    claimed: float


def moments(orders: Sequence[str]) -> dict[str, Moments]:
    """By order; of refunds that have ended, one for each order."""
    return {one.order: one for one in _moments("o.number = ANY(%s)", orders)}


def moments_of(refund_ids: Sequence[int]) -> list[Moments]:
    """The same of these refunds."""
    return _moments("r.id = ANY(%s)", refund_ids)


def _moments(which: str, wanted: Sequence[str] | Sequence[int]) -> list[Moments]:
    with connection.cursor() as cursor:
        cursor.execute(_MOMENTS + which, [list(wanted)])
        found = [Moments(*row) for row in cursor.fetchall()]
    if len(found) != len(wanted):
        raise NotTrue(f"{len(found)} refunds of {len(wanted)} wanted")
    return found


def wait_until_done(children: Children, child: Child) -> None:
    """Until every refund is refunded and its customer told, by the child among others; any child's end is a failure."""
    children.wait_until(child, _is_done, seconds=LIMIT_SECONDS)


def _is_done() -> bool:
    time.sleep(POLL_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(_OPEN)
        return not cursor.fetchone()[0]
