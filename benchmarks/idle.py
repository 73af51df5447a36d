"""Idle: what an installation costs that nobody uses.

CPU by whose it is, statements as PostgreSQL logs them, and round trips as Valkey counts them.
"""

import time

from benchmarks.cost import cpu_seconds
from benchmarks.counting import counted
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.installation import PEERS, running_product

SETTLE_SECONDS = 12.0


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    seconds = 10.0 if quick else 30.0
    with running_product(ground, "idle") as installed:
        roots = {name: [child.process.pid] for name, child in installed.processes.items() if name not in PEERS}
        roots |= ground.roots()
        time.sleep(SETTLE_SECONDS)
        used = _used(roots, seconds)
        with counted(ground.postgres) as asked:
            time.sleep(seconds)
    whose = {name: {"percent of a core": round(100 * used[name] / seconds, 2)} for name in used}
    total = {"all together": {"percent of a core": round(100 * sum(used.values()) / seconds, 2)}}
    calls = {"SQL statements": asked.statements, "Valkey round trips": asked.trips}
    calls["  commands, in scripts too"] = asked.commands
    rates = {name: {"a second": round(count / seconds, 1)} for name, count in calls.items()}
    return [Figures("idle: CPU", total | whose, "near zero"), Figures("idle: calls", rates)]


def _used(roots: dict[str, list[int]], seconds: float) -> dict[str, float]:
    before = cpu_seconds(roots)
    time.sleep(seconds)
    return {name: after - before[name] for name, after in cpu_seconds(roots).items()}
