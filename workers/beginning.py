"""The first half of a sync: T1 of the leased keys, the calls it claims, and keys whose order was locked."""

import logging
import time
from collections import defaultdict
from collections.abc import Sequence, Set

from workers.answers import LOCK_WAIT_MS, Answers, Fail, Settle
from workers.appetite import Claims
from workers.contract import Begun, Reconciler
from workers.hands import Hands, HeldKey
from workers.isolation import Isolation, Part
from workers.room import Room
from workers.workqueue import Lease, after

logger = logging.getLogger(__name__)

SKIPPED_SECONDS = 0.2
# So long a key may be passed over before it may wait for its lock even though no call is running meanwhile.
PATIENCE_SECONDS = 1.0
MOST_REMEMBERED = 10_000

SkippedSince = dict[tuple[str, str], float]


class Beginning:
    """Begins keys. `skipped_since` outlives the pump: it says who has waited longest for a lock."""

    def __init__(
        self, hands: Hands, room: Room, isolation: Isolation, *, answers: Answers, skipped_since: SkippedSince
    ) -> None:
        self._hands = hands
        self._room = room
        self._isolation = isolation
        self._answers = answers
        self._since = skipped_since
        self._skipped: list[tuple[Reconciler, HeldKey]] = []
        self.settle: Settle
        self.fail: Fail

    def begin(self, reconcilers: dict[str, Reconciler], leases: Sequence[Lease]) -> dict[str, Claims]:
        """T1, one batch per queue. Returns what each asked for."""
        by_queue: dict[str, list[Lease]] = defaultdict(list)
        for lease in leases:
            by_queue[lease.queue].append(lease)
        return {queue: self._begin(reconcilers[queue], group, wait_ms=None) for queue, group in by_queue.items()}

    def has_skipped(self) -> bool:
        return bool(self._skipped)

    def try_skipped(self) -> None:
        """The longest waiting key, alone, may wait for its lock while calls run; without calls all come back soon."""
        if not self._skipped:
            return
        self._skipped.sort(key=lambda entry: self._since[_key(entry[1].lease)])
        reconciler, held = self._skipped[0]
        may_wait = self._answers.calls_out() > 0
        if may_wait or time.monotonic() > self._since[_key(held.lease)] + PATIENCE_SECONDS:
            del self._skipped[0]
            self._begin(reconciler, [held.lease], wait_ms=LOCK_WAIT_MS)
        if not may_wait:
            self._release_skipped()

    def _release_skipped(self) -> None:
        """Have them come back in a moment."""
        for _, held in self._skipped:
            self.settle(held, after(SKIPPED_SECONDS))
        self._skipped.clear()

    def _begin(self, reconciler: Reconciler, leases: Sequence[Lease], *, wait_ms: int | None) -> Claims:
        asked = refused = 0

        def work(some: Sequence[Lease]) -> Begun:
            nonlocal asked, refused
            self._room.open_pass(reconciler.queue, len(some))
            before_claim = time.monotonic()
            begun = reconciler.begin(some, self._room, wait_ms=wait_ms)
            _leave_out_strangers(begun, {lease.key for lease in some})
            self._start_calls(reconciler, begun, claimed_at=before_claim)
            asked, refused = asked + self._room.asked, refused + self._room.refused
            return begun

        for part in self._isolation.run(leases, work):
            self._sort(reconciler, part, wait_ms)
        return Claims(len(leases), asked, refused)

    def _start_calls(self, reconciler: Reconciler, begun: Begun, *, claimed_at: float) -> None:
        for call in begun.calls:
            self._answers.start(reconciler, self._hands[reconciler.queue, call.key], call, claimed_at=claimed_at)

    def _sort(self, reconciler: Reconciler, part: Part[Lease, Begun], wait_ms: int | None) -> None:
        begun = part.result or Begun()
        skipped = set(begun.skipped)
        for lease in part.items:
            held = self._hands[_key(lease)]
            if lease.key in skipped and held.calls_out == 0:
                self._skip(reconciler, held, wait_ms)
                continue
            self._since.pop(_key(lease), None)
            if held.calls_out == 0:
                outcome = begun.outcomes.get(lease.key)
                missing = begun.raised.get(lease.key) or part.error or LookupError("begin said nothing of the key")
                self.settle(held, outcome or self.fail(held, missing))

    def _skip(self, reconciler: Reconciler, held: HeldKey, wait_ms: int | None) -> None:
        if len(self._since) > MOST_REMEMBERED:
            self._since.clear()
        self._since.setdefault(_key(held.lease), time.monotonic())
        held.marks.append("skips")
        if wait_ms is None:
            self._skipped.append((reconciler, held))
        else:
            self.settle(held, after(SKIPPED_SECONDS))


def _leave_out_strangers(begun: Begun, leased: Set[str]) -> None:
    """T1 has been committed: whatever does not fit, the calls that do are to be started."""
    strangers = {*begun.outcomes, *begun.skipped, *(call.key for call in begun.calls)} - leased
    if strangers:
        logger.error("begin spoke of keys that it was not given: %s", sorted(strangers))
        begun.calls = [call for call in begun.calls if call.key in leased]


def _key(lease: Lease) -> tuple[str, str]:
    return lease.queue, lease.key
