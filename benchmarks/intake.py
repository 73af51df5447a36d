"""Intake: how many refunds a second the API takes, one by one and in bulk, beside a view that inserts one row.

All three behind the same web server, asked by the same client over 16 kept connections, in turn, round by round. The
worker stands still while requests are taken; afterwards it carries all of them to their end, and that is proved: what
was accepted is a refund, not a row that looks like one.
"""

from collections.abc import Sequence

from benchmarks.budgets import Budget
from benchmarks.crews import working
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.load import BATCH, send
from benchmarks.moments import moments, wait_until_done
from benchmarks.parties import Parties, Party
from benchmarks.peers.bare import BareRequest
from benchmarks.proof import NotTrue, prove
from benchmarks.rounds import Ran, Rounds, Size
from benchmarks.stock import stored_orders

NAMES = ("bare", "single", "bulk")
#: Requests by which a contender warms up, and by which its rounds are sized.
FIRST = {"bare": 200, "single": 100, "bulk": 5 * BATCH}
FULL, QUICK = Size(rounds=3, seconds=2.0), Size(rounds=1, seconds=0.8)


def run(stage: Parties, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    size = QUICK if quick else FULL
    rounds = Rounds("intake")
    rates = {name: _take(stage.at[name], FIRST[name]).rate for name in NAMES}
    for _ in budget.rounds(size.rounds):
        for name in NAMES:
            count = max(FIRST[name], round(rates[name] * size.seconds / BATCH) * BATCH)
            rounds.add(_take(stage.at[name], count))
    return [
        rounds.table(),
        Goal("intake, single / bare", ">= 0.5", rounds.ratio("single", "bare")),
        Goal("CPU per refund, single intake / bulk intake", ">= 8", rounds.cpu_ratio("single", "bulk")),
    ]


def _take(party: Party, count: int) -> Ran:
    """From the first request to the last answer."""
    orders = stored_orders(count)
    before = party.cpu_seconds()
    load = send(party.door, orders)
    used = {whose: seconds - before[whose] for whose, seconds in party.cpu_seconds().items() if whose != "worker"}
    _check(party, orders)
    return Ran(party.name, count, load.seconds, used | {"client": load.cpu_seconds})


def _check(party: Party, orders: Sequence[str]) -> None:
    if not party.crew:
        if (stored := BareRequest.objects.filter(order__in=orders).count()) != len(orders):
            raise NotTrue(f"{stored} rows of {len(orders)} requests that were accepted")
        return
    with working(party.crew):
        wait_until_done(party.ground.children, party.crew[0])
    prove([one.refund_id for one in moments(orders).values()])
