"""What databases are asked: statements as PostgreSQL logs them, round trips as Valkey counts them."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import redis
from django.conf import settings
from django.db import connection

from workers.local.children import Child

_STATEMENT = re.compile(rb"LOG:  (?:statement|execute [^:]*): ")


@dataclass
class Asked:
    """SQL `statements`; `trips` are requests that Valkey has read, `commands` those it has carried out, in scripts
    too. Those of this process are among them."""

    statements: int = 0
    trips: int = 0
    commands: int = 0


@contextmanager
def counted(postgres: Child) -> Iterator[Asked]:
    """What is asked meanwhile; known at the end."""
    asked = Asked()
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        _log_statements("all")
        log, before = postgres.log, client.info("stats")
        begin = log.stat().st_size
        yield asked
        end, after = log.stat().st_size, client.info("stats")
        _log_statements("none")
    with log.open("rb") as file:
        file.seek(begin)
        asked.statements = len(_STATEMENT.findall(file.read(end - begin)))
    asked.trips = after["total_reads_processed"] - before["total_reads_processed"]
    asked.commands = after["total_commands_processed"] - before["total_commands_processed"]


def _log_statements(which: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER SYSTEM SET log_statement = '{which}'")
        cursor.execute("SELECT pg_reload_conf()")
    time.sleep(0.2)
