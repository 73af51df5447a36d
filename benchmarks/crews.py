"""Workers of contenders that are ready and stand still (SIGSTOP) until it is their turn.

They share the tables, and one that goes on would work off what was meant for another. One that asks PostgreSQL all the
time for work is stopped where it holds nothing there: others would wait for its locks, and no vacuum would pass it.
"""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import redis
from django.conf import settings
from django.db import connection

from benchmarks.contenders import READY
from workers.local.children import Child, Children, Command

Crew = Sequence[Child]
#: Between two attempts to stop a process, and for a whole crew.
PAUSE_SECONDS, LIMIT_SECONDS = 0.02, 10.0
_LOCKED = "EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory')"
_BUSY = f"""
SELECT EXISTS (SELECT FROM pg_stat_activity a
    WHERE application_name = %s AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL) AND NOT {_LOCKED})
"""
# DBOS keeps a lock in an open transaction, second by second; PostgreSQL would end that of a frozen process after 5 s.
_END_LOCK = f"SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity a WHERE application_name = %s AND {_LOCKED}"


@contextmanager
def standing(children: Children, commands: Sequence[Command]) -> Iterator[dict[str, Child]]:
    """These processes by name, started on an empty Valkey, ready and standing still; ended at the end."""
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    started: dict[str, Child] = {}
    try:
        for command in commands:
            started[command.name] = children.start(command)
        for child in started.values():
            children.wait_until(child, partial(child.says, READY[child.command.name.partition("-")[0]]))
            _stop([child])
        yield started
    finally:
        for child in started.values():
            children.kill(child)


@contextmanager
def working(crew: Crew) -> Iterator[None]:
    """The crew goes on meanwhile."""
    _signal(crew, signal.SIGCONT)
    try:
        yield
    finally:
        _stop(crew)


def _stop(crew: Crew) -> None:
    """Each of those that have a name in PostgreSQL (PGAPPNAME) where it holds nothing there."""
    _signal(crew, signal.SIGSTOP)
    deadline = time.monotonic() + LIMIT_SECONDS
    for child in crew:
        if name := child.command.env.get("PGAPPNAME"):
            while _is_busy(child, name):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{name} could not be stopped between its transactions")
                _signal([child], signal.SIGCONT)
                time.sleep(PAUSE_SECONDS)
                _signal([child], signal.SIGSTOP)
            _any(_END_LOCK, name)


def _is_busy(child: Child, name: str) -> bool:
    """Once it stands still, and what it had sent has come to PostgreSQL."""
    os.waitid(os.P_PID, child.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    time.sleep(PAUSE_SECONDS)
    return _any(_BUSY, name)


def _any(sql: str, name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [name])
        return any(row[0] for row in cursor.fetchall())


def _signal(crew: Crew, number: signal.Signals) -> None:
    for child in crew:
        os.killpg(child.process.pid, number)
