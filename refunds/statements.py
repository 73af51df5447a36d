"""Prepared statements on psycopg's own cursor over Django's connection, with arrays passed in binary
(`refunds.arrays`): Django's cursor binds on the client and would escape every quote in Python.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from json import JSONDecoder
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format

from refunds.arrays import Array, ArrayDumper, Value

#: Behind `=`: one of some ids.
ANY = "ANY(%b::bigint[])"

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
_ADAPTERS.register_dumper(Value, ArrayDumper)
_ADAPTERS.register_loader("jsonb", _DocumentLoader)


class _Adapted:
    """Knows arrays that are encoded already."""

    @property
    def adapters(self) -> AdaptersMap:
        return _ADAPTERS


class _Cursor(_Adapted, psycopg.Cursor[Any]):
    """For statements with `%b` and `%s`."""


class _NumberedCursor(_Adapted, psycopg.RawCursor[Any]):
    """For statements with `$1`."""


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
    return _run(_Cursor, sql, params)


def execute_about(sql: str, ids: Iterable[int], params: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
    """The same of a statement whose last placeholder is `= ANY(%b::bigint[])`, for these ids. For a single one that is
    `= %b::bigint`: the plan is kept then, where PostgreSQL makes one for each array anew."""
    about, encoded = narrowed(sql, list(ids))
    return execute(about, [*params, encoded])


def narrowed(sql: str, ids: Sequence[int]) -> tuple[str, Array | Value]:
    """The statement as `execute_about` runs it for these ids, and they as its last value."""
    return (_about_one(sql), Value("bigint", ids[0])) if len(ids) == 1 else (sql, Array("bigint", ids))


def execute_encoded(statements: tuple[str, ...], values: Sequence[Array | Value]) -> "psycopg.Cursor[Any]":
    """Run these as one, which gives what the last of them does; each `%b` is one of the values. psycopg does not look
    for them each time."""
    return _run(_NumberedCursor, _numbered(statements), values)


def _run(cursor: "type[psycopg.Cursor[Any]]", sql: str, params: Sequence[Any]) -> "psycopg.Cursor[Any]":
    for statements in _counters:
        statements.append(sql)
    wrapper = connections[DEFAULT_DB_ALIAS]
    wrapper.close_if_health_check_failed()
    wrapper.ensure_connection()
    with wrapper.wrap_database_errors:
        return cursor(wrapper.connection).execute(sql, params, prepare=True, binary=True)


@lru_cache
def _about_one(sql: str) -> str:
    start, _, end = sql.rpartition(ANY)
    return f"{start}%b::bigint{end}"


@lru_cache
def _numbered(statements: tuple[str, ...]) -> str:
    """As one statement, with its values numbered."""
    *first, last = statements
    named = ", ".join(f"w{n} AS ({sql})" for n, sql in enumerate(first))
    start, *rest = (f"WITH {named} {last}" if named else last).split("%b")
    return start + "".join(f"${n}{text}" for n, text in enumerate(rest, 1))
