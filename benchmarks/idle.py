"""Idle: what an installation costs that nobody uses.

CPU by whose it is, statements as PostgreSQL logs them, and round trips as Valkey counts them, all in the same seconds:
some twenty lines of a log a second are no load.
"""

import time

from benchmarks.budgets import Budget
from benchmarks.cost import cpu_seconds
from benchmarks.counting import counted
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.installation import PEERS, Installation

#: Until the first pump has gone; how long is looked on.
SETTLE_SECONDS, QUICK_SETTLE_SECONDS = 12.0, 7.0
SECONDS, QUICK_SECONDS = 20.0, 5.0


def run(stage: Installation, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    seconds = QUICK_SECONDS if quick else SECONDS
    roots = {name: [child.process.pid] for name, child in stage.processes.items() if name not in PEERS}
    roots |= stage.ground.roots()
    time.sleep(QUICK_SETTLE_SECONDS if quick else SETTLE_SECONDS)
    with counted(stage.ground.postgres) as asked:
        used = _used(roots, seconds)
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
