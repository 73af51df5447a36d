"""Databases for whole stacks of processes: copies of one that is migrated and filled once in a test run."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

# What a run's processes agree on: its name is in the environment before xdist starts its workers.
TEMPLATE = "STORY_TEMPLATE"
_ONE_AT_A_TIME = 7_460_225


def name_template() -> None:
    os.environ[TEMPLATE] = f"test_story_{uuid.uuid4().hex}"


@contextmanager
def copied_database(fill: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """The URL of a new database, dropped at the end, and what `fill` said when it filled the run's first one by URL."""
    name = f"test_story_{uuid.uuid4().hex}"
    with _maintenance() as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [_ONE_AT_A_TIME])
        told = _comment(connection, os.environ[TEMPLATE]) or _fill_template(connection, fill)
        _run(connection, "CREATE DATABASE {} TEMPLATE {}", name, os.environ[TEMPLATE])
    try:
        yield database_url(name), told
    finally:
        drop_database(name)


def drop_database(name: str) -> None:
    with _maintenance() as connection:
        _run(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def database_url(name: str) -> str:
    """The run's DATABASE_URL with another database's name in its place."""
    address, _, options = os.environ["DATABASE_URL"].partition("?")
    return f"{address.rpartition('/')[0]}/{name}" + (f"?{options}" if options else "")


def _fill_template(connection: psycopg.Connection, fill: Callable[[str], str]) -> str:
    """Only a template that is complete has a comment: what `fill` said."""
    name = os.environ[TEMPLATE]
    _run(connection, "DROP DATABASE IF EXISTS {}", name)
    _run(connection, "CREATE DATABASE {}", name)
    told = fill(database_url(name))
    connection.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), sql.Literal(told)))
    return told


def _comment(connection: psycopg.Connection, name: str) -> str | None:
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
    row = connection.execute(query, [name]).fetchone()
    return row[0] if row else None


def _run(connection: psycopg.Connection, statement: str, *names: str) -> None:
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _maintenance() -> psycopg.Connection:
    return psycopg.connect(database_url("postgres"), autocommit=True)
