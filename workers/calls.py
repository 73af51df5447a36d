"""The threads on which calls to the outside run.

Daemon threads, not an executor: one that is stuck past its deadline must hold up neither the end of its pump nor
the end of the process. It keeps its slot until it really returns.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from workers.contract import Call, Reconciler
from workers.ports import Budget, Refused, Unknown

logger = logging.getLogger(__name__)

GRACE_SECONDS = 0.5


@dataclass(slots=True, eq=False)
class RunningCall:
    """A call on its way. All times are monotonic seconds."""

    reconciler: Reconciler
    call: Call
    started: float
    deadline: float

    def overdue_at(self) -> float:
        """Adapters keep the deadline themselves; only what does not is given up a little later."""
        return self.deadline + GRACE_SECONDS


@dataclass(frozen=True, slots=True)
class Returned:
    """What came back from the thread of a call."""

    running: RunningCall
    reply: object
    error: Exception | None
    healthy: bool
    seconds: float

    @property
    def quiet_seconds(self) -> float:
        """For how long whoever was called has asked not to be called again."""
        return self.reply.retry_after if isinstance(self.reply, Refused | Unknown) else 0.0


class CallPool:
    """At most `slots` calls at once; what each returns goes to `deliver`, called on the call's own thread."""

    def __init__(self, slots: int, deliver: Callable[[Returned], None]) -> None:
        self.slots = slots
        self._deliver = deliver
        self._lock = threading.Lock()
        self._busy = 0
        self._threads = 0
        self._work: SimpleQueue[RunningCall] = SimpleQueue()

    def free(self) -> int:
        """Slots not in use. Stuck threads count as used."""
        with self._lock:
            return self.slots - self._busy

    def start(self, reconciler: Reconciler, call: Call, *, claimed_at: float) -> RunningCall:
        """Begin the call at once. Its budget runs from its claim: a process that was frozen in between is too late."""
        running = RunningCall(reconciler, call, time.monotonic(), claimed_at + call.seconds)
        with self._lock:
            self._busy += 1
            if self._busy > self._threads:
                self._threads += 1
                threading.Thread(target=self._serve, name=f"call-{self._threads}", daemon=True).start()
        self._work.put(running)
        return running

    def _serve(self) -> None:
        while True:
            returned = _perform(self._work.get())
            with self._lock:
                self._busy -= 1
            self._deliver(returned)


def _perform(running: RunningCall) -> Returned:
    budget = Budget(running.deadline - time.monotonic(), monotonic=time.monotonic)
    reply: object = None
    error: Exception | None = None
    healthy = False
    try:
        reply = running.reconciler.perform(running.call, budget)
        healthy = running.reconciler.is_healthy(reply)
    except Exception as raised:
        logger.exception("call for %s raised", running.call.key)
        error = raised
    return Returned(running, reply, error, healthy, time.monotonic() - running.started)
