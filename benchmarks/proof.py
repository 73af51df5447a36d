"""What must hold of every refund when a contender says that it is done. A fast wrong answer is no answer."""

from collections.abc import Sequence

from django.db import connection

from refunds.chain import Event, anchor, link
from refunds.models import Refund

#: Rows that break a promise, per promise; `%s` is the array of the refunds' ids.
_BROKEN = {
    "refunds that are not refunded": """
        SELECT count(*) FROM unnest(%s::bigint[]) AS wanted(id) LEFT JOIN refunds_refund r USING (id)
        WHERE r.state IS DISTINCT FROM 'refunded' OR r.finished_at IS NULL OR r.next_reconcile_at IS NOT NULL""",
    "orders that do not show it": """
        SELECT count(*) FROM orders_order o JOIN refunds_refund r ON r.order_id = o.id
        WHERE r.id = ANY(%s) AND (o.state, o.refund_state) <> ('cancelled', 'refunded')""",
    "lines with wrong counts": """
        SELECT count(*) FROM orders_orderline l JOIN refunds_refund r USING (order_id)
        WHERE r.id = ANY(%s) AND (l.held, l.refunded, l.refunded_unshipped) <> (0, l.quantity, l.quantity)""",
    "movements not sent exactly once, or without the gateway's id": """
        SELECT count(*) FROM refunds_gatewayrefund m WHERE refund_id = ANY(%s)
        AND ((state, call, attempt) <> ('succeeded', 'idle', 1) OR gateway_refund_id IS NULL)""",
    "payment shares that are not all refunded, or not the sums of their ledger": """
        SELECT count(*) FROM orders_paymentshare s JOIN refunds_refund r USING (order_id), LATERAL (
            SELECT sum(amount_minor * CASE kind WHEN 'reserve' THEN 1 WHEN 'release' THEN -1 ELSE 0 END) AS reserved,
                sum(amount_minor) FILTER (WHERE kind = 'refund') AS refunded
            FROM refunds_ledgerentry WHERE share_id = s.id) AS ledger
        WHERE r.id = ANY(%s) AND (s.reserved_minor, s.refunded_minor, s.excess_minor, ledger.reserved, ledger.refunded)
            IS DISTINCT FROM (0, s.captured_minor, 0, 0, r.amount_minor)""",
    "refunds whose last events are not these three, or whose head is another": """
        SELECT count(*) FROM refunds_refund r, LATERAL (
            SELECT (array_agg(kind ORDER BY seq DESC))[1:3] AS kinds, (array_agg(hash ORDER BY seq DESC))[1] AS head,
                count(*) AS number
            FROM refunds_refundevent WHERE refund_id = r.id) AS events
        WHERE r.id = ANY(%s) AND (events.head, events.number, events.kinds) IS DISTINCT FROM (
            r.event_head, r.event_seq::bigint,
            ARRAY['refund.refunded', 'gateway_refund.succeeded', 'refund.refunding']::varchar[])""",
    "customers not told by one mail and one SMS": """
        SELECT count(*) FROM refunds_refund r, LATERAL (
            SELECT array_agg(channel || ' ' || state ORDER BY channel) AS sent
            FROM refunds_notification n WHERE refund_id = r.id AND recipient <> '' AND provider_id <> '') AS messages
        WHERE r.id = ANY(%s) AND messages.sent IS DISTINCT FROM ARRAY['email sent', 'sms sent']""",
}
#: So many hash chains are computed anew.
SAMPLE = 50


class NotTrue(Exception):
    """A contender left rows that a refund engine may not leave."""


def prove(refund_ids: Sequence[int]) -> None:
    """Raises NotTrue, naming every promise that is broken and how often."""
    broken = []
    with connection.cursor() as cursor:
        for promise, sql in _BROKEN.items():
            cursor.execute(sql, [list(refund_ids)])
            if count := cursor.fetchone()[0]:
                broken.append(f"{count} {promise}")
    sample = Refund.objects.filter(pk__in=refund_ids[:: max(1, len(refund_ids) // SAMPLE)])
    if torn := [refund.number for refund in sample if _head(refund) != bytes(refund.event_head)]:
        broken.append(f"{len(torn)} torn hash chains in a sample, as that of {torn[0]}")
    if broken:
        raise NotTrue("; ".join(broken))


def _head(refund: Refund) -> bytes:
    head = anchor(refund.number)
    for e in refund.events.order_by("seq"):
        head = link(head, Event(e.seq, e.kind, e.data, e.actor, e.role, e.occurred_at))
    return head
