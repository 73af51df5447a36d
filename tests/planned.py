"""A long query that the server plans once per connection: after many a test the plan is most of its work."""

from typing import Any

import psycopg

_KNOWN = "SELECT FROM pg_prepared_statements WHERE name = %s"


def planned(connection: psycopg.Connection, name: str, query: str, values: dict[str, Any]) -> "psycopg.Cursor[Any]":
    """Runs the query, which is always the same for this name, as are its values."""
    if not connection.execute(_KNOWN, [name]).rowcount:
        binding = psycopg.ClientCursor(connection)
        binding.execute(f"PREPARE {name} AS {query}", values)
    return connection.execute(f"EXECUTE {name}")
