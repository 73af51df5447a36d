"""The wake-up that follows a commit: a hint, so losing it costs seconds and waiting for it must cost nobody anything.

    transaction.on_commit(partial(wake, "refunds", keys), robust=True)

With Redis down or silent a request loses at most about 0.1 s, once a second and process; the sweep finds the keys.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache

import redis
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.workqueue import Band, WorkQueue

logger = logging.getLogger(__name__)

PUMP_TASK = "workers.tasks.pump"
SKIP_SECONDS = 1.0
# A web request waits for no more than this, whatever Redis does.
CONNECT_SECONDS = 0.05
ANSWER_SECONDS = 0.1


class Waker:
    """Adds keys, and sends for a pump when the queue says that nobody else will come."""

    def __init__(self, queue: WorkQueue, send_pump: Callable[[], None]) -> None:
        self._queue = queue
        self._send_pump = send_pump
        self._skip_until = float("-inf")

    def wake(self, queue: str, keys: Iterable[str], *, band: Band = Band.HIGH) -> bool:
        """True if the keys are in the queue now. Never raises for Redis or the broker."""
        if time.monotonic() < self._skip_until:
            return False
        try:
            added = self._queue.add(queue, keys, band=band)
        except redis.RedisError as error:
            self._skip_until = time.monotonic() + SKIP_SECONDS
            logger.warning("keys of %s are left to the sweep: %s", queue, error)
            return False
        if added.send_message:
            threading.Thread(target=self._send_pump, name="send-pump", daemon=True).start()
        return True


def wake(queue: str, keys: Iterable[str], *, band: Band = Band.HIGH) -> bool:
    """Have the keys reconciled soon. Call it after the commit; it never raises, and never waits long."""
    return _waker().wake(queue, keys, band=band)


def send_pump() -> None:
    """A Celery message for one more pump. A broker that is away is only logged: the scheduler tops up every second."""
    try:
        current_app.send_task(PUMP_TASK, ignore_result=True, retry=False)
    except (OperationalError, *current_app.connection_for_write().recoverable_connection_errors) as error:
        logger.warning("no message for a pump could be sent: %s", error)


@cache
def _waker() -> Waker:
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return Waker(WorkQueue(client, [], most_pumps=settings.PUMPS), send_pump)
