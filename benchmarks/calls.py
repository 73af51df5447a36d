"""Calls: how often PostgreSQL and Valkey are asked for one instant refund, ours and the tuned chain.

While a backlog is drained, the scheduler and the sweep included. What the benchmark itself asks to see whether all is
done is some ten statements a second.
"""

from benchmarks.budgets import Budget
from benchmarks.clones import clone
from benchmarks.contenders import Contender
from benchmarks.counting import counted
from benchmarks.crews import Crew
from benchmarks.draining import work_off
from benchmarks.figures import Figures, Row
from benchmarks.goals import Goal
from benchmarks.parties import Parties
from benchmarks.seeds import seeds

FIRST = {"ours": 500, "tuned": 50}
TIMES, QUICK_TIMES = 4, 2


def run(stage: Parties, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    taking_part = [contender for contender in stage.contenders() if contender.name in FIRST]
    times = QUICK_TIMES if quick else TIMES
    rows = {contender.name: _row(contender, stage.crews[contender.name], times) for contender in taking_part}
    return [Figures("calls per refund", rows)]


def _row(contender: Contender, crew: Crew, times: int) -> Row:
    first = FIRST[contender.name]
    work_off(contender, crew, clone(seeds().waiting, first))
    refund_ids = clone(seeds().waiting, times * first)
    with counted(contender.ground.postgres) as asked:
        ran = work_off(contender, crew, refund_ids)
    print(f"  calls, {ran.text()}", flush=True)
    of = {"SQL statements": asked.statements, "Valkey round trips": asked.trips, "Valkey commands": asked.commands}
    return {"refunds": ran.refunds} | {name: round(count / ran.refunds, 2) for name, count in of.items()}
