"""The pump's second thread: renews what it holds, and hears the bell while the pump is busy or waits."""

import logging
import threading
import time
from collections.abc import Callable, Sequence

import redis

from workers.workqueue import Lease, WorkQueue

logger = logging.getLogger(__name__)


class Heart:
    """Beats three times per lease, until stopped or, whatever hangs, until `last_beat` (monotonic seconds)."""

    def __init__(
        self,
        queue: WorkQueue,
        pump: str,
        *,
        leases: Callable[[], Sequence[Lease]],
        rang: Callable[[], None],
        last_beat: float,
    ) -> None:
        self._queue = queue
        self._pump = pump
        self._leases = leases
        self._rang = rang
        self._last_beat = last_beat
        self._interval = queue.lease_seconds / 3
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._bell = queue.bell()

    def start(self) -> None:
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name=f"heart-{self._pump}", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """No beat and no ring comes after this returns."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._stopping.set()
        for _ in range(100):
            self._interrupt()
            thread.join(0.02)
            if not thread.is_alive():
                return

    def close(self) -> None:
        self.stop()
        self._bell.close()

    def _interrupt(self) -> None:
        try:
            self._bell.interrupt()
        except redis.RedisError:
            logger.debug("the bell cannot be interrupted: its connection is gone", exc_info=True)

    def _run(self) -> None:
        beaten = time.monotonic()
        while not self._stopping.is_set():
            self._wait(max(0.01, beaten + self._interval - time.monotonic()))
            now = time.monotonic()
            if beaten + self._interval <= now < self._last_beat and not self._stopping.is_set():
                beaten = now
                self._beat()

    def _wait(self, seconds: float) -> None:
        try:
            if self._bell.wait(seconds):
                self._rang()
        except redis.RedisError:
            logger.warning("pump %s cannot hear the bell", self._pump, exc_info=True)
            self._stopping.wait(min(seconds, 0.5))

    def _beat(self) -> None:
        try:
            refused = self._queue.extend(self._pump, self._leases())
        except redis.RedisError:
            logger.warning("pump %s cannot renew its leases", self._pump, exc_info=True)
            return
        # What was finished in the meantime is refused as well.
        still_held = set(self._leases())
        lost = [lease for lease in refused if lease in still_held]
        if lost:
            logger.warning("pump %s lost %d leases", self._pump, len(lost))
