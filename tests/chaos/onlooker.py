"""Somebody who looks at the rows again and again, over one connection: opening one each time would be a load itself."""

from typing import Any

import psycopg

from tests.processes import Stack


class Onlooker:
    """For one thread."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._connection: psycopg.Connection | None = None

    def look(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]] | None:
        """None: the database cannot be asked just now."""
        try:
            self._connection = self._connection or self._stack.connect()
            return self._connection.execute(statement, parameters).fetchall()
        except psycopg.OperationalError:
            self.close()
            return None

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None
