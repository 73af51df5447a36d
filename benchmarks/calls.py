"""Calls: how often PostgreSQL and Valkey are asked for one instant refund, ours and the tuned chain.

While a backlog is drained, the scheduler and the sweep included. What the benchmark itself asks to see whether all is
done is some five statements a second.
"""

from benchmarks.clones import clone
from benchmarks.contenders import Ours, Tuned
from benchmarks.counting import counted
from benchmarks.draining import Contender, running, work_off
from benchmarks.figures import Figures, Row
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.seeds import seeds

WIRING = "benchmarks.wired"
FIRST = {"ours": 500, "tuned": 50}


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    times = 2 if quick else 10
    rows = {contender.name: _row(contender, times) for contender in (Ours(ground, WIRING), Tuned(ground, WIRING))}
    return [Figures("calls per refund", rows)]


def _row(contender: Contender, times: int) -> Row:
    first = FIRST[contender.name]
    with running(contender) as crew:
        work_off(contender, crew, clone(seeds().waiting, first))
        refund_ids = clone(seeds().waiting, times * first)
        with counted(contender.ground.postgres) as asked:
            ran = work_off(contender, crew, refund_ids)
    print(f"  calls, {ran.text()}", flush=True)
    of = {"SQL statements": asked.statements, "Valkey round trips": asked.trips, "Valkey commands": asked.commands}
    return {"refunds": ran.refunds} | {name: round(count / ran.refunds, 2) for name, count in of.items()}
