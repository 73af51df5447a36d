"""Set-based reads and writes: one statement per table and batch, its columns taken from the models.

The ORM serves single objects and pages; a batch goes through here. Statements run on psycopg's own cursor over
Django's connection, prepared, with arrays passed in binary (`refunds.arrays`; Django's cursor binds on the client and
would escape every quote in Python). Only services write through it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from json import JSONDecoder
from operator import itemgetter
from typing import Any, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models.base import ModelState
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format

from refunds.arrays import Array, ArrayDumper

Row = TypeVar("Row", bound=models.Model)

_ARRAY_TYPES = {"timestamp with time zone": "timestamptz", "varchar": "text"}
_ADAPTERS = AdaptersMap(psycopg.adapters)
_counters: list[list[str]] = []
_from_json = JSONDecoder().raw_decode


class _DocumentLoader(Loader):
    """A jsonb value: a byte for the format's version, then JSON, which of most rows is empty."""

    format = Format.BINARY

    def load(self, data: "bytes | bytearray | memoryview") -> Any:
        text = str(data[1:], "utf-8")
        return {} if text == "{}" else [] if text == "[]" else _from_json(text)[0]


_ADAPTERS.register_dumper(Array, ArrayDumper)
_ADAPTERS.register_loader("jsonb", _DocumentLoader)


class _Cursor(psycopg.Cursor[Any]):
    """Knows arrays that are encoded already."""

    @property
    def adapters(self) -> AdaptersMap:
        return _ADAPTERS


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
    wrapper = connections[DEFAULT_DB_ALIAS]
    wrapper.ensure_connection()
    with wrapper.wrap_database_errors:
        return _Cursor(wrapper.connection).execute(sql, params, prepare=True, binary=True)


def load(model: type[Row], column: str, values: Iterable[int], *, where: str = "") -> list[Row]:
    """All rows whose `column` is one of `values` (and that satisfy `where`), as model instances, ordered by id."""
    wanted = list(values)
    if not wanted:
        return []
    rows = execute(_select_sql(model, column, where), [Array("bigint", wanted)]).fetchall()
    names = [f.attname for f in model._meta.concrete_fields]
    return [_instance(model, zip(names, row, strict=True), adding=False) for row in rows]


def new(model: type[Row], **columns: Any) -> Row:
    """An unsaved row, as by `model(**columns)`; a column with a mutable default must be given."""
    return _instance(model, (_defaults(model) | columns).items(), adding=True)


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
        insert(model, columns, _values(columns, objects))


def insert_numbered(objects: Sequence[models.Model]) -> list[int]:
    """Insert unsaved instances of one model whose ids are left to the database; their ids."""
    if not objects:
        return []
    model = type(objects[0])
    columns = _stored_columns(model, with_id=False)
    sql = _insert_sql(model, columns) + " RETURNING id"
    return [row[0] for row in execute(sql, _arrays(model, columns, _values(columns, objects))).fetchall()]


def update(model: type[models.Model], columns: tuple[str, ...], objects: Iterable[models.Model]) -> None:
    """Write these columns of the objects in one statement, in ascending id (their orders are locked)."""
    rows = sorted(_values(("id", *columns), objects), key=itemgetter(0))
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


def _instance(model: type[Row], columns: Iterable[tuple[str, Any]], *, adding: bool) -> Row:
    """`Model.__init__` sets field by field, which for a batch costs more than all of the decisions."""
    instance = model.__new__(model)
    instance.__dict__.update(columns)
    instance._state = ModelState()
    instance._state.adding, instance._state.db = adding, DEFAULT_DB_ALIAS
    return instance


@lru_cache
def _defaults(model: type[models.Model]) -> dict[str, Any]:
    return {f.attname: f.get_default() for f in model._meta.concrete_fields}


def _values(columns: tuple[str, ...], objects: Iterable[models.Model]) -> list[tuple[Any, ...]]:
    """As `_instance` has set them: not by their descriptors, which run Python code for each."""
    take = itemgetter(*columns)
    return [take(row.__dict__) for row in objects]


def _arrays(model: type[models.Model], columns: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> list[Array]:
    return list(map(Array, _types(model, columns), zip(*rows, strict=True)))


@lru_cache
def _types(model: type[models.Model], columns: tuple[str, ...]) -> tuple[str, ...]:
    found = ((_field(model, c).db_type(connection) or "text").split("(")[0] for c in columns)
    return tuple(_ARRAY_TYPES.get(column_type, column_type) for column_type in found)


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
    return f"INSERT INTO {model._meta.db_table} ({names}) SELECT * FROM {_unnest(model, columns)}"


@lru_cache
def _update_sql(model: type[models.Model], columns: tuple[str, ...]) -> str:
    changes = ", ".join(f'"{c}" = x."{c}"' for c in columns)
    source = _unnest(model, ("id", *columns))
    return f"UPDATE {model._meta.db_table} t SET {changes} FROM {source} WHERE t.id = x.id"


def _unnest(model: type[models.Model], columns: tuple[str, ...]) -> str:
    arrays = ", ".join(f"%b::{column_type}[]" for column_type in _types(model, columns))
    names = ", ".join(f'"{c}"' for c in columns)
    return f"unnest({arrays}) AS x({names})"


@lru_cache
def _field(model: type[models.Model], column: str) -> "models.Field[Any, Any]":
    return next(f for f in model._meta.concrete_fields if f.column == column)
