"""The floor: what PostgreSQL alone reaches when somebody writes the rows by hand, set by set, in hundreds.

`OWN` are the changes that the product makes to the rows of an instant refund: claim, answer with money, units, ledger,
hashed events and messages owed, claim of the messages, their delivery. Nothing is read that is not written, nothing is
decided, nothing rendered, nobody called. `MINIMAL` is a refund of three states with one event each, in tables of its
own without any promise. Statements are prepared, one round trip each, as pgbench would send them, which does not come
with the embedded PostgreSQL.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import repeat

import psycopg
from django.db import connection

BATCH = 100
Transaction = Sequence[str]

_ISO = """to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00'"""
_SYSTEM = """"system","system","%%s"]"""
_LOCK_ORDERS = """
SELECT FROM orders_order WHERE id = ANY(SELECT order_id FROM refunds_refund WHERE id = ANY(%(ids)b::bigint[]))
ORDER BY id FOR NO KEY UPDATE"""
_LOCK_MESSAGES = """
SELECT FROM refunds_notification WHERE refund_id = ANY(%(ids)b::bigint[]) ORDER BY id FOR NO KEY UPDATE"""

_CLAIM = (
    _LOCK_ORDERS,
    """
UPDATE refunds_gatewayrefund SET call = 'sent', call_kind = 'refund', attempt = attempt + 1, sent_at = now(),
    first_sent_at = now(), answer_due_at = now() + interval '10 s'
WHERE refund_id = ANY(%(ids)b::bigint[])""",
    f"""
UPDATE refunds_refund SET state = 'refunding', observed_generation = generation,
    conditions = '[{{"type": "RouteDecided", "reason": "Instant", "status": "True", "message": ""}},
        {{"type": "MoneyMoved", "reason": "Sent", "status": "False", "message": ""}}]',
    resource_version = resource_version + 1, next_reconcile_at = now() + interval '10 s', updated_at = now(),
    event_seq = event_seq + 1, event_head = sha256(event_head || convert_to(
        format('[%%s,"refund.refunding",{{}},{_SYSTEM}', event_seq + 1, {_ISO}), 'UTF8'))
WHERE id = ANY(%(ids)b::bigint[])""",
    """
INSERT INTO refunds_refundevent (refund_id, seq, kind, data, actor, role, occurred_at, hash)
SELECT id, event_seq, 'refund.refunding', '{}', 'system', 'system', now(), event_head
FROM refunds_refund WHERE id = ANY(%(ids)b::bigint[])""",
)

_ANSWER = (
    _LOCK_ORDERS,
    """
UPDATE refunds_gatewayrefund SET call = 'idle', state = 'succeeded', gateway_refund_id = 'gw-' || number,
    settled_at = now()
WHERE refund_id = ANY(%(ids)b::bigint[])""",
    """
UPDATE orders_paymentshare s SET reserved_minor = reserved_minor - m.amount_minor,
    refunded_minor = refunded_minor + m.amount_minor
FROM refunds_gatewayrefund m WHERE m.refund_id = ANY(%(ids)b::bigint[]) AND s.id = m.share_id""",
    """
INSERT INTO refunds_ledgerentry (share_id, gateway_refund_id, kind, amount_minor, reference, occurred_at, recorded_at)
SELECT m.share_id, m.id, e.kind, m.amount_minor, '', now(), now()
FROM refunds_gatewayrefund m, (VALUES ('release'), ('refund')) AS e (kind)
WHERE m.refund_id = ANY(%(ids)b::bigint[])""",
    """
UPDATE orders_orderline l SET held = held - u.quantity, refunded = refunded + u.quantity,
    refunded_unshipped = refunded_unshipped + u.quantity
FROM refunds_refundline u WHERE u.refund_id = ANY(%(ids)b::bigint[]) AND l.id = u.order_line_id""",
    """
UPDATE orders_order o SET state = 'cancelled', refund_state = 'refunded', resource_version = o.resource_version + 1
FROM refunds_refund r WHERE r.id = ANY(%(ids)b::bigint[]) AND o.id = r.order_id""",
    f"""
INSERT INTO refunds_refundevent (refund_id, seq, kind, data, actor, role, occurred_at, hash)
SELECT r.id, r.event_seq + e.n, e.kind, e.data, 'system', 'system', now(), e.hash
FROM refunds_refund r JOIN refunds_gatewayrefund m ON m.refund_id = r.id,
LATERAL (SELECT format('{{"amount_minor":%%s,"attempt":1,"currency":"%%s","failure_code":"","gateway_refund_id":"%%s",'
    || '"number":"%%s"}}', m.amount_minor, m.currency, m.gateway_refund_id, m.number) AS data) told,
LATERAL (SELECT sha256(r.event_head || convert_to(
    format('[%%s,"gateway_refund.succeeded",%%s,{_SYSTEM}', r.event_seq + 1, told.data, {_ISO}), 'UTF8'))
    AS hash) moved,
LATERAL (SELECT sha256(moved.hash || convert_to(
    format('[%%s,"refund.refunded",{{}},{_SYSTEM}', r.event_seq + 2, {_ISO}), 'UTF8')) AS hash) ended,
LATERAL (VALUES (1, 'gateway_refund.succeeded', told.data::jsonb, moved.hash),
    (2, 'refund.refunded', '{{}}'::jsonb, ended.hash)) AS e (n, kind, data, hash)
WHERE r.id = ANY(%(ids)b::bigint[])""",
    """
UPDATE refunds_refund r SET state = 'refunded', resource_version = resource_version + 1, next_reconcile_at = NULL,
    conditions = '[{"type": "MoneyMoved", "reason": "Succeeded", "status": "True", "message": ""},
        {"type": "RouteDecided", "reason": "Instant", "status": "True", "message": ""},
        {"type": "Succeeded", "reason": "Refunded", "status": "True", "message": ""}]',
    acknowledged_at = now(), finished_at = now(), updated_at = now(), event_seq = e.seq, event_head = e.hash
FROM refunds_refundevent e WHERE r.id = ANY(%(ids)b::bigint[]) AND e.refund_id = r.id AND e.kind = 'refund.refunded'""",
    """
INSERT INTO refunds_notification (refund_id, event_seq, channel, template, state, call, call_kind, attempt, failures,
    last_error, provider_id, language, recipient, next_reconcile_at, created_at)
SELECT r.id, r.event_seq, c.channel, 'refunded_at_once', 'pending', 'idle', '', 0, 0, '', '', '', '', now(), now()
FROM refunds_refund r, (VALUES ('email'), ('sms')) AS c (channel) WHERE r.id = ANY(%(ids)b::bigint[])""",
)

