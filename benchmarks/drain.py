"""Drain: stored instant refunds, and how fast they are refunded and told.

All contenders find the same rows in the same tables, one after the other, and so on, in one run. Processes are started
anew each time, work off a first few refunds, and are stopped while the backlog is queued. The clock runs from the
first claim to the last thing written, by the times in the rows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.clones import Seed, clone
from benchmarks.contenders import Naive, Ours, Tuned
from benchmarks.cost import cpu_seconds
from benchmarks.draining import Contender, drained
from benchmarks.figures import Figures
from benchmarks.floor import MINIMAL, OWN, minimal_backlog, writers
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.proof import prove
from benchmarks.rounds import Ran, Rounds
from benchmarks.seeds import seeds

WIRING = "benchmarks.wired"
#: Clients of the floor.
CLIENTS = (1, 4)


@dataclass(frozen=True)
class Size:
    """`seconds` is how long a backlog should last; `first` are the refunds worked off before it, and its least size."""

    history: int
    rounds: int
    seconds: float
    first: dict[str, int]


FULL = Size(history=20_000, rounds=3, seconds=10.0, first={"ours": 2000, "tuned": 100, "naive": 50})
QUICK = Size(history=5_000, rounds=1, seconds=2.0, first={"ours": 500, "tuned": 40, "naive": 20})


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    """As shipped, between the chains and the floor."""
    size = QUICK if quick else FULL
    backlog = seeds().waiting
    clone(seeds().ended, size.history)
    rounds = Rounds("drain")
    for _ in range(size.rounds):
        for contender in (Ours(ground, WIRING), Tuned(ground, WIRING), Naive(ground, WIRING)):
            rounds.add(_drained(contender, backlog, size))
        for clients in CLIENTS:
            rounds.add(_floor(ground, backlog, size, clients))
            rounds.add(_minimal_floor(ground, size, clients))
    return [
        rounds.table(),
        rounds.ratio_table("ours"),
        Goal("drain, ours with 2 worker processes / tuned chain with 2", ">= 25", rounds.ratio("ours", "tuned")),
        Goal("drain, ours / own row changes as SQL, one client", ">= 0.5", rounds.ratio("ours", _named("floor", 1))),
    ]


def _drained(contender: Contender, backlog: Seed, size: Size) -> Ran:
    return drained(contender, backlog, first=size.first[contender.name], seconds=size.seconds)


def _floor(ground: Ground, backlog: Seed, size: Size, clients: int) -> Ran:
    def write(refund_ids: Sequence[int]) -> float:
        with writers(ground.product.environment["DATABASE_URL"], clients) as ready:
            seconds = ready.write(refund_ids, OWN)
        prove(refund_ids)
        return seconds

    return _written(_named("floor", clients), ground, partial(clone, backlog), write, size)


def _minimal_floor(ground: Ground, size: Size, clients: int) -> Ran:
    def write(refund_ids: Sequence[int]) -> float:
        with writers(ground.product.environment["DATABASE_URL"], clients) as ready:
            return ready.write(refund_ids, MINIMAL)

    return _written(_named("minimal floor", clients), ground, minimal_backlog, write, size)


def _written(
    name: str,
    ground: Ground,
    make: Callable[[int], list[int]],
    write: Callable[[Sequence[int]], float],
    size: Size,
) -> Ran:
    """Sized by a first few, as those of the other contenders."""
    first = make(size.first["ours"])
    refund_ids = make(max(len(first), round(len(first) / write(first) * size.seconds)))
    before, own = cpu_seconds(ground.roots()), time.process_time()
    seconds = write(refund_ids)
    used = {whose: after - before[whose] for whose, after in cpu_seconds(ground.roots()).items()}
    return Ran(name, len(refund_ids), seconds, {"Python": time.process_time() - own} | used)


def _named(floor: str, clients: int) -> str:
    return f"{floor}, {clients} client{'s' if clients > 1 else ''}"
