"""Real HTTP and SMTP: stored refunds through gateways that take 0, 50 and 300 ms, and mails to a mail server.

64 calls at once in all: a pump is given 64 call threads, of which one account gets at most half, so that a slow one
leaves room for others (`workers/room.py`); two pumps run at once, so an account has 2 x 32. Ideal is therefore
64 / delay. Gateways are three accounts at one server, each worked off alone, in turn; messengers are in the
worker's own process. Of the mails the channel "email" is the account, with the gateway and SMS in the process.

The time is from the first claim to the commit of the last `refunded`, of mails to that of the last message.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from django.test import override_settings

from benchmarks.contenders import Ours
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing, working
from benchmarks.figures import Figures
from benchmarks.goals import Goal
from benchmarks.ground import Ground
from benchmarks.moments import moments, wait_until_done
from benchmarks.peers import mail_server, slow_gateway
from benchmarks.proof import prove
from benchmarks.rounds import Ran, Rounds
from benchmarks.stock import stored_orders, stored_refunds
from workers.local.children import Child, Command
from workers.local.ports import LOOPBACK, free_port
from workers.local.product import CHECKOUT, Product

SLOTS = 64
#: Refunds by which a crew warms up, windows included, and by which its backlogs are sized.
FIRST = 300
#: So much faster a longer backlog goes than a first one.
HASTE = 1.5
MAIL = "mail"
DELAYS_MS = (0, 50, 300)
GOAL_MS = 50


@dataclass(frozen=True)
class Size:
    rounds: int
    seconds: float


FULL, QUICK = Size(rounds=2, seconds=5.0), Size(rounds=1, seconds=2.0)


def run(ground: Ground, *, quick: bool) -> list[Figures | Goal]:
    size = QUICK if quick else FULL
    by_gateway, mails = Rounds("gateway"), Rounds("mail")
    with _gateways(ground) as (crew, peer):
        rates = {delay: _drain(ground, crew, peer, account(delay), FIRST).rate for delay in DELAYS_MS}
        for _ in range(size.rounds):
            for delay, rate in rates.items():
                count = max(FIRST, round(min(rate * HASTE, ideal(delay or 1)) * size.seconds))
                by_gateway.add(_drain(ground, crew, peer, account(delay), count))
    with _mail(ground) as (crew, peer):
        rate = _drain(ground, crew, peer, MAIL, FIRST).rate
        mails.add(_drain(ground, crew, peer, MAIL, max(FIRST, round(rate * HASTE * size.seconds))))
    ideals = {delay: _beside_ideal(by_gateway, delay) for delay in DELAYS_MS if delay}
    shares = Figures("gateway: beside ideal", {account(delay): row for delay, row in ideals.items()})
    name = f"HTTP gateway of {GOAL_MS} ms, {SLOTS} slots: refunds a second / ideal"
    return [by_gateway.table(), shares, mails.table(), Goal(name, ">= 0.8", ideals[GOAL_MS]["of ideal"])]


def account(delay_ms: int) -> str:
    return f"http-{delay_ms}-ms"


def ideal(delay_ms: int) -> float:
    """Refunds a second of so many slots that never wait."""
    return 1000 * SLOTS / delay_ms


def _beside_ideal(rounds: Rounds, delay_ms: int) -> dict[str, float]:
    reached = median(ran.rate for ran in rounds.of(account(delay_ms)))
    return {"ideal/s": ideal(delay_ms), "median/s": reached, "of ideal": reached / ideal(delay_ms)}


@contextmanager
def _gateways(ground: Ground) -> Iterator[tuple[Crew, Child]]:
    port = free_port()
    secret = json.loads(ground.product.environment["GATEWAY_ACCOUNTS"])["sandbox"]["secret"]
    accounts = {
        account(delay): {
            "adapter": "http",
            "secret": secret,
            "base_url": f"http://{LOOPBACK}:{port}/{delay}/v1",
            "listing": False,
        }
        for delay in DELAYS_MS
    }
    with (
        override_settings(GATEWAY_ACCOUNTS=accounts),  # a request of an account that nobody knows is refused
        _peer(ground, slow_gateway.__name__, port, slow_gateway.READY) as peer,
        _crew(ground, "benchmarks.wired_messengers", SLOTS=str(SLOTS), GATEWAY_ACCOUNTS=json.dumps(accounts)) as crew,
    ):
        yield crew, peer


@contextmanager
def _mail(ground: Ground) -> Iterator[tuple[Crew, Child]]:
    port = free_port()
    with (
        _peer(ground, mail_server.__name__, port, mail_server.READY) as peer,
        _crew(ground, "benchmarks.wired_mail", EMAIL_URL=f"smtp://{LOOPBACK}:{port}") as crew,
    ):
        yield crew, peer


@contextmanager
def _peer(ground: Ground, module: str, port: int, ready: str) -> Iterator[Child]:
    name = module.rpartition(".")[2]
    command = Command(name, [sys.executable, "-m", module, "--port", str(port)], dict(ground.product.environment))
    peer = ground.children.start(replace(command, cwd=CHECKOUT))
    try:
        ground.children.wait_until(peer, partial(peer.says, ready))
        yield peer
    finally:
        ground.children.kill(peer)


@contextmanager
def _crew(ground: Ground, wiring: str, **environment: str) -> Iterator[Crew]:
    product: Product = replace(ground.product, environment={**ground.product.environment, **environment})
    with standing(ground.children, Ours(replace(ground, product=product), wiring).commands()) as crew:
        yield list(crew.values())


def _drain(ground: Ground, crew: Crew, peer: Child, name: str, count: int) -> Ran:
    orders = stored_orders(count, account="sandbox" if name == MAIL else name)
    stored_refunds(orders)
    roots = {"worker": [child.process.pid for child in crew], "peer": [peer.process.pid]}
    roots |= {"PostgreSQL": [ground.postgres.process.pid], "Valkey": [ground.valkey.process.pid]}
    before = cpu_seconds(roots)
    with working(crew):
        wait_until_done(ground.children, crew[0])
        used = {whose: seconds - before[whose] for whose, seconds in cpu_seconds(roots).items()}
    ended = moments(orders).values()
    prove([one.refund_id for one in ended])
    last = max(one.told if name == MAIL else one.refunded for one in ended)
    return Ran(name, count, last - min(one.claimed for one in ended), used)
