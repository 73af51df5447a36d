"""A crew that stands still holds nothing that others would wait for."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection

from benchmarks import crews
from benchmarks.crews import Crew, working
from workers.local.children import Children, Command
from workers.local.product import CHECKOUT

pytestmark = pytest.mark.django_db(transaction=True)

#: Tests beside this one have the same server.
NAME = f"dbos-{uuid4().hex[:8]}"
#: Writes without end, in transactions that last longer than the pause between them.
WRITER = """
import os, time, psycopg
connection = psycopg.connect(os.environ["WHERE"])
print("dbos ready.", flush=True)
while True:
    connection.execute("SELECT pg_current_xact_id()")
    time.sleep(0.03)
    connection.commit()
    time.sleep(0.02)
"""
#: Keeps an advisory lock in a transaction that it leaves open.
KEEPER = """
import os, time, psycopg
connection = psycopg.connect(os.environ["WHERE"], options="-c default_transaction_isolation=repeatable\\\\ read")
connection.execute("SELECT pg_advisory_xact_lock(1)")
print("dbos ready.", flush=True)
time.sleep(600)
"""
HOLDING = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = %s AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
"""


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Children]:
    children = Children(tmp_path)
    yield children
    children.stop()


def crew_of(children: Children, program: str) -> Crew:
    settings = connection.get_connection_params()
    where = f"dbname={settings['dbname']} user={settings['user']} host={settings['host']}"
    environment = dict(os.environ) | {"PGAPPNAME": NAME, "WHERE": where}
    child = children.start(Command(NAME, [sys.executable, "-c", program], environment, cwd=CHECKOUT))
    children.wait_until(child, lambda: child.says(" ready."))
    return [child]


def holding() -> int:
    with connection.cursor() as cursor:
        cursor.execute(HOLDING, [NAME])
        count: int = cursor.fetchone()[0]
    return count


def test_a_crew_is_stopped_between_its_transactions(children: Children) -> None:
    crew = crew_of(children, WRITER)
    for _ in range(10):
        with working(crew):
            pass
        assert holding() == 0


def test_a_lock_that_is_kept_in_an_open_transaction_is_ended(children: Children) -> None:
    crew = crew_of(children, KEEPER)
    assert holding() == 1
    with working(crew):
        pass
    assert holding() == 0


def test_one_that_never_lets_go_is_an_error(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "LIMIT_SECONDS", 0.1)
    crew = crew_of(children, KEEPER.replace("pg_advisory_xact_lock(1)", "pg_current_xact_id()"))
    with pytest.raises(RuntimeError, match="could not be stopped between its transactions"), working(crew):
        pass
