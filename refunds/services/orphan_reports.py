"""Noting what others say that a gateway or a courier has and we may not know: once for each, however often it is said.

What a refund of ours holds, in the state that is told, is no news; nor is what its own open call will answer.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

from refunds.models.orphan import OrphanKind
from refunds.services.wakes import wake_orphans
from workers.ports import GatewayEvent, GatewayFact, GatewayStatus, ParcelFact, can_be_kept

#: Rows are taken in the order of their references, so that two who note the same ones never wait for each other.
_NOTE = """
WITH given AS (
    SELECT DISTINCT ON (reference) *
    FROM jsonb_to_recordset(%(rows)s::jsonb) AS told(reference text, number text, payment_reference text, status text,
        amount_minor bigint, currency text)
    ORDER BY reference, array_position(%(ranks)s, status) DESC
), news AS (
    SELECT given.* FROM given WHERE NOT EXISTS (
        SELECT FROM refunds_gatewayrefund movement
        JOIN orders_paymentshare share ON share.id = movement.share_id
        JOIN orders_payment payment ON payment.id = share.payment_id
            AND coalesce(nullif(movement.target, ''), payment.account) = %(account)s
        WHERE movement.number = given.number AND (movement.call <> 'idle'
            OR (movement.gateway_refund_id = given.reference AND movement.state = given.status))
    )
)
INSERT INTO refunds_orphan AS orphan (kind, account, reference, number, payment_reference, status, amount_minor,
    currency, state, next_reconcile_at, failures, last_error, reported_at)
SELECT %(kind)s, %(account)s, reference, number, payment_reference, status, amount_minor, currency, 'open',
    refundry_now(), 0, '', refundry_now()
FROM news ORDER BY reference
ON CONFLICT (account, reference) DO UPDATE SET next_reconcile_at = refundry_now(),
    status = CASE WHEN orphan.status = 'succeeded' AND EXCLUDED.status = 'failed' THEN 'reversed'
        ELSE EXCLUDED.status END
WHERE array_position(%(ranks)s, EXCLUDED.status) > array_position(%(ranks)s, orphan.status)
    OR (orphan.status = 'succeeded' AND EXCLUDED.status = 'failed')
RETURNING id
"""
#: Of a refund nothing goes down; of a pickup the first word is enough.
_RANKS = [status.value for status in GatewayStatus]


def note_refunds(account: str, told: Iterable[GatewayFact | GatewayEvent]) -> None:
    """Facts from the gateway's list, or from webhooks that speak of no refund we know."""
    _note(account, OrphanKind.REFUND, [_refund_row(fact) for fact in told])


def note_pickups(account: str, told: Iterable[ParcelFact]) -> None:
    """Facts about parcels under numbers of ours that no refund has."""
    _note(account, OrphanKind.PICKUP, [_pickup_row(fact) for fact in told])


def _note(account: str, kind: OrphanKind, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    with connection.cursor() as cursor:
        given: dict[str, Any] = {"account": account, "kind": kind.value, "rows": json.dumps(rows), "ranks": _RANKS}
        cursor.execute(_NOTE, given)
        wake_orphans([row[0] for row in cursor.fetchall()])


def _refund_row(fact: GatewayFact | GatewayEvent) -> dict[str, Any]:
    reference = fact.payment_reference
    return {
        "reference": fact.gateway_refund_id,
        "number": fact.number,
        "payment_reference": reference if can_be_kept(reference) else "",
        "status": fact.status,
        "amount_minor": fact.amount_minor,
        "currency": fact.currency,
    }


def _pickup_row(fact: ParcelFact) -> dict[str, Any]:
    told = {"reference": fact.waybill, "number": fact.number, "status": fact.status}
    return told | {"payment_reference": "", "amount_minor": 0, "currency": ""}
