"""A contender's processes work off a backlog: started anew, warmed up, held while it is queued, and proved."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import redis
from django.conf import settings
from django.db import connection

from benchmarks.clones import Seed, clone
from benchmarks.contenders import READY, Ours, Tuned
from benchmarks.cost import cpu_seconds
from benchmarks.proof import prove
from benchmarks.rounds import Ran
from workers.local.children import Child

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


def drained(contender: Contender, backlog: Seed, *, first: int, seconds: float) -> Ran:
    """A backlog that should last so long, sized by that many refunds worked off before it, which are its least size."""
    with running(contender) as processes:
        ran = work_off(contender, processes, clone(backlog, first))
        return work_off(contender, processes, clone(backlog, max(first, round(ran.rate * seconds))))


@contextmanager
def running(contender: Contender) -> Iterator[list[Child]]:
    """Its processes, started anew on an empty Valkey."""
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    children, processes = contender.ground.children, list[Child]()
    try:
        for command in contender.commands():
            processes.append(children.start(command))
            children.wait_until(processes[-1], partial(processes[-1].says, READY[command.name]))
        yield processes
    finally:
        for child in processes:
            children.kill(child)


def work_off(contender: Contender, processes: Sequence[Child], refund_ids: Sequence[int]) -> Ran:
    """Queued while they stand still; proved when all is done."""
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
