"""The stage on which stored refunds are worked off by the product's worker, with real servers outside of it.

One crew is wired and configured to call them all. It stands still while refunds are queued, so that its backlog is
whole when it begins. The time is from the first claim to the commit of the last `refunded`, or of the last message.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.test import override_settings

from benchmarks.clones import Seed, clone
from benchmarks.contenders import Ours
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing, working
from benchmarks.ground import Ground
from benchmarks.moments import moments_of, wait_until_done
from benchmarks.peers import mail_server, slow_gateway
from benchmarks.peers.serving import READY
from benchmarks.proof import prove
from benchmarks.rounds import Ran
from benchmarks.seeds import waiting_seed
from workers.local.children import Child, Command
from workers.local.ports import LOOPBACK, free_port
from workers.local.product import CHECKOUT

#: Refunds by which a crew warms up, windows included, and by which its backlogs are sized.
FIRST, QUICK_FIRST = 300, 128
#: So much faster a longer backlog goes than a first one.
HASTE = 1.5
#: Call threads of a pump, whatever is shipped.
SLOTS = 64
DELAYS_MS = (0, 50, 300)


@dataclass(frozen=True)
class Outside:
    """The crew, and whom it calls: a gateway with an account for each delay, and a mail server; `seeds` by account,
    and "mail"."""

    ours: Ours
    crew: Crew
    seeds: dict[str, Seed]
    gateway_port: int
    gateway: Child
    mail_server: Child

    def drain(self, name: str, count: int, peer: Child, *, told: bool = False) -> Ran:
        """So many clones of the seed of that name; `told`: until the last customer is told."""
        refund_ids = clone(self.seeds[name], count)
        self.ours.enqueue(refund_ids)
        roots = {"worker": [child.process.pid for child in self.crew], "peer": [peer.process.pid]}
        roots |= self.ours.ground.roots()
        before = cpu_seconds(roots)
        with working(self.crew):
            wait_until_done(self.ours.ground.children, self.crew[0])
            used = {whose: seconds - before[whose] for whose, seconds in cpu_seconds(roots).items()}
        prove(refund_ids)
        ended = moments_of(refund_ids)
        last = max(one.told if told else one.refunded for one in ended)
        return Ran(name, count, last - min(one.claimed for one in ended), used)


def account(delay_ms: int) -> str:
    return f"http-{delay_ms}-ms"


@contextmanager
def opened(ground: Ground, rows: Sequence[str]) -> Iterator[Outside]:
    """For all of its rows; ended at the end."""
    gateway_port, mail_port = free_port(), free_port()
    configured = _configured(ground.product.environment["GATEWAY_ACCOUNTS"], gateway_port, mail_port)
    seeds = _seeds(json.loads(configured["GATEWAY_ACCOUNTS"]))
    product = replace(ground.product, environment={**ground.product.environment, **configured})
    ours = Ours(replace(ground, product=product), "benchmarks.wired_outside")
    with (
        _served(ground, slow_gateway.__name__, gateway_port) as gateway,
        _served(ground, mail_server.__name__, mail_port) as mails,
        standing(ground.children, ours.commands()) as crew,
    ):
        yield Outside(ours, list(crew.values()), seeds, gateway_port, gateway, mails)


def _seeds(accounts: dict[str, Any]) -> dict[str, Seed]:
    # A request of an account that nobody knows is refused.
    with override_settings(GATEWAY_ACCOUNTS=accounts):
        paid = {account(ms): waiting_seed(account=account(ms)) for ms in DELAYS_MS}
    return paid | {"mail": waiting_seed(customer_email=f"customer{mail_server.DOMAIN}")}


def _configured(shipped: str, gateway_port: int, mail_port: int) -> dict[str, str]:
    """`shipped` are the accounts of the product."""
    accounts = json.loads(shipped)
    about = {"adapter": "http", "secret": accounts["sandbox"]["secret"], "listing": False}
    ours = {account(ms): {**about, "base_url": f"http://{LOOPBACK}:{gateway_port}/{ms}/v1"} for ms in DELAYS_MS}
    return {
        "GATEWAY_ACCOUNTS": json.dumps(accounts | ours),
        "SLOTS": str(SLOTS),
        "EMAIL_URL": f"smtp://{LOOPBACK}:{mail_port}",
    }


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
