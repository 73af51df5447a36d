"""The one lock: the order row guards its lines, shipments, payment shares, refunds, and all their effects.

Every writer locks here and nowhere else, in ascending id, in one statement; that is why no two writers deadlock.
Facts are read by later statements (READ COMMITTED), never by the locking one. A payment's total, shared by
several orders, is touched after the orders, by ascending id. `FOR NO KEY UPDATE`, because `FOR UPDATE` would
block the inserts of child rows.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import OperationalError

from refunds.records import execute

LOCK_NOT_AVAILABLE = "55P03"
#: So long a request of the web waits for another writer before it answers 503.
WEB_WAIT_MS = 3000

_LOCK = "ORDER BY o.id FOR NO KEY UPDATE OF o"
_BY_ID = f"SELECT o.id FROM orders_order o WHERE o.id = ANY(%b::bigint[]) {_LOCK}"
#: How long it waits is set by the statement that waits.
_PATIENCE = "WITH patience AS MATERIALIZED (SELECT set_config('lock_timeout', %s, true) AS waits)"
_BY_ID_PATIENTLY = f"""
{_PATIENCE} SELECT o.id FROM patience, orders_order o WHERE waits <> '' AND o.id = ANY(%b::bigint[]) {_LOCK}
"""
_BY_NUMBER = f"""
{_PATIENCE} SELECT o.id, o.channel_id, o.number
FROM patience, unnest(%b::bigint[], %b::text[]) AS x(channel_id, number), orders_order o
WHERE waits <> '' AND o.channel_id = x.channel_id AND o.number = x.number {_LOCK}
"""
_ONE = f"""
{_PATIENCE} SELECT o.id, o.channel_id, o.number FROM patience, orders_order o
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
    if wait_ms is not None:
        rows = _locked(_BY_ID_PATIENTLY, [f"{wait_ms}ms", ids], ids)
    else:
        rows = _locked(f"{_BY_ID} SKIP LOCKED" if skip_locked else _BY_ID, [ids], ids)
    return {row[0] for row in rows}


def lock_orders_numbered(names: Collection[tuple[int, str]], *, wait_ms: int) -> dict[tuple[int, str], int]:
    """The same for the orders of these (channel id, number), found in the statement that locks them; their ids."""
    wanted = sorted(set(names))
    channels, numbers = [channel for channel, _ in wanted], [number for _, number in wanted]
    if len(wanted) == 1:
        rows = _locked(_ONE, [f"{wait_ms}ms", *channels, *numbers], numbers)
    else:
        rows = _locked(_BY_NUMBER, [f"{wait_ms}ms", channels, numbers], numbers)
    return {(channel, number): order_id for order_id, channel, number in rows}


def _locked(sql: str, params: Sequence[Any], orders: Sequence[Any]) -> list[Any]:
    try:
        return execute(sql, params).fetchall()
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            raise LockNotHad(f"orders {orders} are held by another writer") from error
        raise
