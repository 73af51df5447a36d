"""A pause between small passes under load, so that more comes together; none while the pump has to wait for work."""

import time
from collections.abc import Callable

MOST_SECONDS = 0.025
STEP_SECONDS = 0.005
SMALL = 16
FEW = 4
# A single click takes a few small passes in quick succession, its messages among them; it must not pay for load.
FREE_PASSES = 4
MOST_STEPS = FREE_PASSES + round(MOST_SECONDS / STEP_SECONDS)


class Gap:
    """Told of each pass, and of each time nothing had come meanwhile, it says when the next pass may begin."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._passed_at = float("-inf")
        self._steps = 0

    def passed(self, size: int) -> None:
        """A pass over so many keys is done."""
        self._steps = min(MOST_STEPS, self._steps + 1) if size < SMALL else max(0, self._steps - 1)
        self._passed_at = self._monotonic()

    def waited(self) -> None:
        """Nothing had come during the pass: there is time to spare, and coming together would gain nothing."""
        self._steps = 0

    def gathered(self, items: int) -> None:
        """So much was there when the next pass began. A gap that gathers next to nothing is given up."""
        if self._steps > FREE_PASSES and items < FEW:
            self._steps = 0

    def seconds_left(self) -> float:
        """How long to let more come, now that something has."""
        return max(0.0, self._passed_at + STEP_SECONDS * max(0, self._steps - FREE_PASSES) - self._monotonic())
