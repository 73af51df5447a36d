"""Room for calls: the slots of a pump, and per account a window kept across batches.

A window grows with successes and halves on errors; at one it waits with back-off before it tries again. One account has
at most half of the slots, so that a slow one leaves room for the others. Used from the pump's thread alone.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable

from workers.backoff import backoff_seconds

FIRST_WINDOW = 8.0
LEAST_WAIT_MS = 200
MOST_WAIT_MS = 30_000
PAUSE_BASE_SECONDS = 1.0
PAUSE_CAP_SECONDS = 30.0


class Window:
    """How many calls one account may have at once, by what it answered lately."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most = float(most)
        self._monotonic = monotonic
        self._size = min(FIRST_WINDOW, self._most)
        self._has_erred = False
        self._errors_at_one = 0
        self._halved_at = float("-inf")
        self._paused_until = float("-inf")
        self._seconds = 0.02
        self._next_turn = float("-inf")
        self.running = 0

    def left(self) -> int:
        """Calls that may still be begun now."""
        if self._monotonic() < self._paused_until:
            return 0
        return int(self._size) - self.running

    def succeeded(self, seconds: float) -> None:
        """Doubles in a round of successes until the first error, then grows by one a round."""
        self._seconds += (seconds - self._seconds) / 8
        self._errors_at_one = 0
        self._size = min(self._most, self._size + (1.0 / self._size if self._has_erred else 1.0))

    def erred(self, seconds: float) -> None:
        """Halve, once for all calls that were under way together; at one, pause."""
        self._has_erred = True
        now = self._monotonic()
        if now - seconds < self._halved_at:
            return
        self._halved_at = now
        if self._size < 2.0:
            self._errors_at_one += 1
            pause = backoff_seconds(self._errors_at_one, base=PAUSE_BASE_SECONDS, cap=PAUSE_CAP_SECONDS)
            self._paused_until = now + pause * random.uniform(0.75, 1.0)
        self._size = max(1.0, self._size / 2)

    def wait_ms(self) -> int:
        """A turn of its own for each claim that had no room, at the rate the account works at."""
        now = self._monotonic()
        start = max(now, self._paused_until, self._next_turn)
        # Too early costs one more look, too late an idle slot: until it has erred the account is trusted with its most.
        self._next_turn = start + self._seconds / (self._size if self._has_erred else self._most)
        return min(MOST_WAIT_MS, max(LEAST_WAIT_MS, round((self._next_turn - now) * 1000)))


class Room:
    """What a reconciler asks before it claims. `free_slots` tells how many call threads are free right now."""

    def __init__(
        self, slots: int, free_slots: Callable[[], int], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        most = max(1, slots // 2)
        self._free_slots = free_slots
        self._windows: dict[str, Window] = defaultdict(lambda: Window(most, monotonic))
        self._taken: dict[str, int] = defaultdict(int)
        self._asking: set[str] = set()
        self._lately: set[str] = set()
        self.asked = self.refused = 0

    def take(self, account: str) -> bool:
        """One free slot within the account's window. False: the key must wait `wait_ms(account)`."""
        self.asked += 1
        self._asking.add(account)
        room = self._free_slots() - sum(self._taken.values())
        if room <= 0 or self._windows[account].left() - self._taken[account] <= 0:
            self.refused += 1
            return False
        self._taken[account] += 1
        return True

    def wait_ms(self, account: str) -> int:
        """Milliseconds until a claim that had no room should be tried again; asking reserves that turn."""
        return self._windows[account].wait_ms()

    def open_pass(self) -> None:
        """Before each `begin`: what an earlier one took and did not turn into calls is free again."""
        self._taken.clear()
        self._lately = self._asking or self._lately
        self._asking = set()
        self.asked = self.refused = 0

    def left(self) -> int:
        """Calls that the accounts asked for lately may still begin: a guess at what the next keys will want."""
        accounts = self._asking or self._lately
        if not accounts:
            return int(FIRST_WINDOW)
        return sum(max(0, self._windows[account].left()) for account in accounts)

    def started(self, account: str) -> None:
        """A call has gone out."""
        self._windows[account].running += 1

    def returned(self, account: str, *, healthy: bool, seconds: float) -> None:
        """What the account answered, and after how long."""
        window = self._windows[account]
        if healthy:
            window.succeeded(seconds)
        else:
            window.erred(seconds)

    def released(self, account: str) -> None:
        """The call's thread is free again; for an abandoned call that is long after its answer."""
        self._windows[account].running -= 1
