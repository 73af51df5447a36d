"""The one lock: the order row guards its lines, shipments, payment shares, refunds, and all their effects.

Every writer locks here and nowhere else, in ascending id, in one statement; that is why no two writers deadlock.
Facts are read by later statements (READ COMMITTED), never by the locking one. A payment's total, shared by
several orders, is touched after the orders, by ascending id. `FOR NO KEY UPDATE`, because `FOR UPDATE` would
block the inserts of child rows.
"""

from collections.abc import Collection

from django.db import OperationalError, connection

LOCK_NOT_AVAILABLE = "55P03"
#: So long a request of the web waits for another writer before it answers 503.
WEB_WAIT_MS = 3000


class LockNotHad(Exception):
    """Another transaction holds the order and did not let go in time: HTTP 503, or look again later."""


def lock_orders(order_ids: Collection[int], *, wait_ms: int | None = None, skip_locked: bool = False) -> set[int]:
    """Lock these orders in the running transaction; the ids that exist and are now locked.

    `skip_locked` leaves out what others hold; otherwise waits at most `wait_ms` (None: the session's setting)
    and raises LockNotHad, after which the transaction can only be rolled back.
    """
    with connection.cursor() as cursor:
        if wait_ms is not None:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{wait_ms}ms"])
        tail = " SKIP LOCKED" if skip_locked else ""
        try:
            cursor.execute(
                f"SELECT id FROM orders_order WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE{tail}",
                [sorted(set(order_ids))],
            )
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
                raise LockNotHad(f"orders {sorted(set(order_ids))} are held by another writer") from error
            raise
        return {row[0] for row in cursor.fetchall()}
