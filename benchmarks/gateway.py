"""Real HTTP: stored refunds through gateways that take 0, 50 and 300 ms to answer.

64 calls at once in all: a pump is given 64 call threads, of which one account gets at most half, so that a slow one
leaves room for others (`workers/room.py`); two pumps run at once, so an account has 2 x 32. Ideal is therefore
64 / delay; how many calls were under way at most the gateway itself counts, and more than 64 end the run without a
figure, for then the ideal would be another. The three are accounts at one server, each worked off alone, in turn;
messengers are in the worker's own process.
"""

from statistics import median

import urllib3

from benchmarks.budgets import Budget
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.outside import DELAYS_MS, FIRST, HASTE, QUICK_FIRST, SLOTS, Outside, account
from benchmarks.rounds import Ran, Rounds, Size
from workers.local.ports import LOOPBACK

GOAL_MS = 50
FULL, QUICK = Size(rounds=2, seconds=4.0), Size(rounds=1, seconds=1.5)


def run(stage: Outside, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    size, first = (QUICK, QUICK_FIRST) if quick else (FULL, FIRST)
    rounds, most = Rounds("gateway"), dict.fromkeys(DELAYS_MS, 0)

    def drain(delay: int, count: int) -> Ran:
        ran = stage.drain(account(delay), count, stage.gateway)
        most[delay] = max(most[delay], checked(most_at_once(stage.gateway_port)))
        return ran

    rates = {delay: drain(delay, first).rate for delay in DELAYS_MS}
    for _ in budget.rounds(size.rounds):
        for delay, rate in rates.items():
            rounds.add(drain(delay, max(first, round(min(rate * HASTE, ideal(delay or 1)) * size.seconds))))
    rows = {account(delay): _beside_ideal(rounds, delay, most[delay]) for delay in DELAYS_MS if delay}
    name = f"HTTP gateway of {GOAL_MS} ms, {SLOTS} slots: refunds a second / ideal"
    goal = Goal(name, ">= 0.8", rows[account(GOAL_MS)]["of ideal"])
    return [rounds.table(), Figures("gateway: beside ideal", rows), goal]


def ideal(delay_ms: int) -> float:
    """Refunds a second of so many slots that never wait."""
    return 1000 * SLOTS / delay_ms


def most_at_once(port: int) -> int:
    """How many calls the gateway had under way at most since it was last asked."""
    most: int = urllib3.request("GET", f"http://{LOOPBACK}:{port}/0/most").json()["most"]
    return most


def checked(most: int) -> int:
    """No more than the slots: a share of another ideal means nothing."""
    if most > SLOTS:
        raise RuntimeError(f"{most} calls at once, where {SLOTS} were to be the most")
    return most


def _beside_ideal(rounds: Rounds, delay_ms: int, most: int) -> dict[str, float]:
    reached = median(ran.rate for ran in rounds.of(account(delay_ms)))
    of_ideal = round(reached / ideal(delay_ms), 3)
    return {"ideal/s": ideal(delay_ms), "median/s": reached, "of ideal": of_ideal, "most at once": most}
