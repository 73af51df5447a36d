"""Doorways for Celery: no keys, no results, no retries. Losing or repeating any of these messages changes nothing.

`pump` works the queues. `sweep` brings keys whose clock has run out into the low band, and says again which queues are
paused. `top_up` sends for a pump when there is work and nobody comes. `close_books` closes the days that are over.
"""

import gc
import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from celery import shared_task
from celery.signals import worker_process_init, worker_shutting_down
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from refunds.services.closing import close_all
from refunds.services.ledger_check import check_ledger
from refunds.services.pauses import paused_queues
from workers import bootstrap
from workers.controller import Controller, Host, Limits
from workers.wake import send_pump, wake
from workers.workqueue import Band

# Keys per reconciler and sweep; the next sweep goes on where this one stopped.
SWEEP_LIMIT = 1000
# A day of millions of entries is read whole.
CLOSING_SECONDS = 3600

# A pass makes tens of thousands of objects, which go with it. Python's own 700 had it look through them, and all of the
# loaded code, for a tenth of the time.
COLLECT_AFTER = 50_000

# How often the worker's main process was told to stop, seen by its children. No Event: the lock in it would stay with a
# child that is killed or frozen while it looks, and no pump would ever run again.
_told_to_stop = multiprocessing.RawValue("i", 0)


@worker_shutting_down.connect
def stop_pumps(**_: Any) -> None:
    """Told once, pumps finish the calls in hand and take nothing new. Told again, they hand their keys back."""
    _told_to_stop.value += 1


@worker_process_init.connect
def collect_seldom(**_: Any) -> None:
    """What a process has loaded stays as long as it does: nobody need look whether it is garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])


class Termination:
    """A cold shutdown terminates pool processes: one with a pump in it hands its keys back first, and ends then."""

    def __init__(self) -> None:
        self.has_come = False

    @contextmanager
    def put_off(self) -> Iterator[None]:
        before = signal.signal(signal.SIGTERM, self._come)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
            if self.has_come:
                os.kill(os.getpid(), signal.SIGTERM)

    def _come(self, *_: Any) -> None:
        self.has_come = True


_termination = Termination()


def _is_stopping() -> bool:
    return _told_to_stop.value > 0 or _termination.has_come


def _must_leave() -> bool:
    return _told_to_stop.value > 1 or _termination.has_come


@shared_task(name="workers.tasks.pump", ignore_result=True, acks_late=True, max_retries=0)
def pump() -> None:
    connection.close_if_unusable_or_obsolete()
    with _termination.put_off():
        if not _is_stopping() and _controller().run():
            send_pump()


@shared_task(name="workers.tasks.sweep", ignore_result=True, max_retries=0)
def sweep() -> None:
    connection.close_if_unusable_or_obsolete()
    bootstrap.workqueue().declare_paused(paused_queues)
    for reconciler in bootstrap.reconcilers():
        keys = reconciler.due(SWEEP_LIMIT)
        if keys:
            wake(reconciler.queue, keys, band=Band.LOW)


@shared_task(name="workers.tasks.check_ledger", ignore_result=True, max_retries=0)
def nightly_check() -> None:
    connection.close_if_unusable_or_obsolete()
    check_ledger()


@shared_task(name="workers.tasks.top_up", ignore_result=True, max_retries=0)
def top_up() -> None:
    if bootstrap.workqueue().summon():
        send_pump()


@shared_task(name="workers.tasks.close_books", ignore_result=True, max_retries=0, time_limit=CLOSING_SECONDS)
def close_books() -> None:
    connection.close_if_unusable_or_obsolete()
    close_all()


@cache
def _controller() -> Controller:
    host = Host(
        send_pump=send_pump,
        is_stopping=_is_stopping,
        must_leave=_must_leave,
        database_errors=(OperationalError, InterfaceError),
        reset_database=connection.close_if_unusable_or_obsolete,
        paused_queues=paused_queues,
    )
    limits = Limits(
        batch=settings.BATCH,
        slots=settings.SLOTS,
        pump_seconds=settings.PUMP_SECONDS,
        linger_seconds=settings.LINGER_SECONDS,
        hard_limit_seconds=settings.HARD_LIMIT_SECONDS,
        most_calls=dict.fromkeys(bootstrap.messengers(), settings.MESSAGE_SLOTS),
    )
    return Controller(bootstrap.workqueue(), bootstrap.reconcilers(), host, limits=limits, rates=bootstrap.rates())
