"""One run of a pump: get -> begin -> calls -> record -> finish, as a pipeline.

Database work happens on this thread alone. New keys are taken while call slots are free; answers are recorded as they
come, in groups; the outcomes of a round are finished in one round trip.
"""

import logging
import secrets
import time
from collections.abc import Callable
from queue import Empty

import redis

from workers.answers import Answers
from workers.beginning import Beginning
from workers.calls import Returned
from workers.contract import TerminalError
from workers.gap import Gap
from workers.hands import Hands, HeldKey
from workers.heart import Heart
from workers.intake import Intake
from workers.runtime import Runtime
from workers.syncs import Sync, note
from workers.workqueue import Lease, Outcome, after, error, terminal

logger = logging.getLogger(__name__)

# The stop signal and the end of the budget are looked at no later than this.
LONGEST_WAIT_SECONDS = 0.25
DATABASE_PAUSE_SECONDS = 1.0


class Pump:
    """Serves all queues for `pump_seconds`, or until nothing has come for `linger_seconds`."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._limits = runtime.limits
        self._started = self._worked_at = time.monotonic()
        self._hands = Hands()
        self._gap = Gap()
        self._finished: list[Sync] = []
        self._answers = Answers(runtime.pool, runtime.room, runtime.isolation, settle=self._settle, fail=self._fail)
        self._beginning = Beginning(
            self._hands,
            runtime.room,
            runtime.isolation,
            answers=self._answers,
            skipped_since=runtime.skipped_since,
        )
        self._beginning.settle, self._beginning.fail = self._settle, self._fail
        self._intake = self._make_intake(secrets.token_hex(6))

    def _make_intake(self, name: str) -> Intake:
        queue = self._runtime.queue
        heart = Heart(
            queue,
            name,
            leases=self._hands.leases,
            rang=lambda: self._runtime.inbox.put(None),
            last_beat=self._started + self._limits.hard_limit_seconds,
        )
        return Intake(queue, self._hands, heart, name=name, batch=self._limits.batch)

    def run(self) -> bool:
        """Work until the time is up or there is nothing to do. True: send a message for another pump."""
        try:
            while self._round():
                pass
        finally:
            more = self._intake.leave()
        return more

    def _round(self) -> bool:
        self._take()
        self._flush()
        if not self._goes_on():
            return False
        self._listen()
        self._answers.abandon_overdue()
        self._passed(self._answers.record())
        self._answers.retry()
        self._beginning.try_skipped()
        self._flush()
        return self._goes_on()

    def _goes_on(self) -> bool:
        if self._runtime.host.must_leave() or time.monotonic() > self._started + self._limits.last_seconds:
            self._hand_back()
            return False
        return len(self._hands) > 0 or (self._intake.is_registered and self._is_accepting())

    def _is_accepting(self) -> bool:
        is_time_up = time.monotonic() > self._started + self._limits.pump_seconds
        return not is_time_up and not self._runtime.host.is_stopping()

    def _passed(self, size: int) -> None:
        if size:
            self._worked_at = time.monotonic()
            self._gap.passed(size)

    # Taking

    def _take(self) -> None:
        free = self._runtime.pool.free()
        if free <= 0 or not self._is_accepting():
            return
        counts = self._intake.counts(free, self._runtime.room.left)
        if not counts:
            return
        stay = len(self._hands) > 0 or time.monotonic() < self._worked_at + self._limits.linger_seconds
        leases = [lease for lease in self._intake.take(counts, stay=stay) if self._is_workable(lease)]
        self._intake.wake_sibling(self._runtime.host.send_pump)
        self._hands.take(leases)
        if self._intake.is_untold:
            self._declare_paused()
        if leases:
            self._intake.adapt(self._beginning.begin(self._runtime.reconcilers, leases))
            self._passed(len(leases))

    def _declare_paused(self) -> None:
        """Redis has been emptied: say which queues are paused before anything is handed out."""
        away: tuple[type[Exception], ...] = (redis.RedisError, *self._runtime.isolation.database_errors)
        try:
            self._runtime.queue.declare_paused(self._runtime.host.paused_queues)
            self._intake.look_in(0.0)
        except away as error:
            logger.warning("it could not be told which queues are paused: %s", error)
            self._runtime.host.reset_database()

    def _is_workable(self, lease: Lease) -> bool:
        """Not a key that kills its workers, nor one whose lost lease is still worked on here."""
        if (lease.queue, lease.key) in self._hands:
            self._finished.append(Sync(lease, after(1.0)))
            return False
        if lease.crashes_alone >= self._limits.stall_after:
            reconciler = self._runtime.reconcilers[lease.queue]
            self._tell(lambda: reconciler.stalled(lease.key))
            self._runtime.counts[lease.queue, "stalled"] += 1
            self._finished.append(Sync(lease, terminal(TerminalError("the key alone killed its workers"))))
            return False
        self._intake.stay_alone_with(lease)
        return True

    # Waiting

    def _listen(self) -> None:
        """Wait until a call returns, the bell rings or something is due; then take in all that has come."""
        item = self._next_item(0.0)
        if item is False:
            self._gap.waited()
            item = self._next_item(self._wait_seconds())
        elif self._intake.left == 0:
            time.sleep(self._gap.seconds_left())
        items = 0
        while item is not False:
            self._take_in(item)
            item = self._next_item(0.0)
            items += 1
        self._gap.gathered(items)

    def _wait_seconds(self) -> float:
        if self._beginning.has_skipped():
            return 0.0
        now = time.monotonic()
        wait = min(LONGEST_WAIT_SECONDS, self._answers.next_deadline() - now)
        if self._runtime.pool.free() > 0 and self._is_accepting() and self._intake.is_registered:
            wait = min(wait, self._next_look() - now)
        return max(0.0, wait)

    def _next_look(self) -> float:
        if not self._hands:
            self._intake.look_in(self._worked_at + self._limits.linger_seconds - time.monotonic())
        return self._intake.next_look(self._runtime.room.left)

    def _next_item(self, seconds: float) -> Returned | None | bool:
        try:
            return self._runtime.inbox.get(seconds > 0, seconds or None)
        except Empty:
            return False

    def _take_in(self, item: Returned | None | bool) -> None:
        if isinstance(item, Returned):
            self._answers.arrive(item)
            return
        self._intake.look_in(0.0)
        if self._runtime.pool.free() <= 0:
            self._intake.summon(self._runtime.host.send_pump)

    # Outcomes

    def _settle(self, held: HeldKey, outcome: Outcome) -> None:
        self._hands.drop((held.lease.queue, held.lease.key))
        self._finished.append(Sync(held.lease, outcome, held.calls, time.monotonic() - held.taken_at))
        self._runtime.counts.update((held.lease.queue, mark) for mark in held.marks)

    def _hand_back(self) -> None:
        """The pump has to end. What is still in hand comes back at once, its calls unknown, as after a crash."""
        for held in self._hands.all():
            self._settle(held, after(0))
        self._flush()

    def _fail(self, held: HeldKey, cause: Exception) -> Outcome:
        """What a sync that raised comes to. The database being away is no failure of the key."""
        if self._runtime.isolation.is_database_error(cause):
            self._intake.pause(DATABASE_PAUSE_SECONDS)
            return after(DATABASE_PAUSE_SECONDS)
        if not isinstance(cause, TerminalError):
            held.marks.append("panics")
        lease = held.lease
        reconciler = self._runtime.reconcilers[lease.queue]
        self._tell(lambda: reconciler.failed(lease.key, cause, lease.failures + 1))
        return terminal(cause) if isinstance(cause, TerminalError) else error(cause)

    def _tell(self, say: Callable[[], None]) -> None:
        try:
            say()
        except Exception:
            logger.exception("a reconciler could not take note")
            self._runtime.host.reset_database()

    def _flush(self) -> None:
        """Finish what is through, in one round trip. With Redis away the leases lapse and the keys come back."""
        if not self._finished:
            return
        finished, self._finished = self._finished, []
        try:
            done = self._runtime.queue.finish(
                [(sync.lease, sync.outcome) for sync in finished], counts=self._runtime.counts
            )
        except redis.RedisError:
            logger.warning("%d keys could not be finished", len(finished), exc_info=True)
            return
        self._runtime.counts.clear()
        self._runtime.outcomes.update(sync.outcome.kind for sync in finished)
        note(finished, refused=done.refused)
        if done.waiting:
            self._intake.look_in(0.0)
        if done.next_due is not None:
            self._intake.look_in(done.next_due)
