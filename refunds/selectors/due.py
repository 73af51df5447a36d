"""What the sweep finds: refunds whose clock has run out, and refunds that stored webhooks speak of."""

from datetime import datetime

from django.db import connection

Cursor = tuple[datetime, int]

# The clock is read once, by a SELECT of its own: called in the condition it would be asked for each row that sleeps.
_DUE = """
SELECT next_reconcile_at, id FROM {table}
WHERE next_reconcile_at <= (SELECT refundry_now()) AND (%s::timestamptz IS NULL OR (next_reconcile_at, id) > (%s, %s))
ORDER BY next_reconcile_at, id LIMIT %s
"""


def due_page(table: str, after: Cursor | None, limit: int) -> tuple[list[int], Cursor | None]:
    """The next page of due ids in the order of their clocks, and where it ended; None: the end, begin anew."""
    at, row_id = after or (None, None)
    with connection.cursor() as cursor:
        cursor.execute(_DUE.format(table=table), [at, at, row_id, limit])
        rows = cursor.fetchall()
    return [row[1] for row in rows], rows[-1] if len(rows) == limit else None


def refunds_with_unapplied_webhooks(limit: int) -> list[int]:
    """Ids of refunds that a stored webhook speaks of which no reconcile has taken into account."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT refund_id FROM refunds_inboundwebhook"
            " WHERE applied_at IS NULL AND refund_id IS NOT NULL LIMIT %s",
            [limit],
        )
        return [row[0] for row in cursor.fetchall()]
