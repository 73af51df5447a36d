"""Set-based reads and writes: one statement per table and batch, its columns taken from the models.

The ORM serves single objects and pages; a batch goes through here. Statements run on psycopg's own cursor over
Django's connection, prepared, with arrays passed in binary (Django's cursor binds on the client and would escape
every quote in Python). Only services write through it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from django.db import connection, models

Row = TypeVar("Row", bound=models.Model)

_ARRAY_TYPES = {
    "bigint": "bigint",
    "boolean": "boolean",
    "bytea": "bytea",
    "integer": "integer",
    "jsonb": "text",
    "text": "text",
    "timestamp with time zone": "timestamptz",
    "varchar": "text",
}
_counters: list[list[str]] = []


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collects the statements run through here meanwhile, for tests that hold their number constant."""
    statements: list[str] = []
    _counters.append(statements)
    try:
        yield statements
    finally:
        _counters.remove(statements)


def execute(sql: str, params: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
    """Run one prepared statement in the running transaction; placeholders are `%b` for arrays, else `%s`."""
    for statements in _counters:
        statements.append(sql)
    connection.ensure_connection()
    with connection.wrap_database_errors:
        return psycopg.Cursor(connection.connection).execute(sql, params, prepare=True)


def load(model: type[Row], column: str, values: Iterable[int], *, where: str = "") -> list[Row]:
    """All rows whose `column` is one of `values` (and that satisfy `where`), as model instances, ordered by id."""
    fields = model._meta.concrete_fields
    rows = execute(_select_sql(model, column, where), [list(values)]).fetchall()
    decoded = [i for i, field in enumerate(fields) if isinstance(field, models.JSONField)]
    return [model(*_decode(row, decoded)) for row in rows]


def insert(model: type[models.Model], columns: tuple[str, ...], rows: Sequence[Sequence[Any]], tail: str = "") -> int:
    """Insert the rows in one statement; how many were. `tail` may be an ON CONFLICT clause."""
    if not rows:
        return 0
    return execute(_insert_sql(model, columns) + tail, _arrays(model, columns, rows)).rowcount


def insert_objects(objects: Sequence[models.Model]) -> None:
    """Insert unsaved instances of one model whose ids are set (`new_ids`) or left to the database."""
    if objects:
        model = type(objects[0])
        columns = _stored_columns(model, with_id=objects[0].pk is not None)
        insert(model, columns, [[getattr(o, c) for c in columns] for o in objects])


def update(model: type[models.Model], columns: tuple[str, ...], objects: Iterable[models.Model]) -> None:
    """Write these columns of the objects in one statement, in ascending id (their orders are locked)."""
    rows = [[o.pk, *(getattr(o, c) for c in columns)] for o in sorted(objects, key=lambda o: o.pk)]
    if rows:
        execute(_update_sql(model, columns), _arrays(model, ("id", *columns), rows))


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """So many fresh ids of the model, for rows whose children are inserted with them."""
    if not count:
        return []
    sql = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s::int)"
    return [row[0] for row in execute(sql, [model._meta.db_table, count]).fetchall()]


def id_source(model: type[models.Model], *, block: int) -> Iterator[int]:
    """Fresh ids without end, fetched so many at a time."""
    while True:
        yield from new_ids(model, block)


def as_json(value: Any) -> str:
    """A value for a jsonb column, as the set-based statements pass it."""
    return json.dumps(value, ensure_ascii=False)


def _decode(row: Sequence[Any], json_at: Sequence[int]) -> list[Any]:
    values = list(row)
    for i in json_at:
        if isinstance(values[i], str):
            values[i] = json.loads(values[i])
    return values


def _arrays(model: type[models.Model], columns: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [
        [_plain(value, is_json) for value in values]
        for values, is_json in zip(zip(*rows, strict=True), _json_columns(model, columns), strict=True)
    ]


def _plain(value: Any, is_json: bool) -> Any:
    if is_json:
        return None if value is None else as_json(value)
    return str(value) if isinstance(value, StrEnum) else value


@lru_cache
def _json_columns(model: type[models.Model], columns: tuple[str, ...]) -> tuple[bool, ...]:
    return tuple(_field(model, c).db_type(connection) == "jsonb" for c in columns)


@lru_cache
def _stored_columns(model: type[models.Model], *, with_id: bool) -> tuple[str, ...]:
    fields = [f for f in model._meta.concrete_fields if with_id or not f.primary_key]
    return tuple(f.attname for f in fields if f.db_default is models.NOT_PROVIDED)


@lru_cache
def _select_sql(model: type[models.Model], column: str, where: str) -> str:
    names = ", ".join(f'"{f.column}"' for f in model._meta.concrete_fields)
    narrowed = f" AND {where}" if where else ""
    return f'SELECT {names} FROM {model._meta.db_table} WHERE "{column}" = ANY(%b::bigint[]){narrowed} ORDER BY id'


@lru_cache
def _insert_sql(model: type[models.Model], columns: tuple[str, ...]) -> str:
    names = ", ".join(f'"{c}"' for c in columns)
    source, values = _unnest(model, columns)
    return f"INSERT INTO {model._meta.db_table} ({names}) SELECT {', '.join(values)} FROM {source}"


@lru_cache
def _update_sql(model: type[models.Model], columns: tuple[str, ...]) -> str:
    source, values = _unnest(model, ("id", *columns))
    changes = ", ".join(f'"{c}" = {value}' for c, value in zip(columns, values[1:], strict=True))
    return f"UPDATE {model._meta.db_table} t SET {changes} FROM {source} WHERE t.id = x.id"


def _unnest(model: type[models.Model], columns: tuple[str, ...]) -> tuple[str, list[str]]:
    types = [(_field(model, c).db_type(connection) or "text").split("(")[0] for c in columns]
    arrays = ", ".join(f"%b::{_ARRAY_TYPES[t]}[]" for t in types)
    names = ", ".join(f'"{c}"' for c in columns)
    values = [f'x."{c}"::jsonb' if t == "jsonb" else f'x."{c}"' for c, t in zip(columns, types, strict=True)]
    return f"unnest({arrays}) AS x({names})", values


@lru_cache
def _field(model: type[models.Model], column: str) -> "models.Field[Any, Any]":
    return next(f for f in model._meta.concrete_fields if f.column == column)
