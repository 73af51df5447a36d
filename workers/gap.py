"""A pause between small passes under load, so that more comes together; none when idle or when passes are full."""

import time

MOST_SECONDS = 0.025
STEP_SECONDS = 0.005
SMALL = 16
IDLE_SECONDS = 0.01
# A single click takes two or three small passes in quick succession; it must not pay for the load of others.
FREE_PASSES = 4
MOST_STEPS = FREE_PASSES + round(MOST_SECONDS / STEP_SECONDS)


class Gap:
    """Told of each pass, it says when the next may begin."""

    def __init__(self) -> None:
        self._passed_at = float("-inf")
        self._steps = 0

    def passed(self, size: int) -> None:
        """A pass over so many keys is done."""
        self._steps = min(MOST_STEPS, self._steps + 1) if size < SMALL else max(0, self._steps - 1)
        self._passed_at = time.monotonic()

    def seconds_left(self) -> float:
        """How long to wait on, now that something has come."""
        left = self._passed_at + STEP_SECONDS * max(0, self._steps - FREE_PASSES) - time.monotonic()
        if left < -IDLE_SECONDS:
            self._steps = 0
        return max(0.0, left)