_CLAIM_MESSAGES = (
    _LOCK_MESSAGES,
    """
UPDATE refunds_notification n SET call = 'sent', call_kind = n.channel, attempt = n.attempt + 1, sent_at = now(),
    answer_due_at = now() + interval '10 s', next_reconcile_at = now() + interval '10 s', language = 'en',
    recipient = CASE n.channel WHEN 'email' THEN o.customer_email ELSE o.customer_phone END
FROM refunds_refund r JOIN orders_order o ON o.id = r.order_id
WHERE r.id = ANY(%(ids)b::bigint[]) AND n.refund_id = r.id""",
)
_DELIVER = (
    _LOCK_MESSAGES,
    """
UPDATE refunds_notification SET call = 'idle', state = 'sent', provider_id = refund_id || '.' || channel,
    next_reconcile_at = NULL, sent_to_provider_at = now()
WHERE refund_id = ANY(%(ids)b::bigint[])""",
)
OWN: Sequence[Transaction] = (_CLAIM, _ANSWER, _CLAIM_MESSAGES, _DELIVER)

_MINIMAL_TABLES = """
CREATE TABLE IF NOT EXISTS floor_refund (id bigint PRIMARY KEY, state text NOT NULL, amount_minor bigint NOT NULL);
CREATE TABLE IF NOT EXISTS floor_event (id bigserial PRIMARY KEY, refund_id bigint NOT NULL REFERENCES floor_refund,
    state text NOT NULL, at timestamptz NOT NULL)"""


def _step(state: str) -> Transaction:
    return (
        f"UPDATE floor_refund SET state = '{state}' WHERE id = ANY(%(ids)b::bigint[])",
        "INSERT INTO floor_event (refund_id, state, at)"
        f" SELECT id, '{state}', now() FROM unnest(%(ids)b::bigint[]) AS id",
    )


MINIMAL: Sequence[Transaction] = tuple(_step(state) for state in ("refunding", "refunded", "told"))


@dataclass(frozen=True)
class Writers:
    """Clients with a connection each, who take batch after batch."""

    connections: Sequence[psycopg.Connection]

    def write(self, refund_ids: Sequence[int], transactions: Sequence[Transaction]) -> float:
        """Seconds until all is written."""
        batches = [list(refund_ids[i : i + BATCH]) for i in range(0, len(refund_ids), BATCH)]
        with ThreadPoolExecutor(len(self.connections)) as pool:
            shares = [batches[n :: len(self.connections)] for n in range(len(self.connections))]
            begun = time.monotonic()
            list(pool.map(_write, self.connections, shares, repeat(transactions)))
            return time.monotonic() - begun


@contextmanager
def writers(url: str, clients: int) -> Iterator[Writers]:
    with ExitStack() as stack:
        yield Writers([stack.enter_context(psycopg.connect(url)) for _ in range(clients)])


def _write(client: psycopg.Connection, batches: Sequence[Sequence[int]], transactions: Sequence[Transaction]) -> None:
    for ids in batches:
        for statements in transactions:
            with client.transaction():
                for sql in statements:
                    client.execute(sql, {"ids": ids}, prepare=True)


def minimal_backlog(count: int) -> list[int]:
    """The ids of so many new refunds of the minimal floor."""
    with connection.cursor() as cursor:
        cursor.execute(_MINIMAL_TABLES)
        cursor.execute("SELECT coalesce(max(id), 0) FROM floor_refund")
        first = cursor.fetchone()[0] + 1
        sql = "INSERT INTO floor_refund SELECT id, 'requested', 4000 FROM generate_series(%s, %s) AS id"
        cursor.execute(sql, [first, first + count - 1])
        cursor.execute("VACUUM (ANALYZE) floor_refund, floor_event")
        cursor.execute("CHECKPOINT")
    return list(range(first, first + count))
