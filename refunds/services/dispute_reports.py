"""Noting what a gateway tells of disputes: once for each, by its id. The last word counts, whatever comes after it."""

import json
from collections.abc import Sequence

from django.db import connection

from refunds.models.orphan import OrphanKind
from refunds.services.wakes import wake_orphans
from workers.ports import GatewayEvent, can_be_kept

PREFIX = "dispute."
#: Rows are taken in the order of their references, so that two who note the same ones never wait for each other.
_NOTE = """
INSERT INTO refunds_orphan AS orphan (kind, account, reference, number, payment_reference, status, amount_minor,
    currency, state, next_reconcile_at, failures, last_error, reported_at)
SELECT DISTINCT ON (reference) %(kind)s, %(account)s, reference, '', payment_reference, status, amount_minor, currency,
    'open', refundry_now(), 0, '', refundry_now()
FROM jsonb_to_recordset(%(rows)s::jsonb) AS told(reference text, payment_reference text, status text,
    amount_minor bigint, currency text)
ORDER BY reference, status = 'opened'
ON CONFLICT (account, reference) DO UPDATE SET next_reconcile_at = refundry_now(), status = EXCLUDED.status
WHERE orphan.kind = EXCLUDED.kind AND orphan.status = 'opened' AND EXCLUDED.status <> 'opened'
RETURNING id
"""


def is_dispute(event: GatewayEvent) -> bool:
    return event.kind.startswith(PREFIX)


def note_disputes(account: str, told: Sequence[GatewayEvent]) -> None:
    """In the running transaction; whoever looks after orphans is woken by its commit."""
    if not told:
        return
    with connection.cursor() as cursor:
        rows = json.dumps([_row(event) for event in told])
        cursor.execute(_NOTE, {"account": account, "kind": OrphanKind.DISPUTE.value, "rows": rows})
        wake_orphans([row[0] for row in cursor.fetchall()])


def _row(event: GatewayEvent) -> dict[str, object]:
    reference = event.payment_reference
    return {
        "reference": event.gateway_refund_id,
        "payment_reference": reference if can_be_kept(reference) else "",
        "status": event.kind.removeprefix(PREFIX),
        "amount_minor": event.amount_minor,
        "currency": event.currency,
    }
