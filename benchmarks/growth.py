"""Growth: what finished refunds cost those that are not, and what more worker processes bring.

On emptied tables. The history grows during the run: none, a tenth of a million, a million, or as many at last as
`BENCHMARK_HISTORY` says; by clones of a refund that the product has ended, but for the first hundred thousand, which
are drained while the worker's memory is looked at. With each history the sweep reads its pages of due keys while few
and while many refunds are open, and backlogs are drained.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import psutil
from django.db import connection
from django.db.models.expressions import RawSQL

from benchmarks.clones import Seed, clone, clone_history
from benchmarks.contenders import Ours
from benchmarks.crews import Crew
from benchmarks.draining import drained, running, work_off
from benchmarks.figures import Figures, Row
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.rounds import Rounds
from benchmarks.seeds import seeds
from orders.models import Order
from refunds.models import Refund
from workers import bootstrap
from workers.tasks import SWEEP_LIMIT

WIRING = "benchmarks.wired"
SWEEPS = 50
#: Refunds by which a backlog is sized.
FIRST = 1000


@dataclass(frozen=True)
class Size:
    """`histories` are finished refunds; `drained`, after how many memory is looked at; `open` is few and many."""

    histories: Sequence[int]
    rounds: int
    seconds: float
    drained: tuple[int, int]
    open: tuple[int, int]
    processes: Sequence[int]


FULL = Size((0, 100_000, 1_000_000), 2, 6.0, drained=(10_000, 100_000), open=(100, 10_000), processes=(1, 2, 4, 8))
QUICK = Size((0, 20_000), 1, 2.0, drained=(1000, 4000), open=(100, 1000), processes=(1, 2))


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    size = QUICK if quick else FULL
    *earlier, last = size.histories
    names = {history: f"{history:,} finished" for history in (*earlier, int(os.environ.get("BENCHMARK_HISTORY", last)))}
    _empty_tables()
    drains, sweeps, memory = Rounds("growth: drain"), dict[str, Row](), dict[str, Row]()
    for history, name in names.items():
        if history and not memory:
            memory = _memory(Ours(ground, WIRING), size)
        _grow(history)
        sweeps |= _sweeps(name, size.open)
        for _ in range(size.rounds):
            ran = drained(Ours(ground, WIRING), seeds().waiting, first=FIRST, seconds=size.seconds)
            drains.add(replace(ran, contender=name))
    processes = _processes(ground, size)
    none, *_, most = names.values()
    return [
        drains.table(),
        Figures("growth: one sweep", sweeps),
        Figures("growth: the worker's memory", memory),
        processes.table(),
        Goal(f"drain with {most} / with none", ">= 0.9", drains.ratio(most, none)),
        Goal(f"sweep time with {most} / with none", "<= 1.2", _most_of(sweeps, most) / _most_of(sweeps, none)),
        Goal(
            f"worker memory after {size.drained[1]:,} refunds / after {size.drained[0]:,}",
            "<= 1.1",
            memory[_after(size.drained[1])]["MB"] / memory[_after(size.drained[0])]["MB"],
        ),
    ]


def _empty_tables() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {Order._meta.db_table}, orders_payment RESTART IDENTITY CASCADE")
    seeds.cache_clear()
    seeds()


def _grow(history: int) -> None:
    """Until there are so many refunds that have ended."""
    if (missing := history - Refund.objects.filter(finished_at__isnull=False).count()) > 0:
        begun = time.monotonic()
        clone_history(seeds().ended, missing)
        print(f"  growth: {missing:,} more finished refunds, {time.monotonic() - begun:.0f} s", flush=True)


def _sweeps(name: str, counts: Sequence[int]) -> dict[str, Row]:
    """With so many refunds due."""
    return {f"{name}, {count:,} open": {"ms": _sweep_ms(seeds().waiting, count)} for count in counts}


def _sweep_ms(seed: Seed, count: int) -> float:
    """What the sweep reads, of all reconcilers; the median of many, each going on where the one before ended.

    Afterwards the refunds sleep, for nobody has worked them off.
    """
    refunds = Refund.objects.filter(pk__in=clone(seed, count))
    refunds.update(next_reconcile_at=RawSQL("refundry_now() - interval '1 minute'", []))
    reconcilers, took = bootstrap.reconcilers(), []
    for _ in range(SWEEPS):
        begun = time.perf_counter()
        for reconciler in reconcilers:
            reconciler.due(SWEEP_LIMIT)
        took.append(time.perf_counter() - begun)
    refunds.update(next_reconcile_at=RawSQL("refundry_now() + interval '10 years'", []))
    return round(1000 * median(took), 3)


def _memory(ours: Ours, size: Size) -> dict[str, Row]:
    """Of the worker's processes together, what they do not share; it drains one backlog after the other."""
    memory, done = dict[str, Row](), 0
    with running(ours) as crew:
        for count in size.drained:
            while done < count:
                step = min(count - done, size.drained[0])
                print(f"  growth: memory, {work_off(ours, crew, clone(seeds().waiting, step)).text()}", flush=True)
                done += step
            memory[_after(count)] = {"MB": round(_private_mb(crew), 1)}
    return memory


def _after(count: int) -> str:
    return f"after {count:,} refunds"


def _private_mb(crew: Crew) -> float:
    [worker] = [psutil.Process(child.process.pid) for child in crew if child.command.name == "worker"]
    return sum(process.memory_full_info().uss for process in (worker, *worker.children(recursive=True))) / 1e6


def _processes(ground: Ground, size: Size) -> Rounds:
    processes = Rounds("growth: worker processes")
    for count in size.processes:
        ran = drained(Ours(ground, WIRING, pumps=count), seeds().waiting, first=FIRST, seconds=size.seconds)
        processes.add(replace(ran, contender=f"{count} process{'es' if count > 1 else ''}"))
    return processes


def _most_of(sweeps: dict[str, Row], name: str) -> float:
    """Its sweep with the most open refunds."""
    return [row["ms"] for label, row in sweeps.items() if label.startswith(name)][-1]
