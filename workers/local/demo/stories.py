"""Tells stories, those of `stories.toml`: all begin at once, and are printed in order as they end."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from orders.management.demo import DemoOrder, read_orders
from refunds.amounts import format_minor
from workers.local.demo.client import Installation, WentWrong
from workers.local.demo.player import STEP_SECONDS, Player
from workers.local.demo.telling import timeline

STORIES = Path(__file__).with_name("stories.toml")
TELL_SECONDS = 5.0
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Told:
    """A story that ended; `problem` is "" when it ended as it should."""

    player: Player
    seconds: float
    problem: str


def new_orders() -> list[DemoOrder]:
    """The stories, on orders that were never there before."""
    return read_orders(STORIES, prefix=f"STORY-{secrets.token_hex(2).upper()}-")


def tell_all(at: Installation, stories: Sequence[DemoOrder], tell: Tell, *, step_seconds: float = STEP_SECONDS) -> int:
    """Play and print them; 1 if one did not end as it should."""
    players = [Player(at, order, seconds=step_seconds) for order in stories]
    tell(f"{len(players)} stories, all at once.")
    with ThreadPoolExecutor(len(players)) as pool:
        endings = [pool.submit(_play, player) for player in players]
        problems = [_tell(n, _await(n, ending, players, tell), tell) for n, ending in enumerate(endings, start=1)]
    failed = sum(map(bool, problems))
    tell(f"\n{len(players) - failed} of {len(players)} stories ended as they should.")
    tell(f"Their messages: {at.inbox_url}  Gateway and courier: {at.sandbox_url}")
    return 1 if failed else 0


def _play(player: Player) -> Told:
    begun = time.monotonic()
    try:
        player.prepare()
        player.play()
    except WentWrong as problem:
        return Told(player, time.monotonic() - begun, str(problem))
    return Told(player, time.monotonic() - begun, "")


def _await(n: int, ending: "Future[Told]", players: Sequence[Player], tell: Tell) -> Told:
    """The story's end, saying now and then what it waits for."""
    while not wait([ending], timeout=TELL_SECONDS).done:
        tell(f"\n    ... story {n} is at: {players[n - 1].doing}")
    return ending.result()


def _tell(n: int, told: Told, tell: Tell) -> str:
    order = told.player.order
    tell(f"\n{n:2}.  {order.about['en']}")
    tell(f"     order {order.number}: {_basket(order)}; {order.facts['customer']['name']}")
    for line in timeline(told.player):
        tell(line)
    tell(
        f"     NOT AS IT SHOULD: {told.problem}" if told.problem else f"     As it should, after {told.seconds:.1f} s."
    )
    return told.problem


def _basket(order: DemoOrder) -> str:
    """What was bought, and how it was paid."""
    bought = ", ".join(f"{line['quantity']} x {line['name']}" for line in order.facts["lines"])
    paid = [
        format_minor(payment["captured_minor"], order.facts["currency"], "en") for payment in order.facts["payments"]
    ]
    return f"{bought}, paid {' + '.join(paid)}"
