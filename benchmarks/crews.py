"""Workers of contenders that are ready and stand still (SIGSTOP) until it is their turn.

They share the tables, and one that goes on would work off what was meant for another.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import redis
from django.conf import settings

from benchmarks.contenders import READY
from workers.local.children import Child, Children, Command

Crew = Sequence[Child]


@contextmanager
def standing(children: Children, commands: Sequence[Command]) -> Iterator[dict[str, Child]]:
    """These processes by name, started on an empty Valkey, ready and standing still; ended at the end."""
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    started: dict[str, Child] = {}
    try:
        for command in commands:
            started[command.name] = children.start(command)
        for child in started.values():
            children.wait_until(child, partial(child.says, READY[child.command.name]))
            _signal([child], signal.SIGSTOP)
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
        _signal(crew, signal.SIGSTOP)


def _signal(crew: Crew, number: signal.Signals) -> None:
    for child in crew:
        os.killpg(child.process.pid, number)
