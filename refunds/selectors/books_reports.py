"""How the books stood at a moment, whenever it is asked: from what was written once and never changes, the ledger, the
events, and when a movement first left."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from refunds.books.lines import decimal, utc
from refunds.movements import NOT_DONE, NOT_THERE, UNANSWERED
from refunds.states import MovementState

#: From then on a reservation that nothing came of is shown by itself.
LONG = timedelta(days=7)

#: All that can be heard of a movement's way.
_HEARD = [*(f"gateway_refund.{state}" for state in MovementState), UNANSWERED, NOT_THERE, NOT_DONE]

_ABOUT = """
    channel.slug, payment.account, payment.currency, o.number AS "order", coalesce(refund.number, '') AS refund,
    coalesce(movement.number, '') AS movement, entry.reference
"""
_FROM = """
FROM refunds_ledgerentry entry
JOIN orders_paymentshare share ON share.id = entry.share_id
JOIN orders_payment payment ON payment.id = share.payment_id
JOIN orders_order o ON o.id = share.order_id AND o.channel_id = ANY(%(channels)s)
JOIN orders_channel channel ON channel.id = o.channel_id
LEFT JOIN refunds_gatewayrefund movement ON movement.id = entry.gateway_refund_id
LEFT JOIN refunds_refund refund ON refund.id = movement.refund_id
WHERE entry.recorded_at <= %(as_of)s
"""
_NET = "sum(CASE entry.kind WHEN 'reserve' THEN entry.amount_minor ELSE -entry.amount_minor END)"
#: What is reserved for each movement, or for each fact from outside.
_OPEN = f"""
WITH open AS (
    SELECT {_ABOUT}, share.id AS share_id, movement.id AS movement_id, movement.refund_id, movement.first_sent_at,
        {_NET}::bigint AS amount_minor,
        max(entry.recorded_at) FILTER (WHERE entry.kind = 'reserve') AS since
    {_FROM} AND entry.kind IN ('reserve', 'release')
    GROUP BY channel.id, payment.id, o.id, refund.id, movement.id, share.id, entry.reference
    HAVING {_NET} > 0
)
"""
_ITEM = 'slug, account, currency, "order", refund, movement, reference, amount_minor, since'
_LIABILITY = f"""
{_OPEN} SELECT slug, account, currency, count(*), sum(amount_minor)::bigint FROM open
GROUP BY slug, account, currency ORDER BY slug, account, currency
"""
_LONG = f"""
{_OPEN} SELECT {_ITEM} FROM open WHERE since <= %(as_of)s - %(long)s ORDER BY since, movement, reference
"""
#: The last that was heard of it was that no answer came to what had been sent.
_UNKNOWN = f"""
{_OPEN} SELECT {_ITEM.replace("since", "first_sent_at")} FROM open
WHERE first_sent_at <= %(as_of)s AND (
    SELECT event.kind FROM refunds_refundevent event
    WHERE event.refund_id = open.refund_id AND event.occurred_at <= %(as_of)s
        AND event.kind = ANY(%(heard)s) AND event.data->>'number' = open.movement
    ORDER BY event.seq DESC LIMIT 1
) = %(unanswered)s
ORDER BY first_sent_at, movement
"""
_UNPROVEN = f"""
SELECT {_ABOUT}, entry.amount_minor, entry.recorded_at {_FROM} AND entry.kind = 'external' AND entry.reference = ''
    AND NOT EXISTS (
        SELECT FROM refunds_ledgerentry back WHERE back.share_id = entry.share_id AND back.kind = 'reversal'
            AND back.gateway_refund_id = entry.gateway_refund_id AND back.id > entry.id
            AND back.recorded_at <= %(as_of)s)
ORDER BY entry.id
"""


@dataclass(frozen=True, slots=True)
class Liability:
    """What was reserved at an account and had not moved: `count` movements or facts."""

    channel: str
    account: str
    currency: str
    count: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class Item:
    """One amount that somebody should look at. `since`: when it was reserved, first left, or was recorded."""

    channel: str
    account: str
    currency: str
    order: str
    refund: str
    movement: str
    reference: str
    amount_minor: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Report:
    """`liability`: reserved and not yet moved, by account and currency. Of it `reserved_long`: for over 7 days, and
    `unknown`: sent, and no answer came. `unproven`: paid outside by a person's word, without a reference.
    """

    as_of: datetime
    liability: tuple[Liability, ...]
    reserved_long: tuple[Item, ...]
    unknown: tuple[Item, ...]
    unproven: tuple[Item, ...]

    def to_json(self) -> dict[str, Any]:
        lists = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "as_of"}
        return {"as_of": utc(self.as_of)} | {name: [_plain(row) for row in rows] for name, rows in lists.items()}


def report(channels: Collection[int], *, as_of: datetime) -> Report:
    """As it stood then. The same for as long as nothing is recorded for a time that has passed."""
    wanted = {"channels": list(channels), "as_of": as_of, "long": LONG, "heard": _HEARD, "unanswered": UNANSWERED}
    return Report(
        as_of=as_of,
        liability=tuple(Liability(*row) for row in _rows(_LIABILITY, wanted)),
        reserved_long=tuple(Item(*row) for row in _rows(_LONG, wanted)),
        unknown=tuple(Item(*row) for row in _rows(_UNKNOWN, wanted)),
        unproven=tuple(Item(*row) for row in _rows(_UNPROVEN, wanted)),
    )


def _plain(row: Liability | Item) -> dict[str, Any]:
    told = asdict(row) | {"amount": decimal(row.amount_minor, row.currency)}
    return told | {"since": utc(row.since)} if isinstance(row, Item) else told


def _rows(sql: str, wanted: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, wanted)
        return cursor.fetchall()
