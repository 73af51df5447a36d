"""What webhooks say of their events, for a batch in one statement."""

from collections.abc import Collection

from refunds.hooks import EventFacts
from refunds.records import execute

_FACTS = """
SELECT event.id, refund.number, ordered.number, channel.slug, event.seq, event.kind, event.data, event.actor,
    event.role, event.occurred_at, encode(event.hash, 'hex')
FROM refunds_refundevent AS event
JOIN refunds_refund AS refund ON refund.id = event.refund_id
JOIN orders_order AS ordered ON ordered.id = refund.order_id
JOIN orders_channel AS channel ON channel.id = ordered.channel_id
WHERE event.id = ANY(%b::bigint[])
"""


def hook_facts(event_ids: Collection[int]) -> dict[int, EventFacts]:
    if not event_ids:
        return {}
    return {row[0]: EventFacts(*row[1:]) for row in execute(_FACTS, [list(event_ids)]).fetchall()}
