"""End to end: requests come as fast as they are taken, and the clock stops when the last refund is told.

Ours, asked by single calls and in bulk, and the tuned chain behind the same web server; web, worker, databases and
client share the cores. Extras that were asked for take their turn, too. Gateway and messengers are in the worker's own
process. The time is from the first request to the commit of the last message.
"""

from benchmarks.budgets import Budget
from benchmarks.crews import working
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.load import BATCH, send
from benchmarks.moments import moments, wait_until_done
from benchmarks.parties import Parties, Party
from benchmarks.proof import prove
from benchmarks.rounds import Ran, Rounds, Size
from benchmarks.stock import stored_orders

NAMES = ("single", "bulk", "tuned")
#: Refunds by which a contender warms up before each round, and by which its rounds are sized.
FIRST = {"single": 100, "bulk": 3 * BATCH, "tuned": 50}
FULL, QUICK = Size(rounds=3, seconds=4.0), Size(rounds=1, seconds=1.5)


def run(stage: Parties, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    size = QUICK if quick else FULL
    rounds, extras = Rounds("end to end"), [name for name in stage.ground.extras if name in stage.at]
    for _ in budget.rounds(size.rounds):
        for name in (*NAMES, *extras):
            rounds.add(_run(stage.at[name], FIRST.get(name, FIRST["tuned"]), size.seconds))
    return [
        rounds.table(),
        rounds.cpu_table(["tuned", *extras], NAMES[:-1]),
        Goal("end to end, single / tuned", ">= 5", rounds.ratio("single", "tuned")),
        Goal("end to end, bulk / tuned", ">= 10", rounds.ratio("bulk", "tuned")),
    ]


def _run(party: Party, first: int, seconds: float) -> Ran:
    """Warm up, then as many as take so long."""
    with working(party.crew):
        rate = _carry(party, first).rate
        return _carry(party, max(first, round(rate * seconds / BATCH) * BATCH))


def _carry(party: Party, count: int) -> Ran:
    orders = stored_orders(count)
    before = party.cpu_seconds()
    load = send(party.door, orders)
    wait_until_done(party.ground.children, party.crew[0])
    used = {whose: seconds - before[whose] for whose, seconds in party.cpu_seconds().items()}
    ended = moments(orders).values()
    prove([one.refund_id for one in ended])
    seconds = max(one.told for one in ended) - load.begun
    return Ran(party.name, count, seconds, used | {"client": load.cpu_seconds})
