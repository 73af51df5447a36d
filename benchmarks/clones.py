"""Many orders out of one: what the product wrote for a seed order, multiplied in SQL.

A clone's ids are the seed's plus a multiple of STRIDE in every table, so that what belongs together still does, and
its rows are exactly those of the product; its hash chain is computed anew, for it begins with the refund's number.
Its refund counts as requested an hour after it is
cloned, or in a slow run its customer would have to be told that it was received. The seed itself sleeps, or the first
sweep would end it; a clone is left to the queue for a minute. No foreign key is looked up: a clone's are those of rows
that are cloned with it, or the seed's own.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, models, transaction
from django.utils import timezone

from orders.models import Order, OrderLine, Payment, PaymentShare
from refunds.chain import Event, content
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund, RefundEvent, RefundLine

#: More than the seed orders, which are made one after the other, have rows in any table.
STRIDE = 64
#: Of a long history, clones to a transaction, and writers at once.
CHUNK, WRITERS = 20_000, 2

#: In the order of their foreign keys, each with the column and the path that lead to the seed's order.
TABLES: dict[type[models.Model], str] = {
    Order: "id",
    OrderLine: "order",
    Payment: "shares__order",
    PaymentShare: "order",
    Refund: "order",
    RefundLine: "refund__order",
    GatewayRefund: "refund__order",
    LedgerEntry: "share__order",
    RefundEvent: "refund__order",
    Notification: "refund__order",
}
_PREFIX = f"'{settings.NUMBER_PREFIX}-' || "
_SHIFTED = f"k * {STRIDE}"
_EXPRESSIONS = {
    (Order, "number"): "number || '-' || k",
    (Payment, "reference"): "reference || '-' || k",
    (Refund, "number"): f"{_PREFIX}(id + {_SHIFTED})",
    (Refund, "request_id"): f"request_id + {_SHIFTED}",
    (Refund, "created_at"): "refundry_now() + interval '1 hour'",
    (
        Refund,
        "next_reconcile_at",
    ): "CASE WHEN next_reconcile_at IS NOT NULL THEN refundry_now() + interval '1 minute' END",
    (GatewayRefund, "number"): f"{_PREFIX}(refund_id + {_SHIFTED}) || '-1'",
}
# With whether they are to be analysed, as `autovacuum_analyze_threshold` and `autovacuum_analyze_scale_factor` are
# shipped. The tables of optional contenders are there only when these take part.
_TABLES = """
SELECT relid::regclass::text, n_mod_since_analyze > 50 + 0.1 * n_live_tup FROM pg_stat_user_tables
WHERE relname = ANY(%s) OR relname LIKE 'procrastinate%%' OR schemaname = 'dbos'
"""
#: The column of a clone's refund id, by the tables that hold a link of its chain.
_CHAINED = {Refund: "id", RefundEvent: "refund_id"}


@dataclass(frozen=True)
class Seed:
    """The ids of one order's rows, per table."""

    rows: dict[type[models.Model], list[int]]

    @classmethod
    def of(cls, order: Order) -> "Seed":
        rows = {
            model: list(model.objects.filter(**{path: order.pk}).values_list("pk", flat=True))
            for model, path in TABLES.items()
        }
        assert all(max(ids) - min(ids) < STRIDE for ids in rows.values() if ids), rows
        asleep = timezone.now() + timedelta(days=3650)
        Refund.objects.filter(order=order, next_reconcile_at__isnull=False).update(next_reconcile_at=asleep)
        return cls(rows)

    @property
    def refund_id(self) -> int:
        [refund_id] = self.rows[Refund]
        return refund_id

    def chain(self) -> list[bytes]:
        """What is hashed of each event of its refund, in their order."""
        events = RefundEvent.objects.filter(refund=self.refund_id).order_by("seq")
        return [content(Event(e.seq, e.kind, e.data, e.actor, e.role, e.occurred_at)) for e in events]


def clone(seed: Seed, count: int) -> list[int]:
    """Clone the seed so often, and leave the tables as a quiet night would; the ids of the new refunds."""
    first = _first_free()
    _insert(seed, first, count)
    _follow_sequences()
    settle()
    return [seed.refund_id + k * STRIDE for k in range(first, first + count)]


def clone_history(seed: Seed, count: int) -> None:
    """The same for a great many that nobody will touch, by several writers."""
    first = _first_free()
    starts = range(first, first + count, CHUNK)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda start: _insert_apart(seed, start, min(CHUNK, first + count - start)), starts))
    _follow_sequences()
    settle()


def _insert_apart(seed: Seed, first: int, count: int) -> None:
    """On this thread's own connection."""
    try:
        _insert(seed, first, count)
    finally:
        connection.close()


def _insert(seed: Seed, first: int, count: int) -> None:
    chain = seed.chain()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for model, ids in seed.rows.items():
            cursor.execute(_clone_sql(model, chain), [first, first + count - 1, ids])
        cursor.execute("SET LOCAL session_replication_role = origin")


def _follow_sequences() -> None:
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in TABLES):
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")


def settle() -> None:
    """Nothing of the writing is left to be done during a measurement. What autovacuum would not count anew is not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(_TABLES, [[model._meta.db_table for model in TABLES]])
        tables = dict(cursor.fetchall())
        changed = [name for name, is_changed in tables.items() if is_changed]
        cursor.execute(f"VACUUM {', '.join(tables)}")
        if changed:
            cursor.execute(f"ANALYZE {', '.join(changed)}")
        cursor.execute("CHECKPOINT")


def _first_free() -> int:
    highest = [model.objects.aggregate(id=models.Max("id"))["id"] or 0 for model in TABLES]
    return max(highest) // STRIDE + 1


def _clone_sql(model: type[models.Model], chain: Sequence[bytes]) -> str:
    own = {name: text for (of, name), text in _EXPRESSIONS.items() if of is model} | _links(model, chain)
    fields = [f for f in model._meta.concrete_fields if f.db_default is models.NOT_PROVIDED]
    columns = ", ".join(f'"{f.column}"' for f in fields)
    values = ", ".join(own.get(f.column) or _value(f) for f in fields)
    source = f"{model._meta.db_table}, generate_series(%s::bigint, %s::bigint) AS k"
    return f"INSERT INTO {model._meta.db_table} ({columns}) SELECT {values} FROM {source} WHERE id = ANY(%s)"


def _links(model: type[models.Model], chain: Sequence[bytes]) -> dict[str, str]:
    """The clone's own hashes, computed by PostgreSQL as `refunds.chain` does."""
    if model not in _CHAINED:
        return {}
    link, links = f"sha256(convert_to({_PREFIX}({_CHAINED[model]} + {_SHIFTED}), 'UTF8'))", []
    for told in chain:
        link = f"sha256({link} || decode('{told.hex()}', 'hex'))"
        links.append(link)
    each = " ".join(f"WHEN {seq} THEN {link}" for seq, link in enumerate(links, start=1))
    return {"event_head": link} if model is Refund else {"hash": f"CASE seq {each} END"}


def _value(field: Any) -> str:
    is_cloned = field.primary_key or (field.is_relation and field.related_model in TABLES)
    return f'"{field.column}" + {_SHIFTED}' if is_cloned else f'"{field.column}"'
