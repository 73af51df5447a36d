"""When a pump takes keys, and how many of each queue."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence

import redis

from workers.appetite import Appetite, Claims
from workers.backoff import backoff_seconds
from workers.hands import Hands
from workers.heart import Heart
from workers.workqueue import Lease, Taken, WorkQueue

logger = logging.getLogger(__name__)

REDIS_PAUSE_SECONDS = 0.5
# A bell may be lost (an emptied Redis forgets who listens), so a waiting pump looks by itself now and then.
LONGEST_BLIND_SECONDS = 1.0
LONGEST_ALONE_SECONDS = 30.0

#: Calls that keys of a queue may still begin.
RoomLeft = Callable[[str], int]


class Intake:
    """Asks the queue for keys when there is reason to: work is left, something is due, or the bell rang."""

    def __init__(self, queue: WorkQueue, hands: Hands, heart: Heart, *, name: str, batch: int) -> None:
        self._queue = queue
        self._hands = hands
        self._heart = heart
        self._name = name
        self._batch = batch
        self._appetites = {name: Appetite(batch) for name in queue.specs}
        self._waiting: set[str] = set()
        self._drain = False
        self._alone_until = float("-inf")
        self._summoned_at = float("-inf")
        self.left = 0
        self.look_at = float("-inf")
        self.is_registered = True
        self.is_untold = False

    def take(self, counts: Mapping[str, int], *, stay: bool) -> Sequence[Lease]:
        """Up to so many keys of each queue. Without `stay` empty queues end the registration, unless something is in
        hand."""
        if not stay:
            # A beat after the registration has ended would renew it.
            self._heart.stop()
        try:
            taken = self._queue.get(self._name, counts, held=len(self._hands), stay=stay, told=True)
        except redis.RedisError:
            logger.warning("pump %s cannot reach Redis", self._name, exc_info=True)
            self.pause(REDIS_PAUSE_SECONDS)
            self.is_registered = stay
            return []
        self._remember(taken, counts)
        return taken.leases

    def _remember(self, taken: Taken, counts: Mapping[str, int]) -> None:
        self.is_registered, self.is_untold = taken.registered, taken.untold
        if taken.registered:
            self._heart.start()
        self.left, self._drain = sum(taken.left.values()), taken.drain
        self._waiting = {name for name in self._appetites if taken.left.get(name) or name not in counts}
        wait = LONGEST_BLIND_SECONDS if taken.next_due is None else min(LONGEST_BLIND_SECONDS, taken.next_due)
        self.look_at = time.monotonic() + wait

    def counts(self, free: int, room_left: RoomLeft) -> dict[str, int]:
        """How many keys to ask for, of each queue that has room; none while there is no reason to ask, or a key that
        must be alone forbids it."""
        if not self.is_registered or self._is_held_back():
            return {}
        room = self._look_for_room(room_left)
        if time.monotonic() < self._due_at(room):
            return {}
        found = {name: appetite.count(free, room[name]) for name, appetite in self._appetites.items()}
        return {name: count for name, count in found.items() if count}

    def next_look(self, room_left: RoomLeft) -> float:
        """Monotonic seconds of the next time to ask, as far as it does not depend on something coming."""
        due = self._due_at(self._look_for_room(room_left))
        if self._is_held_back():
            return max(due, self._alone_until) if not self._drain else float("inf")
        return due

    def _look_for_room(self, room_left: RoomLeft) -> dict[str, int]:
        return {name: room_left(name) for name in self._appetites}

    def _due_at(self, room: Mapping[str, int]) -> float:
        """When a queue may be asked that has something, or may have by then."""
        return min(
            max(float("-inf") if name in self._waiting else self.look_at, appetite.may_ask_at(room[name]))
            for name, appetite in self._appetites.items()
        )

    def _is_held_back(self) -> bool:
        return len(self._hands) > 0 and (self._drain or time.monotonic() < self._alone_until)

    def look_in(self, seconds: float) -> None:
        """Something will be waiting by then."""
        self.look_at = min(self.look_at, time.monotonic() + seconds)

    def pause(self, seconds: float) -> None:
        """Ask for nothing until then."""
        self.look_at = time.monotonic() + seconds
        self._waiting.clear()

    def stay_alone_with(self, lease: Lease) -> None:
        """A key that cost a worker more than once gets some time by itself, so that its crash can be told."""
        if lease.alone and lease.reclaims > 1:
            alone = backoff_seconds(lease.reclaims, base=1.0, cap=LONGEST_ALONE_SECONDS)
            self._alone_until = time.monotonic() + alone

    def adapt(self, begun: Mapping[str, Claims]) -> None:
        """What the keys that were begun have asked for."""
        for name, claims in begun.items():
            self._appetites[name].adapt(claims)

    def wake_sibling(self, send_pump: Callable[[], None]) -> None:
        """More than two batches are left: another pump is welcome."""
        now = time.monotonic()
        if self.left <= 2 * self._batch or now < self._summoned_at + 1.0:
            return
        self._summoned_at = now
        self.summon(send_pump)

    def summon(self, send_pump: Callable[[], None]) -> None:
        """Ring for another pump, or have a message sent for one."""
        try:
            if self._queue.summon(sibling=True):
                send_pump()
        except redis.RedisError:
            logger.warning("pump %s cannot reach Redis", self._name, exc_info=True)

    def leave(self) -> bool:
        """End the registration. True: work is left that nobody is sure to come for."""
        self._heart.close()
        if not self.is_registered:
            return False
        try:
            return self._queue.leave(self._name)
        except redis.RedisError:
            logger.warning("pump %s could not say that it ends", self._name, exc_info=True)
            return False
