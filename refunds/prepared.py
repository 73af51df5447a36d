"""Statements that a connection prepares once and runs by name, past psycopg's cursors, which run Python code for each
statement and each of its values.

psycopg must prepare nothing beside (`prepare_threshold` is None): after a rollback it has all names deallocated.
"""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors, generators
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult

Connection = psycopg.Connection[Any]
Names = OrderedDict[tuple[bytes, tuple[int, ...]], bytes]

#: Of each connection; what was used longest ago gives way. A kept plan takes some 100 kB of the server's memory.
MOST_NAMES = 200

_SUCCEEDED = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
#: A table has changed since, or somebody has deallocated them: all are prepared anew.
_STALE = (errors.FeatureNotSupported, errors.InvalidSqlStatementName)

_names: WeakKeyDictionary[Connection, Names] = WeakKeyDictionary()
_numbers = count(1)


def run(
    connection: Connection,
    sql: bytes,
    types: tuple[int, ...],
    values: Sequence[bytes | bytearray | memoryview | None],
    formats: Sequence[Format],
) -> PGresult:
    """What the statement gives, in binary, within the running transaction, which it begins if need be. Its values are
    numbered from `$1`; `types` are their OIDs, 0 where a cast says it, and may be left out. Raises psycopg's errors."""
    libpq = connection.pgconn
    name = _name(connection, sql, types)
    if not connection.autocommit and libpq.transaction_status == TransactionStatus.IDLE:
        libpq.send_query(b"BEGIN")
        _result(connection)
    libpq.send_query_prepared(name, values, formats, Format.BINARY)
    return _result(connection)


def _name(connection: Connection, sql: bytes, types: tuple[int, ...]) -> bytes:
    names = _names.setdefault(connection, OrderedDict())
    key = (sql, types)
    if name := names.get(key):
        names.move_to_end(key)
        return name
    name = f"refundry_{next(_numbers)}".encode()
    connection.pgconn.send_prepare(name, sql, types)
    _result(connection)
    names[key] = name
    if len(names) > MOST_NAMES:
        _, oldest = names.popitem(last=False)
        connection.pgconn.send_query(b"DEALLOCATE " + oldest)
        _result(connection)
    return name


def _result(connection: Connection) -> PGresult:
    """Of what has been sent; Ctrl-C cancels it."""
    [result] = connection.wait(generators.execute(connection.pgconn))
    if result.status in _SUCCEEDED:
        return result
    error = errors.error_from_result(result, connection.info.encoding)
    if isinstance(error, _STALE):
        _names.pop(connection, None)
    raise error
