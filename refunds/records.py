"""Set-based reads and writes: one statement per table and batch, its columns taken from the models.

The ORM serves single objects and pages; a batch goes through here, and statements of one's own as well
(`refunds.statements`). Only services write through it.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from operator import itemgetter
from threading import local
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models.base import ModelState

from refunds.arrays import array, encoded
from refunds.statements import ANY, Rows, counted, execute, execute_about, execute_encoded, narrowed

__all__ = [
    "columns_of",
    "counted",
    "drawing",
    "execute",
    "execute_about",
    "id_sources",
    "insert",
    "insert_numbered",
    "insert_objects",
    "instance",
    "load",
    "load_with",
    "new",
    "new_ids",
    "together",
    "update",
]

Row = TypeVar("Row", bound=models.Model)
Other = TypeVar("Other", bound=models.Model)

_ARRAY_TYPES = {"timestamp with time zone": "timestamptz", "varchar": "text"}


#: Table, statement, values.
Write = tuple[type[models.Model], str, Sequence[Any]]


class _Gathered(local):
    """What `together` has gathered in this thread."""

    writes: list[Write] | None = None


_gathered = _Gathered()


@contextmanager
def together() -> Iterator[None]:
    """What is inserted and updated within is written by one statement at its end, or by a further one where a table is
    written again. Nothing within reads what it writes."""
    _gathered.writes = []
    try:
        yield
        _write_gathered()
    finally:
        _gathered.writes = None


def load(model: type[Row], column: str, values: Iterable[int], *, where: str = "") -> list[Row]:
    """All rows whose `column` is one of `values` (and that satisfy `where`), as model instances, ordered by id."""
    wanted = list(values)
    if not wanted:
        return []
    return [instance(model, row) for row in _selected(_select_sql(model, column, where), wanted)]


def instance(model: type[Row], row: Sequence[Any]) -> Row:
    """The stored row whose columns (`columns_of`) these are."""
    return _instance(model, zip(_attributes(model), row, strict=True), adding=False)


@lru_cache
def columns_of(model: type[models.Model]) -> str:
    """All columns of the model, for a SELECT."""
    return ", ".join(f'"{f.column}"' for f in model._meta.concrete_fields)


def load_with(
    model: type[Row], other: type[Other], by: str, column: str, values: Iterable[int]
) -> tuple[list[Row], dict[int, Other]]:
    """`load`, and in the same statement the rows of `other` that these refer to `by` a column; those by id."""
    wanted = list(values)
    if not wanted:
        return [], {}
    found = _selected(_joined_sql(model, other, by, column), wanted)
    own = len(_attributes(model))
    rows = [instance(model, row[:own]) for row in found]
    beside = {getattr(mine, by): row[own:] for mine, row in zip(rows, found, strict=True)}
    return rows, {i: instance(other, row) for i, row in beside.items()}


def _selected(sql: str, wanted: Sequence[int]) -> list[Any]:
    about, about_whom = narrowed(sql, wanted)
    return execute_encoded((about,), [about_whom]).fetchall()


def new(model: type[Row], **columns: Any) -> Row:
    """An unsaved row, as by `model(**columns)`; a column with a mutable default must be given."""
    return _instance(model, (_defaults(model) | columns).items(), adding=True)


def insert(model: type[models.Model], columns: tuple[str, ...], rows: Sequence[Sequence[Any]], tail: str = "") -> int:
    """Insert the rows in one statement; how many were, where they are not gathered. `tail` may be an ON CONFLICT
    clause."""
    if not rows:
        return 0
    sql = _insert_sql(model, columns, one=len(rows) == 1) + tail
    return _write(model, sql, _columns(_types(model, columns), rows))


def insert_objects(objects: Sequence[models.Model]) -> None:
    """Insert unsaved instances of one model whose ids are set (`new_ids`) or left to the database."""
    if objects:
        model = type(objects[0])
        columns = _stored_columns(model, with_id=objects[0].pk is not None)
        insert(model, columns, _values(columns, objects))


def insert_numbered(objects: Sequence[models.Model]) -> list[int]:
    """Insert unsaved instances of one model whose ids are left to the database; their ids. What has been gathered is
    written by the same statement."""
    if not objects:
        return []
    model = type(objects[0])
    columns = _stored_columns(model, with_id=False)
    sql = _insert_sql(model, columns, one=len(objects) == 1) + " RETURNING id"
    values = _columns(_types(model, columns), _values(columns, objects))
    return [row[0] for row in _write_now(model, sql, values).fetchall()]


def update(model: type[models.Model], columns: tuple[str, ...], objects: Collection[models.Model]) -> None:
    """Write these columns of the objects in one statement, in ascending id (their orders are locked)."""
    if objects:
        rows = sorted(_values(("id", *columns), objects), key=itemgetter(0))
        sql = _update_sql(model, columns, one=len(rows) == 1)
        _write(model, sql, _columns(_types(model, ("id", *columns)), rows))


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """So many fresh ids of the model, for rows whose children are inserted with them."""
    return [new_id for (new_id,) in _fresh_ids((model,), count)] if count else []


def id_sources(*of: type[models.Model], block: int, drawn: Iterable[tuple[int, ...]] = ()) -> list[Iterator[int]]:
    """Fresh ids of each model without end: those `drawn` already, then so many at a time, fetched for all models in
    one statement."""
    fetched: list[deque[int]] = [deque(ids) for ids in zip(*drawn, strict=True)] or [deque() for _ in of]

    def source(ids: deque[int]) -> Iterator[int]:
        while True:
            if not ids:
                for kept, fresh in zip(fetched, zip(*_fresh_ids(of, block), strict=True), strict=True):
                    kept.extend(fresh)
            yield ids.popleft()

    return [source(ids) for ids in fetched]


def _fresh_ids(of: Sequence[type[models.Model]], count: int) -> list[tuple[int, ...]]:
    return execute(f"SELECT {drawing(*of)} FROM generate_series(1, %s::int)", [count]).fetchall()


@lru_cache
def drawing(*of: type[models.Model]) -> str:
    """SQL that draws a fresh id of each model."""
    return ", ".join(f"nextval('{model._meta.db_table}_id_seq')" for model in of)


def _write(model: type[models.Model], sql: str, values: Sequence[Any]) -> int:
    if _gathered.writes is None:
        return _write_now(model, sql, values).rowcount
    if _is_written(model):
        _write_gathered()
    _gathered.writes.append((model, sql, values))
    return 0


def _is_written(model: type[models.Model]) -> bool:
    return any(model is written for written, _, _ in _gathered.writes or ())


def _write_gathered() -> None:
    if writes := _taken():
        _write_all(writes)


def _write_now(model: type[models.Model], sql: str, values: Sequence[Any]) -> Rows:
    """By one statement with what has been gathered, of which nothing may be in the same table."""
    if _is_written(model):
        _write_gathered()
    return _write_all([*_taken(), (model, sql, values)])


def _taken() -> list[Write]:
    """What has been gathered, which is nobody's any more."""
    if not _gathered.writes:
        return []
    writes, _gathered.writes = _gathered.writes, []
    return writes


