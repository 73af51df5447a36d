"""Idle: what an installation costs that nobody uses.

CPU by whose it is, statements as PostgreSQL logs them, and round trips as Valkey counts them.
"""

import re
import time

import redis
from django.conf import settings
from django.db import connection

from benchmarks.cost import cpu_seconds
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.installation import PEERS, running_product

SETTLE_SECONDS = 12.0
_STATEMENT = re.compile(rb"LOG:  (?:statement|execute [^:]*): ")


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    seconds = 10.0 if quick else 30.0
    with running_product(ground, "idle") as installed:
        roots = {name: [child.process.pid] for name, child in installed.processes.items() if name not in PEERS}
        roots |= {"PostgreSQL": [ground.postgres.process.pid], "Valkey": [ground.valkey.process.pid]}
        time.sleep(SETTLE_SECONDS)
        used = _used(roots, seconds)
        statements = _statements(ground, seconds)
        trips, commands = _asked_of_valkey(seconds)
    whose = {name: {"percent of a core": round(100 * used[name] / seconds, 2)} for name in used}
    total = {"all together": {"percent of a core": round(100 * sum(used.values()) / seconds, 2)}}
    counted = {"SQL statements": statements, "Valkey round trips": trips, "  commands, in scripts too": commands}
    rates = {name: {"a second": round(count / seconds, 1)} for name, count in counted.items()}
    return [Figures("idle: CPU", total | whose, "near zero"), Figures("idle: calls", rates)]


def _used(roots: dict[str, list[int]], seconds: float) -> dict[str, float]:
    before = cpu_seconds(roots)
    time.sleep(seconds)
    return {name: after - before[name] for name, after in cpu_seconds(roots).items()}


def _statements(ground: Ground, seconds: float) -> int:
    """Not those of this process, which sleeps meanwhile."""
    _log_statements("all")
    log = ground.postgres.log
    begin = log.stat().st_size
    time.sleep(seconds)
    end = log.stat().st_size
    _log_statements("none")
    with log.open("rb") as file:
        file.seek(begin)
        return len(_STATEMENT.findall(file.read(end - begin)))


def _log_statements(which: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER SYSTEM SET log_statement = '{which}'")
        cursor.execute("SELECT pg_reload_conf()")
    time.sleep(0.2)


def _asked_of_valkey(seconds: float) -> tuple[int, int]:
    """Requests that it read, and commands that it carried out."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        before = client.info("stats")
        time.sleep(seconds)
        after = client.info("stats")
    trips, commands = (after[name] - before[name] for name in ("total_reads_processed", "total_commands_processed"))
    return trips, commands
