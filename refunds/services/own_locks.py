"""Rows that are their own key and lock: what is about one of them waits for nobody's order."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Generic, TypeVar

from django.db.models import Model

from orders.clock import now
from orders.locks import PATIENCE, lock_had
from refunds import records

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Own(Generic[Row]):
    """`rows` by id are ours until the transaction ends, as they were at `now` (business time); `held` are others'; the
    rest is `gone`."""

    rows: dict[int, Row]
    now: datetime
    held: frozenset[int]
    gone: frozenset[int]


def lock_own(model: type[Row], ids: Collection[int], *, wait_ms: int | None) -> Own[Row]:
    """`wait_ms` None: what is locked is left to its holder; else LockNotHad when it is not had in that time."""
    wanted, patience = sorted(set(ids)), [] if wait_ms is None else [f"{wait_ms}ms"]
    with lock_had(f"{model._meta.db_table} {wanted} are held by another pump"):
        found = records.execute_about(_lock_sql(model, waits=bool(patience)), wanted, patience).fetchall()
    rows = {row.pk: row for row in (records.instance(model, columns) for *columns, _ in found)}
    missing = set(wanted) - rows.keys()
    held = {row.pk for row in records.load(model, "id", missing)} if missing and wait_ms is None else set()
    at = max(row[-1] for row in found) if found else now()
    return Own(rows, at, frozenset(held), frozenset(missing - held))


@lru_cache
def _lock_sql(model: type[Model], *, waits: bool) -> str:
    """Of a row that somebody has changed meanwhile the newest version is locked and given."""
    table, columns = model._meta.db_table, records.columns_of(model)
    source = f"FROM patience, {table} WHERE waits <> '' AND" if waits else f"FROM {table} WHERE"
    lock = f"ORDER BY id FOR NO KEY UPDATE OF {table}{'' if waits else ' SKIP LOCKED'}"
    mine = f"mine AS MATERIALIZED (SELECT {columns} {source} id = ANY(%b::bigint[]) {lock})"
    return f"{f'{PATIENCE},' if waits else 'WITH'} {mine} SELECT mine.*, refundry_now() FROM mine"
