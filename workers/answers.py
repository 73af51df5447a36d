"""The second half of a sync: calls on their way, their answers, and the recording of these in groups.

Answers that could not be recorded (order locked, database away) are kept and tried again key by key.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from workers.backoff import backoff_seconds
from workers.calls import CallPool, Returned, RunningCall
from workers.contract import Answered, Call, CallAbandoned, Reconciler
from workers.hands import HeldKey
from workers.isolation import Isolation
from workers.ports import outcome_name
from workers.room import Room
from workers.workqueue import Outcome

logger = logging.getLogger(__name__)

LOCK_WAIT_MS = 300
KEPT_BASE_SECONDS = 0.05
KEPT_CAP_SECONDS = 1.0

Settle = Callable[[HeldKey, Outcome], None]
Fail = Callable[[HeldKey, Exception], Outcome]


class Answers:
    """`settle` is called when a key is through; `fail` turns what a record raised into an outcome."""

    def __init__(self, pool: CallPool, room: Room, isolation: Isolation, *, settle: Settle, fail: Fail) -> None:
        self._pool = pool
        self._room = room
        self._isolation = isolation
        self._settle = settle
        self._fail = fail
        self._running: dict[RunningCall, HeldKey] = {}
        self._fresh: dict[Reconciler, dict[int, HeldKey]] = defaultdict(dict)
        self._kept: dict[int, tuple[float, int, Reconciler, HeldKey]] = {}

    def start(self, reconciler: Reconciler, held: HeldKey, call: Call, *, claimed_at: float) -> None:
        held.calls += 1
        held.calls_out += 1
        self._room.started(call.account)
        self._running[self._pool.start(reconciler, call, claimed_at=claimed_at)] = held

    def calls_out(self) -> int:
        return len(self._running)

    def arrive(self, returned: Returned) -> None:
        """Take in what a call returned. One given up before has been recorded as unknown: only its slot is freed."""
        call = returned.running.call
        self._room.released(call.account)
        held = self._running.pop(returned.running, None)
        if held is None:
            logger.warning("a call for %s came back after its deadline", call.key)
            return
        self._room.returned(
            call.account, healthy=returned.healthy, seconds=returned.seconds, quiet=returned.quiet_seconds
        )
        self._take_in(returned.running.reconciler, held, Answered(call, returned.reply, returned.error))

    def abandon_overdue(self) -> None:
        """Calls whose thread is stuck past the deadline: their outcome is unknown."""
        now = time.monotonic()
        for running in [running for running in self._running if now > running.overdue_at()]:
            held = self._running.pop(running)
            self._room.returned(running.call.account, healthy=False, seconds=now - running.started)
            error = CallAbandoned(f"no answer within {running.call.seconds} s")
            held.marks.append("timeouts")
            self._take_in(running.reconciler, held, Answered(running.call, error=error))

    def next_deadline(self) -> float:
        """Monotonic seconds of the next thing to look at here; infinite when there is none."""
        return min(
            min((running.overdue_at() for running in self._running), default=float("inf")),
            min((retry_at for retry_at, *_ in self._kept.values()), default=float("inf")),
        )

    def record(self) -> int:
        """Record everything that has come, in one group per reconciler. Returns the number of keys."""
        fresh, self._fresh = self._fresh, defaultdict(dict)
        for reconciler, keys in fresh.items():
            self._record(reconciler, list(keys.values()), wait_ms=None)
        return sum(map(len, fresh.values()))

    def retry(self) -> None:
        """Try the longest kept key that is due again, alone."""
        due = min(self._kept.values(), key=lambda kept: kept[0], default=None)
        if due is not None and due[0] <= time.monotonic():
            self._record(due[2], [due[3]], wait_ms=LOCK_WAIT_MS)

    def _take_in(self, reconciler: Reconciler, held: HeldKey, answered: Answered) -> None:
        held.calls_out -= 1
        held.marks.append(f"effect:{answered.call.leg}:{outcome_name(answered.reply)}")
        held.unrecorded.append(answered)
        if id(held) not in self._kept:
            self._fresh[reconciler][id(held)] = held

    def _record(self, reconciler: Reconciler, keys: Sequence[HeldKey], *, wait_ms: int | None) -> None:
        def work(some: Sequence[HeldKey]) -> dict[str, Outcome]:
            answers = [answered for held in some for answered in held.unrecorded]
            outcomes = reconciler.record(answers, wait_ms=wait_ms)
            if strangers := outcomes.keys() - {held.lease.key for held in some}:
                logger.error("record spoke of keys that it was not given: %s", sorted(strangers))
            return outcomes

        for part in self._isolation.run(keys, work):
            for held in part.items:
                self._sort(reconciler, held, part.result or {}, part.error)

    def _sort(
        self, reconciler: Reconciler, held: HeldKey, outcomes: dict[str, Outcome], error: Exception | None
    ) -> None:
        outcome = outcomes.get(held.lease.key)
        if error is not None and not self._isolation.is_database_error(error):
            outcome = self._fail(held, error)
        if outcome is None:
            self._keep(reconciler, held)
            return
        self._kept.pop(id(held), None)
        held.unrecorded.clear()
        if held.calls_out == 0:
            self._settle(held, outcome)

    def _keep(self, reconciler: Reconciler, held: HeldKey) -> None:
        tries = self._kept[id(held)][1] + 1 if id(held) in self._kept else 1
        wait = backoff_seconds(tries, base=KEPT_BASE_SECONDS, cap=KEPT_CAP_SECONDS)
        self._kept[id(held)] = (time.monotonic() + wait, tries, reconciler, held)
