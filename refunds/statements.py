"""Prepared statements over Django's connection (`refunds.prepared`), with arrays passed in binary (`refunds.arrays`):
Django's cursor binds on the client and would escape every quote in Python.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from json import JSONDecoder
from threading import local
from typing import Any, NamedTuple

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.adapt import AdaptersMap, Loader, PyFormat, Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from refunds.arrays import EncodedDumper, array, encoded
from refunds.prepared import run

#: Behind `=`: one of some ids.
ANY = "ANY(%b::bigint[])"

_ADAPTERS = AdaptersMap(psycopg.adapters)
_PLACEHOLDER = re.compile("%([%sb])")
_FORMATS = {"s": PyFormat.AUTO, "b": PyFormat.BINARY}
_counters: list[list[str]] = []
_from_json = JSONDecoder().raw_decode


class _DocumentLoader(Loader):
    """A jsonb value: a byte for the format's version, then JSON, which of most rows is empty."""

    format = Format.BINARY

    def load(self, data: "bytes | bytearray | memoryview") -> Any:
        text = str(data[1:], "utf-8")
        return {} if text == "{}" else [] if text == "[]" else _from_json(text)[0]


_ADAPTERS.register_dumper(bytes, EncodedDumper)
_ADAPTERS.register_loader("jsonb", _DocumentLoader)


class _Context:
    """By which psycopg adapts; a connection's own adapters are not looked at."""

    adapters = _ADAPTERS
    connection = None


class _Adapter(local):
    """Of each thread."""

    def __init__(self) -> None:
        self.transformer = Transformer(_Context())


_adapter = _Adapter()


class Rows(NamedTuple):
    """What a statement gave."""

    rows: list[Any]
    #: How many it gave or changed.
    rowcount: int

    def fetchall(self) -> list[Any]:
        return self.rows

    def fetchone(self) -> Any:
        """The first; None where there is none."""
        return self.rows[0] if self.rows else None


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collects the statements run through here meanwhile, for tests that hold their number constant."""
    statements: list[str] = []
    _counters.append(statements)
    try:
        yield statements
    finally:
        _counters.remove(statements)


def execute(sql: str, params: Sequence[Any] = ()) -> Rows:
    """Run one prepared statement in the running transaction; placeholders are `%s`, and `%b` for what is encoded."""
    numbered, formats = _converted(sql)
    transformer = _adapter.transformer
    database = _database(sql)
    with database.wrap_database_errors:
        values = transformer.dump_sequence(params, formats)
        types, as_formats = transformer.types or (), transformer.formats or ()
        return _rows(run(database.connection, numbered, types, values, as_formats))


def execute_about(sql: str, ids: Iterable[int], params: Sequence[Any] = ()) -> Rows:
    """The same of a statement whose last placeholder is `= ANY(%b::bigint[])`, for these ids. For a single one that is
    `= %b::bigint`: the plan is kept then, where PostgreSQL makes one for each array anew."""
    about, wanted = narrowed(sql, list(ids))
    return execute(about, [*params, wanted])


def narrowed(sql: str, ids: Sequence[int]) -> tuple[str, bytes | None]:
    """The statement as `execute_about` runs it for these ids, and they as its last value."""
    return (_about_one(sql), encoded("bigint", ids[0])) if len(ids) == 1 else (sql, array("bigint", ids))


def execute_encoded(statements: tuple[str, ...], values: Sequence[bytes | None]) -> Rows:
    """Run these as one, which gives what the last of them does; each `%b` is one of the values, which are encoded
    (`refunds.arrays`): psycopg does not look at them."""
    sql = _together(statements)
    database = _database(sql)
    with database.wrap_database_errors:
        return _rows(run(database.connection, _converted(sql)[0], (), values, (Format.BINARY,) * len(values)))


def _database(sql: str) -> BaseDatabaseWrapper:
    """Django's connection, which is open, to run this."""
    for statements in _counters:
        statements.append(sql)
    wrapper = connections[DEFAULT_DB_ALIAS]
    wrapper.close_if_health_check_failed()
    wrapper.ensure_connection()
    return wrapper


def _rows(result: PGresult) -> Rows:
    if result.status != ExecStatus.TUPLES_OK:
        return Rows([], result.command_tuples or 0)
    transformer = _adapter.transformer
    transformer.set_pgresult(result)
    return Rows(transformer.load_rows(0, result.ntuples, tuple), result.ntuples)


@lru_cache
def _about_one(sql: str) -> str:
    start, _, end = sql.rpartition(ANY)
    return f"{start}%b::bigint{end}"


@lru_cache
def _together(statements: tuple[str, ...]) -> str:
    *first, last = statements
    named = ", ".join(f"w{n} AS ({sql})" for n, sql in enumerate(first))
    return f"WITH {named} {last}" if named else last


@lru_cache(maxsize=1000)
def _converted(sql: str) -> tuple[bytes, list[PyFormat]]:
    """With its placeholders numbered, and how the value of each is passed."""
    formats: list[PyFormat] = []

    def number(found: "re.Match[str]") -> str:
        if found[1] == "%":
            return "%"
        formats.append(_FORMATS[found[1]])
        return f"${len(formats)}"

    return _PLACEHOLDER.sub(number, sql).encode(), formats
