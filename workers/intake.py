"""When a pump takes keys, and how many."""

import logging
import time
from collections.abc import Callable, Sequence

import redis

from workers.backoff import backoff_seconds
from workers.hands import Hands
from workers.heart import Heart
from workers.workqueue import Lease, Taken, WorkQueue

logger = logging.getLogger(__name__)

REDIS_PAUSE_SECONDS = 0.5
# A bell may be lost (an emptied Redis forgets who listens), so a waiting pump looks by itself now and then.
LONGEST_BLIND_SECONDS = 1.0
# How many claims are tried where no room is known, once none has come free for a moment: few enough to keep the keys'
# order. While all of them are refused it doubles, to get past one account's keys to the next one's.
PROBE = 8
PROBE_SECONDS = 0.05
LONGEST_ALONE_SECONDS = 30.0


class Intake:
    """Asks the queue for keys when there is reason to: work is left, something is due, or the bell rang."""

    def __init__(self, queue: WorkQueue, hands: Hands, heart: Heart, *, name: str, batch: int) -> None:
        self._queue = queue
        self._hands = hands
        self._heart = heart
        self._name = name
        self._batch = batch
        self._probe = PROBE
        self._room_at = float("-inf")
        self._calls_per_key = 1.0
        self._drain = False
        self._alone_until = float("-inf")
        self._summoned_at = float("-inf")
        self.left = 0
        self.look_at = float("-inf")
        self.is_registered = True
        self.is_untold = False

    def take(self, count: int, *, stay: bool) -> Sequence[Lease]:
        """Up to `count` keys. Without `stay` an empty queue ends the registration, unless something is in hand."""
        if not stay:
            # A beat after the registration has ended would renew it.
            self._heart.stop()
        try:
            taken = self._queue.get(self._name, min(count, self._batch), held=len(self._hands), stay=stay, told=True)
        except redis.RedisError:
            logger.warning("pump %s cannot reach Redis", self._name, exc_info=True)
            self.pause(REDIS_PAUSE_SECONDS)
            self.is_registered = stay
            return []
        self._remember(taken)
        return taken.leases

    def _remember(self, taken: Taken) -> None:
        self.is_registered, self.is_untold = taken.registered, taken.untold
        if taken.registered:
            self._heart.start()
        self.left, self._drain = taken.left, taken.drain
        wait = LONGEST_BLIND_SECONDS if taken.next_due is None else min(LONGEST_BLIND_SECONDS, taken.next_due)
        self.look_at = time.monotonic() + (0.0 if taken.left else wait)

    def may_take(self) -> bool:
        """Whether there is reason to ask now, and no key that must be alone forbids it."""
        return self.is_registered and not self._is_held_back() and time.monotonic() >= self.look_at

    def next_look(self, room_left: int) -> float:
        """Monotonic seconds of the next time to ask, as far as it does not depend on something coming."""
        if self._is_held_back():
            return max(self.look_at, self._alone_until) if not self._drain else float("inf")
        self._note_room(room_left)
        return max(self.look_at, self._room_at)

    def _note_room(self, room_left: int) -> None:
        if room_left > 0:
            self._room_at = float("-inf")
        elif self._room_at == float("-inf"):
            self._room_at = time.monotonic() + PROBE_SECONDS

    def _is_held_back(self) -> bool:
        return len(self._hands) > 0 and (self._drain or time.monotonic() < self._alone_until)

    def count(self, free: int, room_left: int) -> int:
        """How many keys to ask for, so that those which need a call will mostly find room for it; 0: not now."""
        self._note_room(room_left)
        if time.monotonic() < self._room_at:
            return 0
        calls = min(free, room_left) if room_left > 0 else self._probe
        return max(1, min(self._batch, int(calls / self._calls_per_key)))

    def look_in(self, seconds: float) -> None:
        """Something will be waiting by then."""
        self.look_at = min(self.look_at, time.monotonic() + seconds)

    def pause(self, seconds: float) -> None:
        """Ask for nothing until then."""
        self.look_at = time.monotonic() + seconds

    def stay_alone_with(self, lease: Lease) -> None:
        """A key that cost a worker more than once gets some time by itself, so that its crash can be told."""
        if lease.alone and lease.reclaims > 1:
            alone = backoff_seconds(lease.reclaims, base=1.0, cap=LONGEST_ALONE_SECONDS)
            self._alone_until = time.monotonic() + alone

    def adapt(self, *, keys: int, asked: int, refused: int) -> None:
        """So many keys asked for so many claims, of which so many found no room."""
        self._calls_per_key = max(0.05, self._calls_per_key + (asked / keys - self._calls_per_key) / 4)
        self._probe = min(self._batch, self._probe * 2) if refused and refused == asked else PROBE
        self._room_at = float("-inf")

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
