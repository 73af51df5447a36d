"""Drain: stored instant refunds, and how fast they are refunded and told.

All contenders find the same rows in the same tables, one after the other, and so on, in one run. Each time processes
work off a first few refunds, and stand still while the backlog is queued. The clock runs from the first claim to the
last thing written, by the times in the rows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.budgets import Budget
from benchmarks.clones import Seed, clone
from benchmarks.cost import cpu_seconds
from benchmarks.draining import drained
from benchmarks.figures import Figures
from benchmarks.floor import MINIMAL, OWN, Transaction, minimal_backlog, writers
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.parties import Parties
from benchmarks.proof import prove
from benchmarks.rounds import Ran, Rounds
from benchmarks.seeds import seeds

#: Clients of the floor.
CLIENTS = (1, 4)


@dataclass(frozen=True)
class Size:
    """`seconds` is how long a backlog should last; `first` are the refunds worked off before it, and its least size:
    of an extra as many as of the tuned chain."""

    history: int
    rounds: int
    seconds: float
    floor_seconds: float
    first: dict[str, int]


FULL = Size(20_000, rounds=3, seconds=8.0, floor_seconds=2.0, first={"ours": 2000, "tuned": 100, "naive": 50})
QUICK = Size(5_000, rounds=1, seconds=2.0, floor_seconds=0.3, first={"ours": 500, "tuned": 40, "naive": 20})


def run(stage: Parties, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    """As shipped, between the chains and the floor."""
    size = QUICK if quick else FULL
    backlog = seeds().waiting
    clone(seeds().ended, size.history)
    rounds = Rounds("drain")
    for _ in budget.rounds(size.rounds):
        for contender in stage.contenders():
            first, crew = size.first.get(contender.name, size.first["tuned"]), stage.crews[contender.name]
            rounds.add(drained(contender, crew, backlog, first=first, seconds=size.seconds))
        for clients in CLIENTS:
            rounds.add(_floor(stage.ground, backlog, size, clients))
            rounds.add(_minimal_floor(stage.ground, size, clients))
    return [
        rounds.table(),
        rounds.ratio_table("ours"),
        Goal("drain, ours with 2 worker processes / tuned chain with 2", ">= 25", rounds.ratio("ours", "tuned")),
        Goal("drain, ours / own row changes as SQL, one client", ">= 0.5", rounds.ratio("ours", _named("floor", 1))),
    ]


def _floor(ground: Ground, backlog: Seed, size: Size, clients: int) -> Ran:
    write = _writing(ground, OWN, clients)
    ran, refund_ids = _written(_named("floor", clients), ground, partial(clone, backlog), write, size)
    prove(refund_ids)
    return ran


def _minimal_floor(ground: Ground, size: Size, clients: int) -> Ran:
    write = _writing(ground, MINIMAL, clients)
    ran, _ = _written(_named("minimal floor", clients), ground, minimal_backlog, write, size)
    return ran


def _written(
    name: str,
    ground: Ground,
    make: Callable[[int], list[int]],
    write: Callable[[Sequence[int]], float],
    size: Size,
) -> tuple[Ran, list[int]]:
    """Sized by a first few, as those of the other contenders; with all that was written, still to be proved."""
    first = make(size.first["ours"])
    refund_ids = make(max(len(first), round(len(first) / write(first) * size.floor_seconds)))
    before, own = cpu_seconds(ground.roots()), time.process_time()
    seconds = write(refund_ids)
    used = {"Python": time.process_time() - own}
    used |= {whose: after - before[whose] for whose, after in cpu_seconds(ground.roots()).items()}
    return Ran(name, len(refund_ids), seconds, used), first + refund_ids


def _writing(ground: Ground, transactions: Sequence[Transaction], clients: int) -> Callable[[Sequence[int]], float]:
    def write(refund_ids: Sequence[int]) -> float:
        with writers(ground.product.environment["DATABASE_URL"], clients) as ready:
            return ready.write(refund_ids, transactions)

    return write


def _named(floor: str, clients: int) -> str:
    return f"{floor}, {clients} client{'s' if clients > 1 else ''}"
