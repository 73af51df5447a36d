"""Real HTTP: stored refunds through gateways that take 0, 50 and 300 ms to answer.

64 calls at once in all: a pump is given 64 call threads, of which one account gets at most half, so that a slow one
leaves room for others (`workers/room.py`); two pumps run at once, so an account has 2 x 32. Ideal is therefore
64 / delay; how many calls were under way at most the gateway itself counts, and more than 64 end the run without a
figure, for then the ideal would be another. The three are accounts at one server, each
worked off alone, in turn; messengers are in the worker's own process.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import urllib3
from django.test import override_settings

from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.outside import FIRST, HASTE, Outside, outside
from benchmarks.peers import slow_gateway
from benchmarks.rounds import Rounds, Size
from workers.local.ports import LOOPBACK, free_port

#: Whatever is shipped.
SLOTS = 64
DELAYS_MS = (0, 50, 300)
GOAL_MS = 50


FULL, QUICK = Size(rounds=2, seconds=5.0), Size(rounds=1, seconds=2.0)


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    size, port = QUICK if quick else FULL, free_port()
    rounds, most = Rounds("gateway"), dict[int, int]()
    with _gateways(ground, port) as gateways:
        rates = {delay: gateways.drain(account(delay), FIRST, account=account(delay)).rate for delay in DELAYS_MS}
        for _ in range(size.rounds):
            for delay, rate in rates.items():
                count = max(FIRST, round(min(rate * HASTE, ideal(delay or 1)) * size.seconds))
                rounds.add(gateways.drain(account(delay), count, account=account(delay)))
                most[delay] = max(most.get(delay, 0), checked(most_at_once(port)))
    rows = {account(delay): _beside_ideal(rounds, delay, most[delay]) for delay in DELAYS_MS if delay}
    name = f"HTTP gateway of {GOAL_MS} ms, {SLOTS} slots: refunds a second / ideal"
    goal = Goal(name, ">= 0.8", rows[account(GOAL_MS)]["of ideal"])
    return [rounds.table(), Figures("gateway: beside ideal", rows), goal]


def account(delay_ms: int) -> str:
    return f"http-{delay_ms}-ms"


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


@contextmanager
def _gateways(ground: Ground, port: int) -> Iterator[Outside]:
    secret = json.loads(ground.product.environment["GATEWAY_ACCOUNTS"])["sandbox"]["secret"]
    about = {"adapter": "http", "secret": secret, "listing": False}
    accounts = {account(ms): {**about, "base_url": f"http://{LOOPBACK}:{port}/{ms}/v1"} for ms in DELAYS_MS}
    configured = {"GATEWAY_ACCOUNTS": json.dumps(accounts), "SLOTS": str(SLOTS)}
    module = slow_gateway.__name__
    with (
        override_settings(GATEWAY_ACCOUNTS=accounts),  # a request of an account that nobody knows is refused
        outside(ground, module, port, wiring="benchmarks.wired_messengers", **configured) as gateways,
    ):
        yield gateways
