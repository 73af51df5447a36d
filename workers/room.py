"""Room for calls: the slots of a pump, per account a window kept across batches (`workers/window.py`), and the rate of
the account over all processes (`workers/rates.py`). A claim needs all three, and waits for the latest of them.

A time-out holds its slot for the whole deadline, so no account gets the last slots: it may have at most as many calls
under way as slots are free. One slow account fills half of them, two a third each, and a share is always left for
others. A claim without room gets a turn; turns of one account follow each other at the rate it works at, but closely
enough that a slot that comes free is soon seen. Used from the pump's thread alone.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping

from workers.rates import Rates
from workers.window import FIRST_SIZE, Window

LEAST_WAIT_MS = 200
MOST_WAIT_MS = 30_000
# However slow the account: too late a look is an idle slot, too early a look costs a look.
LONGEST_TURN_SECONDS = 0.01
MOST_JITTER = 0.25


class Turns:
    """When claims that had no room are to be tried again. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._call_seconds = 0.02
        self._next = float("-inf")

    def took(self, seconds: float) -> None:
        """So long a call had its slot."""
        self._call_seconds += (seconds - self._call_seconds) / 8

    def wait_ms(self, now: float, *, not_before: float, size: int, interval: float) -> int:
        """Milliseconds until a turn that is nobody else's, at least `interval` seconds after the one before it.
        What lies too far ahead is shared."""
        length = max(interval, min(LONGEST_TURN_SECONDS, self._call_seconds / max(1, size)))
        turn = max(now, not_before, self._next) + length
        self._next = min(turn, now + MOST_WAIT_MS / 1000)
        return max(LEAST_WAIT_MS, round((self._next - now) * 1000))


class Room:
    """What a reconciler asks before it claims. `free_slots` tells how many call threads are free right now; `most`,
    by account, is for those that may have fewer calls under way than half of the slots."""

    def __init__(
        self,
        slots: int,
        free_slots: Callable[[], int],
        *,
        most: Mapping[str, int] | None = None,
        rates: Rates | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = max(1, slots // 2)
        self._fewer = most or {}
        self._free_slots = free_slots
        self._monotonic = monotonic
        self._rates = rates or Rates({}, lambda wishes: [])
        self._windows: dict[str, Window] = {}
        self._turns: dict[str, Turns] = defaultdict(Turns)
        self._running: dict[str, int] = defaultdict(int)
        self._taken: dict[str, int] = defaultdict(int)
        self._queue = ""
        self._asking: set[str] = set()
        self._lately: dict[str, set[str]] = {}
        self.asked = self.refused = 0

    def take(self, account: str) -> bool:
        """One free slot within the account's window and rate. False: the key must wait `wait_ms(account)`."""
        self.asked += 1
        self._asking.add(account)
        self._lately[self._queue] = self._asking
        if self._left(account) <= 0 or not self._rates.take(account):
            self.refused += 1
            return False
        self._taken[account] += 1
        return True

    def _left(self, account: str) -> int:
        """Calls the account may still begin: each takes one free slot and adds one to its own."""
        held = self._running[account] + self._taken[account]
        free = self._free_slots() - sum(self._taken.values())
        return min(self._window(account).size(self._monotonic()) - held, (free - held + 1) // 2)

    def _window(self, account: str) -> Window:
        if account not in self._windows:
            self._windows[account] = Window(min(self._most, self._fewer.get(account, self._most)))
        return self._windows[account]

    def wait_ms(self, account: str) -> int:
        """Milliseconds until a claim that had no room should be tried again; asking reserves that turn."""
        now = self._monotonic()
        window = self._window(account)
        not_before = max(window.paused_until, self._rates.next_at(account))
        interval = self._rates.interval(account)
        return self._turns[account].wait_ms(now, not_before=not_before, size=window.size(now), interval=interval)

    def open_pass(self, queue: str, keys: int) -> None:
        """Before each `begin` of so many keys of a queue: what an earlier one took and did not turn into calls is free
        again."""
        self._taken.clear()
        self._rates.draw(lambda account: min(keys, self._left(account)))
        self._queue, self._asking = queue, set()
        self.asked = self.refused = 0

    def left(self, queue: str) -> int:
        """Calls that the accounts may still begin which keys of the queue asked for lately: a guess at what its next
        ones will want."""
        accounts = self._lately.get(queue)
        return sum(max(0, self._left(account)) for account in accounts) if accounts else FIRST_SIZE

    def started(self, account: str) -> None:
        """A call has gone out: the slot taken for it is no longer counted twice."""
        self._running[account] += 1
        self._taken[account] = max(0, self._taken[account] - 1)

    def returned(self, account: str, *, healthy: bool, seconds: float, quiet: float = 0.0) -> None:
        """What the account answered, and after how long; `quiet` seconds it asked not to be called."""
        now = self._monotonic()
        self._turns[account].took(seconds)
        jitter = random.uniform(0.0, MOST_JITTER)
        self._window(account).answered(healthy=healthy, began=now - seconds, now=now, jitter=jitter)
        if quiet:
            self._window(account).pause(now + quiet)

    def released(self, account: str) -> None:
        """The call's thread is free again; for an abandoned call that is long after its answer."""
        self._running[account] -= 1
