"""Reconcilers for tests of the runtime: real ones, only that their world is a dictionary."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import contextmanager

from workers.contract import Answered, Begun, Call
from workers.ports import Budget
from workers.room import Room
from workers.workqueue import Lease, Outcome, after, ok


class Recording:
    """Makes one call per key and ends it. Each hook may be replaced; everything that happens is written down."""

    queue = "refunds"

    def __init__(self, *, calls: bool = True, account: str = "gateway:test", seconds: float = 5.0) -> None:
        self.makes_calls = calls
        self.account = account
        self.seconds = seconds
        self.begun: list[list[str]] = []
        self.waited: list[tuple[str, int]] = []
        self.recorded: list[list[Answered]] = []
        self.failures: list[tuple[str, BaseException, int]] = []
        self.stalls: list[str] = []
        self.on_begin: Callable[[Sequence[Lease]], None] = lambda leases: None
        self.on_put_off: Callable[[str], None] = lambda key: None
        self.on_perform: Callable[[Call, Budget], object] = lambda call, budget: "done"
        self.on_record: Callable[[Sequence[Answered]], None] = lambda answers: None
        self.locked: Callable[[str, int | None], bool] = lambda key, wait_ms: False
        self.outcome: Callable[[str], Outcome] = lambda key: ok()
        self.calls_of: Callable[[str], list[Call]] = lambda key: [Call(key, self.account, self.seconds, None)]

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        self.begun.append([lease.key for lease in leases])
        self.on_begin(leases)
        begun = Begun()
        for lease in leases:
            self._begin_one(lease.key, room, begun, wait_ms)
        return begun

    def _begin_one(self, key: str, room: Room, begun: Begun, wait_ms: int | None) -> None:
        if wait_ms is not None:
            self.waited.append((key, wait_ms))
        if self.locked(key, wait_ms):
            begun.skipped.append(key)
        elif not self.makes_calls:
            begun.outcomes[key] = self.outcome(key)
        else:
            calls = [call for call in self.calls_of(key) if room.take(call.account)]
            begun.calls += calls
            if not calls:
                self.on_put_off(key)
                begun.outcomes[key] = after(room.wait_ms(self.account) / 1000)

    def perform(self, call: Call, budget: Budget) -> object:
        return self.on_perform(call, budget)

    def is_healthy(self, reply: object) -> bool:
        return reply != "sick"

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        self.on_record(answers)
        self.recorded.append(list(answers))
        return {answered.call.key: self.outcome(answered.call.key) for answered in answers}

    def due(self, limit: int) -> list[str]:
        return []

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        self.failures.append((key, error, failures))

    def stalled(self, key: str) -> None:
        self.stalls.append(key)

    @property
    def done(self) -> list[str]:
        """Keys recorded, in order."""
        return [answered.call.key for group in self.recorded for answered in group]


class Collisions:
    """Notices when a key is inside two syncs at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: dict[str, int] = defaultdict(int)
        self.most = 0
        self.syncs = 0

    @contextmanager
    def inside(self, key: str):
        with self._lock:
            self._inside[key] += 1
            self.syncs += 1
            self.most = max(self.most, self._inside[key])
        try:
            yield
        finally:
            with self._lock:
                self._inside[key] -= 1


def wait_until(condition: Callable[[], object], *, seconds: float = 10.0) -> None:
    """Fail if the condition does not come true in time."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "the condition did not come true in time"
        time.sleep(0.002)
