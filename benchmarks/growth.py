"""Growth: what finished refunds cost those that are not, and what more worker processes bring.

On emptied tables. The history grows during the run: none, a tenth of a million, a million, or as many at last as
`BENCHMARK_HISTORY` says; by clones of a refund that the product has ended, but for the first hundred thousand, which
are drained while the worker's memory is looked at. With each history the sweep reads its pages of due keys while few
and while many refunds are open, and backlogs are drained.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median

import psutil
from django.db import connection
from django.db.models.expressions import RawSQL

from benchmarks.budgets import Budget
from benchmarks.clones import Seed, clone, clone_history
from benchmarks.contenders import Ours
from benchmarks.crews import Crew
from benchmarks.draining import drained, running, work_off
from benchmarks.figures import Figures, Row
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.history import DRAINED, last_history
from benchmarks.rounds import Rounds
from benchmarks.seeds import seeds
from orders.models import Order
from refunds.models import Refund
from workers import bootstrap
from workers.tasks import SWEEP_LIMIT

WIRING = "benchmarks.wired"
SWEEPS = 50


@dataclass(frozen=True)
class Size:
    """`earlier` are finished refunds, before the last history; `drained`, after how many memory is looked at; `open` is
    few and many."""

    earlier: Sequence[int]
    rounds: int
    seconds: float
    #: Refunds by which a backlog is sized.
    first: int
    drained: tuple[int, int]
    open: tuple[int, int]
    processes: Sequence[int]


HUNDRED_THOUSAND = (0, 100_000)
FULL = Size(
    HUNDRED_THOUSAND, 2, 4.0, 1000, drained=(10_000, DRAINED[False]), open=(100, 10_000), processes=(1, 2, 4, 8)
)
QUICK = Size((0,), 1, 1.0, 300, drained=(1500, DRAINED[True]), open=(100, 1000), processes=(1, 2))


@contextmanager
def opened(ground: Ground, rows: Sequence[str]) -> Iterator[Ground]:
    """On emptied tables; it starts its own processes."""
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {Order._meta.db_table}, orders_payment RESTART IDENTITY CASCADE")
    seeds.cache_clear()
    seeds()
    yield ground


def run(stage: Ground, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    size, ours = QUICK if quick else FULL, Ours(stage, WIRING)
    names = {history: f"{history:,} finished" for history in (*size.earlier, last_history(quick=quick))}
    drains, sweeps, memory = Rounds("growth: drain"), dict[str, Row](), dict[str, Row]()
    with running(ours) as crew:
        for history, name in names.items():
            if history and not memory:
                memory = _memory(ours, crew, size)
            _grow(history)
            sweeps |= _sweeps(name, size.open)
            for _ in range(size.rounds):
                ran = drained(ours, crew, seeds().waiting, first=size.first, seconds=size.seconds)
                drains.add(replace(ran, contender=name))
    processes = _processes(stage, budget, size)
    none, *_, most = names.values()
    before, after = memory
    return [
        drains.table(),
        Figures("growth: one sweep", sweeps),
        Figures("growth: the worker's memory", memory),
        processes.table(),
        Goal(f"drain with {most} / with none", ">= 0.9", drains.ratio(most, none)),
        Goal(f"sweep time with {most} / with none", "<= 1.2", _most_of(sweeps, most) / _most_of(sweeps, none)),
        Goal(f"worker memory {after} / {before}", "<= 1.1", memory[after]["MB"] / memory[before]["MB"]),
    ]


def _grow(history: int) -> None:
    """Until there are so many refunds that have ended."""
    if (missing := history - _finished()) > 0:
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


def _memory(ours: Ours, crew: Crew, size: Size) -> dict[str, Row]:
    """Of the worker's processes together, what they do not share; it has drained all that has ended by now but one."""
    memory, done = dict[str, Row](), _finished() - 1
    for count in size.drained:
        while done < count:
            step = min(count - done, size.drained[0])
            print(f"  growth: memory, {work_off(ours, crew, clone(seeds().waiting, step)).text()}", flush=True)
            done += step
        memory[f"after {done:,} refunds"] = {"MB": round(_private_mb(crew), 1)}
    return memory


def _finished() -> int:
    return Refund.objects.filter(finished_at__isnull=False).count()


def _private_mb(crew: Crew) -> float:
    [worker] = [psutil.Process(child.process.pid) for child in crew if child.command.name == "worker"]
    return sum(process.memory_full_info().uss for process in (worker, *worker.children(recursive=True))) / 1e6


def _processes(ground: Ground, budget: Budget, size: Size) -> Rounds:
    processes = Rounds("growth: worker processes")
    for n in budget.rounds(len(size.processes), of="numbers of processes"):
        count = size.processes[n]
        ours = Ours(ground, WIRING, pumps=count)
        with running(ours) as crew:
            ran = drained(ours, crew, seeds().waiting, first=size.first, seconds=size.seconds)
        processes.add(replace(ran, contender=f"{count} process{'es' if count > 1 else ''}"))
    return processes


def _most_of(sweeps: dict[str, Row], name: str) -> float:
    """Its sweep with the most open refunds."""
    return [row["ms"] for label, row in sweeps.items() if label.startswith(name)][-1]
