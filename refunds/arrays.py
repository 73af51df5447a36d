"""Columns of values as PostgreSQL takes arrays in binary: a cell per distinct value, joined. psycopg's own way runs
Python code for each value, which for a batch costs as much as its decisions. A single value is encoded the same, so
that its type, by which statements are prepared, does not depend on what it is.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from struct import Struct
from typing import Any

from psycopg.adapt import Dumper
from psycopg.pq import Format

Cell = Callable[[Any], bytes]

_NULL = Struct(">i").pack(-1)
_SIZE = Struct(">i").pack
_SIZE_BYTES = 4
_HEADER = Struct(">iiiii").pack
_BIGINT = Struct(">iq").pack
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_to_json = json.JSONEncoder(ensure_ascii=False).encode


class EncodedDumper(Dumper):
    """Passes on bytes that are a value already; of what type is told by the cast in the statement."""

    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


def array(column_type: str, values: Sequence[Any]) -> bytes:
    """A column; its type as in `TYPES`, None is NULL."""
    oid, cell = TYPES[column_type]
    if column_type == "jsonb":
        cells = [_NULL if value is None else cell(value) for value in values]
        has_null = None in values
    else:
        by_value = {value: _NULL if value is None else cell(value) for value in set(values)}
        cells = list(map(by_value.__getitem__, values))
        has_null = None in by_value
    return _HEADER(1, has_null, oid, len(cells), 1) + b"".join(cells)


def encoded(column_type: str, value: Any) -> bytes | None:
    """The value of one row."""
    return None if value is None else TYPES[column_type][1](value)[_SIZE_BYTES:]


def _bytes(value: bytes) -> bytes:
    return _SIZE(len(value)) + value


def _text(value: str) -> bytes:
    return _bytes(value.encode())


def _document(value: Any) -> bytes:
    """After the version of the format."""
    return _bytes(b"\x01" + _to_json(value).encode())


def _time(value: datetime) -> bytes:
    return _BIGINT(8, (value - _EPOCH) // _MICROSECOND)


#: By column type: what PostgreSQL calls it, and how a value of it is encoded, its size first.
TYPES: dict[str, tuple[int, Cell]] = {
    "bigint": (20, partial(_BIGINT, 8)),
    "boolean": (16, partial(Struct(">i?").pack, 1)),
    "bytea": (17, _bytes),
    "integer": (23, partial(Struct(">ii").pack, 4)),
    "jsonb": (3802, _document),
    "text": (25, _text),
    "timestamptz": (1184, _time),
}