def _write_all(writes: Sequence[Write]) -> Rows:
    values = [value for _, _, of_one in writes for value in of_one]
    return execute_encoded(tuple(sql for _, sql, _ in writes), values)


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
    take = _taking(columns)
    return [take(row.__dict__) for row in objects]


@lru_cache
def _taking(columns: tuple[str, ...]) -> "itemgetter[Any]":
    return itemgetter(*columns)


def _columns(types: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The values of the only row, else an array for each column."""
    return list(map(encoded, types, rows[0])) if len(rows) == 1 else list(map(array, types, zip(*rows, strict=True)))


@lru_cache
def _types(model: type[models.Model], columns: tuple[str, ...]) -> tuple[str, ...]:
    found = ((_field(model, c).db_type(connection) or "text").split("(")[0] for c in columns)
    return tuple(_ARRAY_TYPES.get(column_type, column_type) for column_type in found)


@lru_cache
def _stored_columns(model: type[models.Model], *, with_id: bool) -> tuple[str, ...]:
    fields = [f for f in model._meta.concrete_fields if with_id or not f.primary_key]
    return tuple(f.attname for f in fields if f.db_default is models.NOT_PROVIDED)


@lru_cache
def _attributes(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(f.attname for f in model._meta.concrete_fields)


@lru_cache
def _joined_sql(model: type[models.Model], other: type[models.Model], by: str, column: str) -> str:
    names = [f't."{f.column}"' for f in model._meta.concrete_fields]
    names += [f'o."{f.column}"' for f in other._meta.concrete_fields]
    joined = f'{model._meta.db_table} t JOIN {other._meta.db_table} o ON o.id = t."{by}"'
    return f'SELECT {", ".join(names)} FROM {joined} WHERE t."{column}" = {ANY} ORDER BY t.id'


@lru_cache
def _select_sql(model: type[models.Model], column: str, where: str) -> str:
    besides = f" AND {where}" if where else ""
    return f'SELECT {columns_of(model)} FROM {model._meta.db_table} WHERE "{column}" = {ANY}{besides} ORDER BY id'


@lru_cache
def _insert_sql(model: type[models.Model], columns: tuple[str, ...], *, one: bool) -> str:
    names = ", ".join(f'"{c}"' for c in columns)
    source = _source(model, columns, one=one)
    return f"INSERT INTO {model._meta.db_table} ({names}) SELECT * FROM {source}"


@lru_cache
def _update_sql(model: type[models.Model], columns: tuple[str, ...], *, one: bool) -> str:
    changes = ", ".join(f'"{c}" = x."{c}"' for c in columns)
    source = _source(model, ("id", *columns), one=one)
    return f"UPDATE {model._meta.db_table} t SET {changes} FROM {source} WHERE t.id = x.id"


def _source(model: type[models.Model], columns: tuple[str, ...], *, one: bool) -> str:
    types, names = _types(model, columns), ", ".join(f'"{c}"' for c in columns)
    if one:
        return f"(VALUES ({', '.join(f'%b::{column_type}' for column_type in types)})) AS x({names})"
    return f"unnest({', '.join(f'%b::{column_type}[]' for column_type in types)}) AS x({names})"


@lru_cache
def _field(model: type[models.Model], column: str) -> "models.Field[Any, Any]":
    return next(f for f in model._meta.concrete_fields if f.column == column)
