"""Brings the demo shop's orders to where its table has them; one that is there already is left alone."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

from orders.management.demo import DemoOrder
from workers.local.demo.client import Installation, WentWrong
from workers.local.demo.player import Player

#: The label of an order whose steps have all been played: it belongs to whoever plays with it from then on.
READY = "ready"
AT_ONCE = 6
TELL_SECONDS = 5.0
Tell = Callable[[str], None]


def load(at: Installation, shop: Sequence[DemoOrder], tell: Tell) -> list[str]:
    """Play what has not been played; what went wrong, by order."""
    missing = [order for order in shop if not _is_ready(at, order)]
    if not missing:
        tell(f"The demo shop is there: {len(shop)} orders.")
        return []
    tell(f"Loading the demo shop: {len(missing)} orders.")
    begun = time.monotonic()
    failures = _play_all(at, missing, tell)
    if not failures:
        tell(f"The demo shop is loaded: {len(shop)} orders, {time.monotonic() - begun:.0f} s.")
    return failures


def _play_all(at: Installation, orders: Sequence[DemoOrder], tell: Tell) -> list[str]:
    failures, told_at = [], time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(partial(_play, at, order)) for order in orders]
        for done, future in enumerate(as_completed(waiting), start=1):
            failures += [failure] if (failure := future.result()) else []
            if time.monotonic() - told_at > TELL_SECONDS:
                told_at = time.monotonic()
                tell(f"  {done} of {len(orders)}")
    return failures


def _play(at: Installation, order: DemoOrder) -> str:
    """What went wrong; "" when the order is where it should be."""
    player = Player(at, order)
    try:
        player.prepare()
        player.play()
        player.state(demo=READY)
    except WentWrong as problem:
        return str(problem)
    return ""


def _is_ready(at: Installation, order: DemoOrder) -> bool:
    labels = at.api("GET", f"/orders/{order.number}")["labels"]
    return bool(labels.get("demo") == READY)
