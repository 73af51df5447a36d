"""The one lock: the order row guards its lines, shipments, payment shares, refunds, and all their effects.

Every writer locks here and nowhere else, in ascending id, in one statement; that is why no two writers deadlock.
Facts are read by later statements (READ COMMITTED), never by the locking one. A payment's total, shared by
several orders, is touched after the orders, by ascending id. `FOR NO KEY UPDATE`, because `FOR UPDATE` would
block the inserts of child rows.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import OperationalError

from orders.clock import now
from refunds.records import execute, execute_about

LOCK_NOT_AVAILABLE = "55P03"
#: So long a request of the web waits for another writer before it answers 503.
WEB_WAIT_MS = 3000

_LOCK = "ORDER BY o.id FOR NO KEY UPDATE OF o"
_BY_ID = f"SELECT o.id FROM orders_order o WHERE o.id = ANY(%b::bigint[]) {_LOCK}"
#: How long it waits is set by the statement that waits.
PATIENCE = "WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', %s, true) AS waits)"
_BY_ID_PATIENTLY = f"""
{PATIENCE} SELECT o.id FROM patience, orders_order o WHERE waits <> '' AND o.id = ANY(%b::bigint[]) {_LOCK}
"""
_BY_NUMBER = f"""
{PATIENCE} SELECT o.id, o.channel_id, o.number
FROM patience, unnest(%b::bigint[], %b::text[]) AS x(channel_id, number), orders_order o
WHERE waits <> '' AND o.channel_id = x.channel_id AND o.number = x.number {_LOCK}
"""
#: The clock is read once the lock is had: a later time than of all that was committed before.
_OF_REFUNDS = f"""
WITH locked AS MATERIALIZED (
    SELECT r.id, r.order_id FROM refunds_refund r JOIN orders_order o ON o.id = r.order_id
    WHERE r.id = ANY(%b::bigint[]) {_LOCK} SKIP LOCKED
) SELECT id, order_id, refundry_now() FROM locked
"""
_OF_REFUNDS_PATIENTLY = f"""
{PATIENCE}, locked AS MATERIALIZED (
    SELECT r.id, r.order_id FROM patience, refunds_refund r JOIN orders_order o ON o.id = r.order_id
    WHERE waits <> '' AND r.id = ANY(%b::bigint[]) {_LOCK}
) SELECT id, order_id, refundry_now() FROM locked
"""
_ONE = f"""
{PATIENCE} SELECT o.id, o.channel_id, o.number FROM patience, orders_order o
WHERE waits <> '' AND o.channel_id = %s::bigint AND o.number = %s::text FOR NO KEY UPDATE OF o
"""


class LockNotHad(Exception):
    """Another transaction holds the order and did not let go in time: HTTP 503, or look again later."""


def lock_orders(order_ids: Collection[int], *, wait_ms: int | None = None, skip_locked: bool = False) -> set[int]:
    """Lock these orders in the running transaction; the ids that exist and are now locked.

    `skip_locked` leaves out what others hold; otherwise waits at most `wait_ms` (None: the session's setting)
    and raises LockNotHad, after which the transaction can only be rolled back.
    """
    ids = sorted(set(order_ids))
    with lock_had(f"orders {ids} are held by another writer"):
        if wait_ms is not None:
            rows = execute_about(_BY_ID_PATIENTLY, ids, [f"{wait_ms}ms"]).fetchall()
        else:
            rows = execute_about(f"{_BY_ID} SKIP LOCKED" if skip_locked else _BY_ID, ids).fetchall()
    return {row[0] for row in rows}


def lock_orders_of(refund_ids: Collection[int], *, wait_ms: int | None) -> tuple[dict[int, int], datetime]:
    """Lock the orders of these refunds: the order of each refund whose order is locked now, and the business time since
    when it is. `wait_ms` None leaves out what others hold; else LockNotHad, as by `lock_orders`."""
    ids = sorted(set(refund_ids))
    with lock_had(f"the orders of refunds {ids} are held by another writer"):
        if wait_ms is not None:
            rows = execute_about(_OF_REFUNDS_PATIENTLY, ids, [f"{wait_ms}ms"]).fetchall()
        else:
            rows = execute_about(_OF_REFUNDS, ids).fetchall()
    at = max(row[2] for row in rows) if rows else now()
    return {refund_id: order_id for refund_id, order_id, _ in rows}, at


def lock_orders_numbered(names: Collection[tuple[int, str]], *, wait_ms: int) -> dict[tuple[int, str], int]:
    """The same for the orders of these (channel id, number), found in the statement that locks them; their ids."""
    wanted = sorted(set(names))
    channels, numbers = [channel for channel, _ in wanted], [number for _, number in wanted]
    with lock_had(f"orders {numbers} are held by another writer"):
        if len(wanted) == 1:
            rows = execute(_ONE, [f"{wait_ms}ms", *channels, *numbers]).fetchall()
        else:
            rows = execute(_BY_NUMBER, [f"{wait_ms}ms", channels, numbers]).fetchall()
    return {(channel, number): order_id for order_id, channel, number in rows}


@contextmanager
def lock_had(otherwise: str) -> Iterator[None]:
    """Around a statement that locks: LockNotHad, saying `otherwise`, where another transaction did not let go in
    time."""
    try:
        yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            raise LockNotHad(otherwise) from error
        raise
