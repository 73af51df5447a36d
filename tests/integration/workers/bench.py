"""Pumps of the runtime, started and stopped by a test."""

import threading
from collections.abc import Callable, Collection

from tests.integration.workers.reconcilers import Recording
from workers.controller import Controller, Host, Limits
from workers.rates import Rates
from workers.workqueue import WorkQueue


class DatabaseAway(Exception):
    """Stands for django.db.OperationalError."""


class Bench:
    """Controllers on one queue, and what they asked of their process."""

    def __init__(self, queue: WorkQueue) -> None:
        self.queue = queue
        self.stop = threading.Event()
        self.leave = threading.Event()
        self.messages = 0
        self.resets = 0
        self.paused: Callable[[], Collection[str]] = tuple
        self._threads: list[threading.Thread] = []

    def controller(self, *reconcilers: Recording, rates: Rates | None = None, **limits: float) -> Controller:
        host = Host(
            self._send, self.stop.is_set, self.leave.is_set, (DatabaseAway,), self._reset, lambda: self.paused()
        )
        short = {"pump_seconds": 8.0, "linger_seconds": 0.1, "hard_limit_seconds": 12.0, **limits}
        return Controller(self.queue, reconcilers, host, limits=Limits(**short), rates=rates)

    def start(self, *reconcilers: Recording, rates: Rates | None = None, **limits: float) -> threading.Thread:
        """A pump on a thread of its own."""
        thread = threading.Thread(target=self.controller(*reconcilers, rates=rates, **limits).run)
        thread.start()
        self._threads.append(thread)
        return thread

    def _send(self) -> None:
        self.messages += 1

    def _reset(self) -> None:
        self.resets += 1

    def close(self) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join(15)
            assert not thread.is_alive()
