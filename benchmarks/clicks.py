"""Clicks: how long a customer looks at the page until his money is back, and until he is told, at a given pace.

Requests come by a fixed schedule, 15 and 100 a second, whether or not those before them are done, and each counts from
when it was due: what waits because the system lags behind is not left out. `refunded` and `told` are the commits that
made it true, `answered` is the API's answer at the client. Ours and the tuned chain in turn, round by round, after a
CHECKPOINT; gateway and messengers are in the worker's own process.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.budgets import Budget
from benchmarks.crews import working
from benchmarks.figures import Figures, percentiles_ms
from benchmarks.goals import Goal
from benchmarks.load import send
from benchmarks.moments import moments, wait_until_done
from benchmarks.parties import Parties, Party
from benchmarks.proof import prove
from benchmarks.stock import stored_orders

NAMES = {"ours": "single", "tuned": "tuned"}
PACES = (15, 100)
WARM_UP, WARM_UP_PACE = 20, 20
MOMENTS = ("refunded", "told", "answered")


@dataclass(frozen=True)
class Size:
    """`seconds` of a round, by pace."""

    rounds: int
    seconds: dict[int, float]


FULL, QUICK = Size(3, {15: 20.0, 100: 4.0}), Size(1, {15: 3.0, 100: 1.0})


@dataclass
class Waits:
    """Seconds from a click until each moment."""

    refunded: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)


def run(stage: Parties, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    size = QUICK if quick else FULL
    waits = {(pace, name): Waits() for pace in PACES for name in NAMES}
    for _ in budget.rounds(size.rounds):
        for pace in PACES:
            for name, door in NAMES.items():
                _click(stage.at[door], pace, round(pace * size.seconds[pace]), waits[pace, name])
    tables = [_table(pace, {name: waits[pace, name] for name in NAMES}) for pace in PACES]
    return [*tables, *(_goal(tables[0], PACES[0], percentile) for percentile in ("p95", "p99"))]


def _click(party: Party, pace: int, count: int, waits: Waits) -> None:
    with working(party.crew):
        _ask(party, stored_orders(WARM_UP), WARM_UP_PACE, Waits())
        _ask(party, stored_orders(count), pace, waits)
    rates = percentiles_ms(waits.refunded)
    print(f"  clicks {pace}/s  {party.name}: {len(waits.refunded)} so far, refunded {rates}", flush=True)


def _ask(party: Party, orders: Sequence[str], pace: int, waits: Waits) -> None:
    load = send(party.door, orders, every=1 / pace)
    wait_until_done(party.ground.children, party.crew[0])
    found = moments(orders)
    prove([one.refund_id for one in found.values()])
    for order, answer in zip(orders, load.answers, strict=True):
        waits.refunded.append(found[order].refunded - answer.due)
        waits.told.append(found[order].told - answer.due)
        waits.answered.append(answer.answered - answer.due)


def _table(pace: int, waits: dict[str, Waits]) -> Figures:
    rows = {
        f"{name} {moment}": {"clicks": len(of.refunded), **percentiles_ms(getattr(of, moment))}
        for moment in MOMENTS
        for name, of in waits.items()
    }
    return Figures(f"clicks: {pace} a second", rows)


def _goal(table: Figures, pace: int, percentile: str) -> Goal:
    ours, tuned = (table.rows[f"{name} refunded"][f"{percentile} ms"] for name in NAMES)
    return Goal(f"{percentile} click to refunded at {pace} a second, ours / tuned", "<= 0.5", ours / tuned)
