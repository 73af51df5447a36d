"""Stored refunds worked off by the product's worker with one party of the outside as a real server.

A crew stands still while refunds are stored, so that its backlog is whole when it begins. The time is from the first
claim to the commit of the last `refunded`, or of the last message.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from benchmarks.contenders import Ours
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing, working
from benchmarks.ground import Ground
from benchmarks.moments import moments, wait_until_done
from benchmarks.peers.serving import READY
from benchmarks.proof import prove
from benchmarks.rounds import Ran
from benchmarks.stock import stored_orders, stored_refunds
from workers.local.children import Child, Command
from workers.local.product import CHECKOUT, Product

#: Refunds by which a crew warms up, windows included, and by which its backlogs are sized.
FIRST = 300
#: So much faster a longer backlog goes than a first one.
HASTE = 1.5


@dataclass(frozen=True)
class Outside:
    """The crew, and whom it calls."""

    ground: Ground
    crew: Crew
    peer: Child

    def drain(self, name: str, count: int, *, account: str = "sandbox", told: bool = False) -> Ran:
        """So many refunds of payments at the account; `told`: until the last customer is told."""
        orders = stored_orders(count, account=account)
        stored_refunds(orders)
        before = self._cpu_seconds()
        with working(self.crew):
            wait_until_done(self.ground.children, self.crew[0])
            used = {whose: seconds - before[whose] for whose, seconds in self._cpu_seconds().items()}
        ended = moments(orders).values()
        prove([one.refund_id for one in ended])
        last = max(one.told if told else one.refunded for one in ended)
        return Ran(name, count, last - min(one.claimed for one in ended), used)

    def _cpu_seconds(self) -> dict[str, float]:
        own = {"worker": [child.process.pid for child in self.crew], "peer": [self.peer.process.pid]}
        return cpu_seconds(own | self.ground.roots())


@contextmanager
def outside(ground: Ground, module: str, port: int, *, wiring: str, **environment: str) -> Iterator[Outside]:
    """The module as a server on that port, and ours wired and configured to call it; ended at the end."""
    product: Product = replace(ground.product, environment={**ground.product.environment, **environment})
    commands = Ours(replace(ground, product=product), wiring).commands()
    with _served(ground, module, port) as peer, standing(ground.children, commands) as crew:
        yield Outside(ground, list(crew.values()), peer)


@contextmanager
def _served(ground: Ground, module: str, port: int) -> Iterator[Child]:
    argv = [sys.executable, "-m", module, "--port", str(port)]
    environment = dict(ground.product.environment)
    peer = ground.children.start(Command(module.rpartition(".")[2], argv, environment, rank=1, cwd=CHECKOUT))
    try:
        ground.children.wait_until(peer, partial(peer.says, READY))
        yield peer
    finally:
        ground.children.kill(peer)
