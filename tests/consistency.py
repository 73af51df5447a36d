"""Every book against every other: what holds at any committed moment, whatever happened before.

Plain SQL over any connection, so that the database of a stack of processes is checked like a test's own.
"""

import json
from collections.abc import Iterator
from itertools import groupby

import psycopg

from refunds.chain import Event, anchor, link
from refunds.selectors.ledger_check import COLUMNS, sum_of
from refunds.states import FINAL_STATES, PAID_STATES, RELEASED_STATES
from tests.planned import planned

STATES = {
    "ended": sorted(map(str, FINAL_STATES)),
    "paid": sorted(map(str, PAID_STATES)),
    "released": sorted(map(str, RELEASED_STATES)),
}

#: What must not be found: a sentence, and the query that finds it as a name per row.
BOOKS = {
    "a payment share differs from the sum of its ledger": """
        SELECT payment.reference FROM orders_paymentshare share
        JOIN orders_payment payment ON payment.id = share.payment_id
        LEFT JOIN refunds_ledgerentry entry ON entry.share_id = share.id
        GROUP BY share.id, payment.reference
        HAVING ({columns}) IS DISTINCT FROM ({sums})
    """,
    "a share's reserved or refunded money is not that of its movements": """
        SELECT payment.reference FROM orders_paymentshare share
        JOIN orders_payment payment ON payment.id = share.payment_id
        LEFT JOIN refunds_gatewayrefund movement ON movement.share_id = share.id
        GROUP BY share.id, payment.reference
        HAVING reserved_minor <> coalesce(sum(movement.amount_minor - movement.disputed_minor)
                FILTER (WHERE movement.state IN ('intended', 'pending', 'reversed') AND replaced_by = ''), 0) + (
                SELECT coalesce(sum(CASE kind WHEN 'reserve' THEN amount_minor ELSE -amount_minor END), 0)
                FROM refunds_ledgerentry entry WHERE entry.share_id = share.id
                    AND entry.gateway_refund_id IS NULL AND kind IN ('reserve', 'release'))
            OR refunded_minor <> coalesce(sum(movement.amount_minor)
                FILTER (WHERE movement.state IN ('succeeded', 'external') AND kind IN ('refund', 'exchange')), 0) + (
                SELECT coalesce(sum(CASE kind WHEN 'reversal' THEN -amount_minor ELSE amount_minor END), 0)
                FROM refunds_ledgerentry entry WHERE entry.share_id = share.id
                    AND entry.gateway_refund_id IS NULL AND kind IN ('refund', 'external', 'reversal', 'dispute_lost'))
    """,
    "what an order carried over is not what the refund that it replaces gave": """
        SELECT replacing.number FROM orders_order replacing
        LEFT JOIN refunds_refund refund ON refund.number = replacing.replaces
        WHERE replacing.replaces <> '' AND (refund.replaced_by IS DISTINCT FROM replacing.number
            OR (SELECT coalesce(sum(carried_minor), 0) FROM orders_paymentshare share
                WHERE share.order_id = replacing.id)
            <> (SELECT coalesce(sum(amount_minor), 0) FROM refunds_gatewayrefund movement
                WHERE movement.refund_id = refund.id AND movement.kind = 'exchange'))
    """,
    "a balance of store credit is not the sum of its entries": """
        SELECT account.holder FROM refunds_storecreditaccount account
        LEFT JOIN refunds_storecreditentry entry ON entry.account_id = account.id
        GROUP BY account.id HAVING balance_minor <> coalesce(sum(amount_minor), 0)
    """,
    "money that moved as store credit is not in its ledger": """
        SELECT movement.number FROM refunds_gatewayrefund movement
        LEFT JOIN refunds_storecreditentry entry USING (number)
        WHERE movement.target = 'store-credit' AND movement.state = 'succeeded'
            AND entry.amount_minor IS DISTINCT FROM movement.amount_minor
    """,
    "a line's counters are not those of its refunds": """
        SELECT line.order_id || '/' || line.line_id FROM orders_orderline line
        LEFT JOIN refunds_refundline units ON units.order_line_id = line.id
        LEFT JOIN refunds_refund refund ON refund.id = units.refund_id
        GROUP BY line.id
        HAVING held <> coalesce(sum(units.quantity) FILTER (WHERE NOT refund.state = ANY(%(ended)s)), 0)
            OR refunded - before_units <> coalesce(
                sum(units.quantity) FILTER (WHERE refund.state = ANY(%(paid)s)), 0)
            OR line.refunded_minor + adjusted_minor - before_minor <> coalesce(
                sum(units.amount_minor) FILTER (WHERE NOT refund.state = ANY(%(released)s)), 0)
            OR line.refunded_tax_minor + adjusted_tax_minor - before_tax_minor <> coalesce(
                sum(units.tax_minor) FILTER (WHERE NOT refund.state = ANY(%(released)s)), 0)
    """,
    "a line has shipped other units than its parcels hold": """
        SELECT line.order_id || '/' || line.line_id FROM orders_orderline line
        LEFT JOIN orders_shipmentline parcel ON parcel.order_line_id = line.id
        GROUP BY line.id HAVING shipped <> coalesce(sum(parcel.quantity), 0)
    """,
    "an order's refund state does not tell of its refunds": """
        SELECT "order".number FROM orders_order "order"
        WHERE (refund_state = 'refund_requested') <> EXISTS (
                SELECT FROM refunds_refund WHERE order_id = "order".id AND NOT state = ANY(%(ended)s))
            OR (refund_state = 'none') <> (NOT EXISTS (
                SELECT FROM refunds_refund WHERE order_id = "order".id AND NOT state = ANY(%(released)s))
            AND NOT EXISTS (SELECT FROM orders_orderline WHERE order_id = "order".id AND before_minor > 0))
    """,
    "a reversed refund is paid again by none, or by another amount": """
        SELECT movement.number FROM refunds_gatewayrefund movement
        LEFT JOIN refunds_gatewayrefund again ON again.number = movement.replaced_by
            AND (again.refund_id, again.share_id, again.amount_minor)
                = (movement.refund_id, movement.share_id, movement.amount_minor)
        WHERE movement.replaced_by <> '' AND again.id IS NULL
    """,
    "money was paid under a refund that ended without": """
        SELECT movement.number FROM refunds_gatewayrefund movement
        JOIN refunds_refund refund ON refund.id = movement.refund_id
        WHERE movement.state IN ('succeeded', 'pending') AND refund.state = ANY(%(released)s)
    """,
    "a refund has ended, and it is still somebody's case that its money failed": """
        SELECT refund.number || ' ' || kind FROM refunds_refund refund
        JOIN refunds_incident incident ON incident.refund_id = refund.id AND closed_at IS NULL
        WHERE refund.state = ANY(%(ended)s) AND kind IN ('refund_failed', 'refund_reversed')
    """,
    "a refund is refunded while not all of its money is": """
        SELECT refund.number FROM refunds_refund refund
        LEFT JOIN refunds_gatewayrefund movement ON movement.refund_id = refund.id AND movement.replaced_by = ''
        WHERE refund.state = 'refunded' GROUP BY refund.id
        HAVING bool_or(movement.state NOT IN ('succeeded', 'external', 'cancelled') OR movement.call <> 'idle')
            OR refund.amount_minor > coalesce(
                sum(movement.amount_minor) FILTER (WHERE movement.state IN ('succeeded', 'external')), 0)
    """,
}
_SUMS = {"columns": ", ".join(f"share.{column}" for column in COLUMNS), "sums": ", ".join(map(sum_of, COLUMNS))}
#: One statement that the server plans once per connection: after many a test that is most of its work.
_ALL_BOOKS = " UNION ALL ".join(
    f"SELECT {number}, found.name::text FROM ({query.format(**_SUMS)}) found (name)"
    for number, query in enumerate(BOOKS.values())
)
_EVENTS = """
    SELECT refund.number, refund.event_seq, refund.event_head,
        event.seq, event.kind, event.data::text, event.actor, event.role, event.occurred_at
    FROM refunds_refund refund LEFT JOIN refunds_refundevent event ON event.refund_id = refund.id
    ORDER BY refund.id, event.seq
"""


def violations(connection: psycopg.Connection) -> list[str]:
    """What does not agree, as sentences; empty when every book is right."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute("SET LOCAL TIME ZONE 'UTC'")
        return disagreements(connection)


def disagreements(connection: psycopg.Connection) -> list[str]:
    """The same within the caller's transaction, in UTC, of what he has not committed yet."""
    return [*_wrong_books(connection), *_broken_chains(connection)]


def _wrong_books(connection: psycopg.Connection) -> Iterator[str]:
    sentences = list(BOOKS)
    for number, name in planned(connection, "books", _ALL_BOOKS, STATES):
        yield f"{name}: {sentences[number]}"


def _broken_chains(connection: psycopg.Connection) -> Iterator[str]:
    for (number, last, stored_head), rows in groupby(connection.execute(_EVENTS), key=lambda row: row[:3]):
        head, count = b"", 0
        for row in rows:
            seq, kind, data, *rest = row[3:]
            head, count = link(head or anchor(number), Event(seq, kind, json.loads(data), *rest)), count + 1
            if seq != count:
                yield f"{number}: event {count} is missing"
        if (count, head) != (last, stored_head):
            yield f"{number}: its events do not end where the refund says"
