"""Another writer that holds rows, and the inbox that the product's own messengers deliver to."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from django.db import connection

from tests.integration.adapters.conftest import Inbox, inbox

__all__ = ["Inbox", "inbox"]


@pytest.fixture
def hold() -> Iterator[Callable[[str, int], None]]:
    """Locks a row on a connection of its own until the test ends."""
    with ExitStack() as stack:

        def lock(table: str, row_id: int) -> None:
            other = stack.enter_context(
                psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None})
            )
            stack.callback(other.rollback)
            other.execute(f"SELECT id FROM {table} WHERE id = %s FOR UPDATE", [row_id])

        yield lock
