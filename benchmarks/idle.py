"""Idle: what an installation costs that nobody uses.

CPU by whose it is, statements as PostgreSQL logs them, and calls as Valkey counts them.
"""

import re
import time
from collections import Counter

import redis
from django.conf import settings
from django.db import connection

from benchmarks.cost import cpu_seconds
from benchmarks.figures import Figures
from benchmarks.ground import Ground
from benchmarks.installation import PEERS, running_product

SETTLE_SECONDS = 12.0
_STATEMENT = re.compile(rb"LOG:  (?:statement|execute [^:]*): ")


def run(ground: Ground, *, quick: bool) -> list[Figures]:
    seconds = 10.0 if quick else 30.0
    with running_product(ground, "idle") as installed:
        roots = {name: [child.process.pid] for name, child in installed.processes.items() if name not in PEERS}
        roots |= {"PostgreSQL": [ground.postgres.process.pid], "Valkey": [ground.valkey.process.pid]}
        time.sleep(SETTLE_SECONDS)
        used = _used(roots, seconds)
        statements = _statements(ground, seconds)
        calls = _calls(seconds)
    whose = {name: {"percent of a core": round(100 * used[name] / seconds, 2)} for name in used}
    total = {"all together": {"percent of a core": round(100 * sum(used.values()) / seconds, 2)}}
    rates = {"SQL statements": statements / seconds, "Valkey calls": sum(calls.values()) / seconds}
    by_call = {f"  {name}": count / seconds for name, count in calls.most_common(8)}
    return [
        Figures("idle: CPU", total | whose, "near zero"),
        Figures("idle: calls", {name: {"a second": round(rate, 2)} for name, rate in (rates | by_call).items()}),
    ]


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


def _calls(seconds: float) -> Counter[str]:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        before = _counts(client)
        time.sleep(seconds)
        done = _counts(client) - before
    del done["info"]
    return done


def _counts(client: redis.Redis) -> Counter[str]:
    told = client.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): row["calls"] for name, row in told.items()})
