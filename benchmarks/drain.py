"""Drain: stored instant refunds, and how fast they are refunded and told.

Both contenders find the same rows in the same tables, first ours, then the tuned chain, and so on, in one run. Each
time their processes are started anew, work off a first few refunds, and are stopped while the backlog is queued. The
clock runs from the first claim to the last thing written, by the times in the rows.
"""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import redis
from django.conf import settings
from django.db import connection

from benchmarks.clones import Seed, clone
from benchmarks.contenders import READY, Ours, Tuned
from benchmarks.cost import cpu_seconds
from benchmarks.ground import Ground
from benchmarks.passes import run_through
from benchmarks.proof import prove
from benchmarks.report import Contest, Ran
from tests.factories import make_order, request
from workers.local.children import Child

GOAL = 25.0
LIMIT_SECONDS = 120.0
POLL_SECONDS = 0.2

Contender = Ours | Tuned

# The seed sleeps far beyond it.
_OPEN = """
SELECT EXISTS (SELECT FROM refunds_refund WHERE next_reconcile_at < now() + interval '1 day')
OR EXISTS (SELECT FROM refunds_notification WHERE next_reconcile_at < now() + interval '1 day')
"""
_TOOK = """
SELECT extract(epoch FROM
    (SELECT max(greatest(r.finished_at, n.sent_to_provider_at))
        FROM refunds_notification n JOIN refunds_refund r ON r.id = n.refund_id WHERE r.id = ANY(%s))
    - (SELECT min(first_sent_at) FROM refunds_gatewayrefund WHERE refund_id = ANY(%s)))::float
"""


@dataclass(frozen=True)
class Size:
    """`seconds` is how long a backlog should last; `first` are the refunds worked off before it, and its least size."""

    history: int
    rounds: int
    seconds: float
    first: dict[str, int]


FULL = Size(history=20_000, rounds=5, seconds=10.0, first={"ours": 1000, "tuned": 100})
QUICK = Size(history=5_000, rounds=3, seconds=2.0, first={"ours": 400, "tuned": 40})


def run(ground: Ground, *, quick: bool) -> list[Contest]:
    """As shipped; and, unless quick, without the texts."""
    size = QUICK if quick else FULL
    backlog = _seeds(size.history)
    contests = [Contest("drain", first="ours", second="tuned", goal=GOAL)]
    _fight(contests[0], [kind(ground, "benchmarks.wired") for kind in (Ours, Tuned)], backlog, size)
    if not quick:
        contests.append(Contest("drain without texts", first="ours", second="tuned"))
        _fight(contests[1], [kind(ground, "benchmarks.unrendered") for kind in (Ours, Tuned)], backlog, size)
    return contests


def _fight(contest: Contest, contenders: Sequence[Contender], backlog: Seed, size: Size) -> None:
    print(contest.name, flush=True)
    for _ in range(size.rounds):
        for contender in contenders:
            ran = _drain(contender, backlog, size)
            contest.add(ran)
            print(ran.text(), flush=True)


def _seeds(history: int) -> Seed:
    """The seed of backlogs; beside it so many refunds that ended long ago."""
    waiting, ended = make_order(2500, 1500), make_order(2500, 1500)
    request(waiting)
    run_through([refund.id for refund in request(ended).refunds], batch=1)
    backlog = Seed.of(waiting)
    clone(Seed.of(ended), history)
    return backlog


def _drain(contender: Contender, backlog: Seed, size: Size) -> Ran:
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    least = size.first[contender.name]
    with _running(contender) as processes:
        first = _work_off(contender, processes, clone(backlog, least))
        return _work_off(contender, processes, clone(backlog, max(least, round(first.rate * size.seconds))))


@contextmanager
def _running(contender: Contender) -> Iterator[list[Child]]:
    children, processes = contender.ground.children, list[Child]()
    try:
        for command in contender.commands():
            processes.append(children.start(command))
            children.wait_until(processes[-1], partial(processes[-1].says, READY[command.name]))
        yield processes
    finally:
        for child in processes:
            children.kill(child)


def _work_off(contender: Contender, processes: Sequence[Child], refund_ids: Sequence[int]) -> Ran:
    ground = contender.ground
    roots = {
        "Python": [child.process.pid for child in processes],
        "PostgreSQL": [ground.postgres.process.pid],
        "Valkey": [ground.valkey.process.pid],
    }
    with _held(processes):
        contender.enqueue(refund_ids)
        before = cpu_seconds(roots)
    ground.children.wait_until(processes[-1], _is_done, seconds=LIMIT_SECONDS)
    used = {name: seconds - before[name] for name, seconds in cpu_seconds(roots).items()}
    prove(refund_ids)
    return Ran(contender.name, len(refund_ids), _seconds(refund_ids), used)


@contextmanager
def _held(processes: Sequence[Child]) -> Iterator[None]:
    """They stand still meanwhile, all of their groups."""
    for child in processes:
        os.killpg(child.process.pid, signal.SIGSTOP)
    yield
    for child in processes:
        os.killpg(child.process.pid, signal.SIGCONT)


def _is_done() -> bool:
    time.sleep(POLL_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(_OPEN)
        return not cursor.fetchone()[0]


def _seconds(refund_ids: Sequence[int]) -> float:
    with connection.cursor() as cursor:
        cursor.execute(_TOOK, [[*refund_ids], [*refund_ids]])
        return cursor.fetchone()[0]
