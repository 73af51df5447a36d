"""Rows that are their own key and lock: what is about one of them waits for nobody's order."""

from collections.abc import Collection

from django.db import OperationalError
from django.db.models import Model

from orders.locks import LOCK_NOT_AVAILABLE, LockNotHad
from refunds import records


def lock_own(model: type[Model], ids: Collection[int], *, wait_ms: int | None) -> set[int]:
    """Those of the rows that are ours until the transaction ends. `wait_ms` None: skip what is locked; else LockNotHad
    when it is not had in that time."""
    if wait_ms is not None:
        records.execute("SELECT set_config('lock_timeout', %s, true)", [f"{wait_ms}ms"])
    tail = " SKIP LOCKED" if wait_ms is None else ""
    table = model._meta.db_table
    lock = f"SELECT id FROM {table} WHERE id = ANY(%b::bigint[]) ORDER BY id FOR NO KEY UPDATE{tail}"
    try:
        return {row[0] for row in records.execute(lock, [sorted(set(ids))]).fetchall()}
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            raise LockNotHad(f"{table} {sorted(set(ids))} are held by another pump") from error
        raise
