"""Ledger entries as the books tell them, by closed day and in the order of their numbers; read as a stream.

A server-side cursor gives some hundred rows at a time, so that memory stays the same for any number of them. Outside a
transaction it outlives its statement (WITH HOLD): nobody who reads slowly keeps a transaction open.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.db import connection

from refunds.books.lines import CHUNK, Day, Entry
from refunds.models import DayClose

_COLUMNS = """
SELECT entry.id, entry.kind, payment.account, payment.reference, payment.currency, entry.amount_minor, o.number,
    coalesce(refund.number, ''), coalesce(movement.number, ''), entry.reference, entry.occurred_at, entry.recorded_at
"""
FROM = """
FROM refunds_ledgerentry entry
JOIN orders_paymentshare share ON share.id = entry.share_id
JOIN orders_payment payment ON payment.id = share.payment_id
JOIN orders_order o ON o.id = share.order_id
LEFT JOIN refunds_gatewayrefund movement ON movement.id = entry.gateway_refund_id
LEFT JOIN refunds_refund refund ON refund.id = movement.refund_id
"""
#: What a close knew of, without what the one before it did.
_OF_THE_DAY = """
WHERE o.channel_id = %(channel)s AND entry.transaction_id < %(horizon)s AND entry.recorded_at < %(ends_at)s
    AND (entry.recorded_at >= %(starts_at)s OR entry.transaction_id >= %(from_transaction)s)
"""
_STREAM = f"{_COLUMNS}{FROM}{_OF_THE_DAY}ORDER BY entry.id"
_ALL_SO_FAR = f"""
SELECT count(*) {FROM}
WHERE o.channel_id = %s AND entry.transaction_id < %s AND entry.recorded_at < %s
"""
_FIRST = f"SELECT min(entry.recorded_at) {FROM} WHERE o.channel_id = %s"


def entries_of(close: DayClose) -> Iterator[Entry]:
    """The entries of a closed day, or of one that is about to be closed."""
    params: dict[str, Any] = {
        "channel": close.channel_id,
        "horizon": close.transaction_horizon,
        "ends_at": close.ends_at,
        "starts_at": close.starts_at or "-infinity",
        "from_transaction": close.from_transaction,
    }
    with connection.chunked_cursor() as cursor:
        cursor.execute(_STREAM, params)
        while rows := cursor.fetchmany(CHUNK):
            yield from (Entry(*row) for row in rows)


def entries_of_days(closes: list[DayClose]) -> Iterator[tuple[Day, Entry]]:
    """Day after day, as one stream."""
    return chain.from_iterable(_with_day(close) for close in closes)


def entries_so_far(close: DayClose) -> int:
    """How many entries this close and all before it should have between them."""
    return _one(_ALL_SO_FAR, close.channel_id, close.transaction_horizon, close.ends_at)


def first_recorded_at(channel_id: int) -> Any:
    """When the first entry of the channel was recorded; None without any."""
    return _one(_FIRST, channel_id)


def _with_day(close: DayClose) -> Iterator[tuple[Day, Entry]]:
    day = Day(close.channel.slug, close.day, close.time_zone)
    return ((day, entry) for entry in entries_of(close))


def _one(sql: str, *params: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchone()[0]
