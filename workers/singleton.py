"""One at a time over all processes: what must not run twice at once runs under an advisory lock of PostgreSQL.

The lock ends with the transaction, so a killed process or a restarted database frees it, and nobody can hold it across
a call to the outside: the work is split into a transaction before the call, which notes a claim, and one after it,
which is refused once somebody else has claimed since.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """A transaction; True if nobody else is in one of this name. It never waits for him."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield bool(cursor.fetchone()[0])
