"""Celery's pool of processes, mended: a worker outlives the loss of its broker just after one of its processes ended,
and ends soon when it is told to.

Seen with Celery 5.7.0 and kombu 5.7.0. A process that has just ended is watched no longer, but stays in the pool until
it can be joined, up to five seconds. When the worker connects to its broker again meanwhile, it watches all of the pool
anew, that one by None, and ends with "ValueError: file descriptor is None": kombu 5.7.0 raises a ValueError where it
was an AttributeError (celery/kombu#2623), and Celery 5.7.0 expects the latter. The pool's timer joins the process.

A process that ends waits until the worker has read the results it wrote, 300 times a tenth of a second. A worker that
is told a second time to stop may have stopped reading, and then ends only half a minute later. Nobody here waits for a
result, and a pump that counts as lost is replaced.
"""

from typing import Any

from billiard import pool
from celery.concurrency import asynpool, prefork

pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = 20


class Pool(asynpool.AsynPool):
    def _track_child_process(self, proc: Any, hub: Any) -> None:
        has_ended = getattr(proc, "_sentinel_poll", hub) is None
        if not has_ended:
            super()._track_child_process(proc, hub)


class TaskPool(prefork.TaskPool):
    Pool = Pool
