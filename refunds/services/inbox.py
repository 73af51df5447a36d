"""Storing what gateways tell us: once by event id, without any lock, before anything is done about it."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from django.db import DataError, connection, transaction

from orders.errors import Invalid
from refunds.services.dispute_reports import is_dispute, note_disputes
from refunds.services.orphan_reports import note_refunds
from refunds.services.wakes import wake_refunds
from workers.ports import MOST_MINOR, GatewayEvent

#: Events of one delivery are stored, and so applied, in the order in which they are told.
#: A movement is found by its number, and only among those that went to the account that signed.
_STORE = """
WITH given AS (
    SELECT DISTINCT ON (event_id) event_id, kind, number, payload, turn
    FROM ROWS FROM (
        jsonb_to_recordset(%(events)s::jsonb) AS (event_id text, kind text, number text, payload jsonb)
    ) WITH ORDINALITY AS e(event_id, kind, number, payload, turn)
    ORDER BY event_id, turn
), known AS (
    SELECT given.event_id, movement.refund_id
    FROM given
    JOIN refunds_gatewayrefund movement ON movement.number = given.number
    JOIN orders_paymentshare share ON share.id = movement.share_id
    JOIN orders_payment payment ON payment.id = share.payment_id
        AND coalesce(nullif(movement.target, ''), payment.account) = %(account)s
), stored AS (
    INSERT INTO refunds_inboundwebhook (account, event_id, kind, payload, refund_id, received_at)
    SELECT %(account)s, event_id, kind, payload, known.refund_id, refundry_now()
    FROM given LEFT JOIN known USING (event_id)
    ORDER BY turn
    ON CONFLICT (account, event_id) DO NOTHING
    RETURNING event_id, refund_id
)
SELECT event_id, refund_id FROM stored
UNION
SELECT event_id, webhook.refund_id FROM refunds_inboundwebhook webhook JOIN given USING (event_id)
WHERE webhook.account = %(account)s AND webhook.applied_at IS NULL AND webhook.refund_id IS NOT NULL
"""


#: What the rows a fact is applied to can hold. A fact that they cannot hold would stop its refund for ever.
_LONGEST = {
    "event_id": 200,
    "kind": 40,
    "payment_reference": 200,
    "gateway_refund_id": 200,
    "currency": 3,
}
_LONGEST_FAILURE_CODE = 60


def store_events(account: str, events: Sequence[GatewayEvent]) -> None:
    """Store the events nobody stored yet and wake their refunds, also those of copies that nobody applied yet. Refunds
    that nobody here knows are noted as orphans; a dispute is about its payment, whatever it says beside that.

    One statement, whatever their number, and one for those. Raises Invalid for what the database cannot hold.
    """
    if not events:
        return
    for event in events:
        _check(event)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_STORE, {"account": account, "events": json.dumps([_row(event) for event in events])})
            found = dict(cursor.fetchall())
            wake_refunds({refund_id for refund_id in found.values() if refund_id})
            unknown = [e for e in events if e.kind == "refund.updated" and found.get(e.event_id, 0) is None]
            note_refunds(account, unknown)
            note_disputes(account, [event for event in events if is_dispute(event)])
    except DataError as error:
        raise Invalid("webhook_unstorable", "An event holds a character that no text has.") from error


def _check(event: GatewayEvent) -> None:
    too_long = [name for name, longest in _LONGEST.items() if len(getattr(event, name)) > longest]
    if too_long or not 0 <= event.amount_minor <= MOST_MINOR:
        raise Invalid("webhook_unstorable", f"Too long or too large: {', '.join(too_long) or 'amount_minor'}.")


def _row(event: GatewayEvent) -> dict[str, object]:
    payload = asdict(event) | {
        "occurred_at": event.occurred_at.isoformat() if event.occurred_at else None,
        "failure_code": event.failure_code[:_LONGEST_FAILURE_CODE],
        "receipt": event.receipt.to_json(),
    }
    number = "" if is_dispute(event) else event.number
    return {"event_id": event.event_id, "kind": event.kind, "number": number, "payload": payload}
