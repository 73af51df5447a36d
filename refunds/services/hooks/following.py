"""Following the feed: a delivery for each event and address, made in the feed's order, none missed and none twice.

The writers of events do nothing for it, so what a refund costs is the same with webhooks and without. One follows at a
time. The position moves in the transaction that makes the deliveries, and never past a transaction that still runs.
"""

from dataclasses import dataclass

from refunds.records import execute
from refunds.selectors.feed import FeedPosition, oldest_running_transaction
from refunds.services.wakes import wake_webhooks
from workers.singleton import alone

PAGE = 1000
#: Who is far behind goes on at the next sweep, and lets the other sweeps have their turn.
PAGES_AT_ONCE = 10
_SINCE = "SELECT min(since) FROM refunds_webhookendpoint WHERE disabled_at IS NULL AND removed_at IS NULL"
_POSITION = "SELECT transaction_id, event_id FROM refunds_webhookfeed"
_MOVE = """
INSERT INTO refunds_webhookfeed (only_row, transaction_id, event_id) VALUES (true, %s, %s)
ON CONFLICT (only_row) DO UPDATE SET transaction_id = EXCLUDED.transaction_id, event_id = EXCLUDED.event_id
"""
_FOLLOW = """
WITH page AS MATERIALIZED (
    SELECT event.id, event.transaction_id, event.refund_id, event.seq, event.kind, ordered.channel_id
    FROM refunds_refundevent AS event
    JOIN refunds_refund AS refund ON refund.id = event.refund_id
    JOIN orders_order AS ordered ON ordered.id = refund.order_id
    WHERE (event.transaction_id, event.id) > (%s, %s) AND event.transaction_id < %s
    ORDER BY event.transaction_id, event.id LIMIT %s
), made AS (
    INSERT INTO refunds_webhookdelivery (endpoint_id, event_id, refund_id, seq, state, call, call_kind, attempt,
        failures, last_error, next_reconcile_at, created_at)
    SELECT endpoint.id, page.id, page.refund_id, page.seq, 'pending', 'idle', '', 0, 0, '', refundry_now(),
        refundry_now()
    FROM page JOIN refunds_webhookendpoint AS endpoint ON endpoint.channel_id = page.channel_id
    WHERE endpoint.disabled_at IS NULL AND endpoint.removed_at IS NULL AND endpoint.since <= page.transaction_id
        AND (endpoint.types = '[]' OR endpoint.types ? page.kind)
    ORDER BY page.transaction_id, page.id
    ON CONFLICT DO NOTHING RETURNING id
)
SELECT array(SELECT id FROM made ORDER BY id), count(*), max(transaction_id),
    (array_agg(id ORDER BY transaction_id DESC, id DESC))[1]
FROM page
"""


@dataclass(frozen=True, slots=True)
class _Page:
    made: list[int]
    last: FeedPosition | None
    is_full: bool


def follow_feed() -> int:
    """Make the deliveries of what has happened; how many. Where no channel has webhooks it is one cheap statement."""
    made = 0
    for _ in range(PAGES_AT_ONCE):
        since = execute(_SINCE).fetchone()
        if since is None or since[0] is None:
            break
        page = _follow(FeedPosition(since[0], 0))
        made += len(page.made)
        if not page.is_full:
            break
    return made


def _follow(since: FeedPosition) -> _Page:
    with alone("webhooks out") as is_mine:
        if not is_mine:
            return _Page([], None, is_full=False)
        # As in the feed: its own statement, before the one that reads the page.
        horizon = oldest_running_transaction()
        page = _make(max(_position(), since), horizon)
        if page.last:
            _move_to(page.last)
        wake_webhooks(page.made)
        return page


def _position() -> FeedPosition:
    row = execute(_POSITION).fetchone()
    return FeedPosition(*row) if row else FeedPosition()


def _make(after: FeedPosition, horizon: int) -> _Page:
    row = execute(_FOLLOW, [after.transaction_id, after.event_id, horizon, PAGE]).fetchone()
    assert row is not None, "an aggregate has a row"
    made, count, transaction_id, event_id = row
    return _Page(made, FeedPosition(transaction_id, event_id) if count else None, is_full=count == PAGE)


def _move_to(position: FeedPosition) -> None:
    execute(_MOVE, [position.transaction_id, position.event_id])
