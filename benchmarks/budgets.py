"""How long each row may take, so that all of them end within 20 minutes.

Before each further round a row asks whether that would end in time, by the longest so far. If not, it ends with what it
has, and the table of times says so. A quick run is bounded by its sizes alone.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

#: Seconds of each row in a full run; a quiet machine of two cores needs some two thirds of them.
FULL = {
    "drain": 170,
    "calls": 15,
    "intake": 75,
    "end_to_end": 85,
    "clicks": 215,
    "gateway": 60,
    "mail": 15,
    "idle": 40,
    "wake": 75,
    "valkey_down": 75,
    "growth": 325,
}
#: What each extra that takes part adds to a row. A run with extras may take longer than 20 minutes.
EXTRA = {"drain": 50, "end_to_end": 30}
#: For starting servers and contenders, in which no row is.
SETTING_UP = 50


@dataclass
class Budget:
    """Of one row, from now on; `cut` is what it had to leave out."""

    seconds: float = math.inf
    monotonic: Callable[[], float] = time.monotonic
    cut: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._begun = self.monotonic()

    def spent(self) -> float:
        return self.monotonic() - self._begun

    def rounds(self, wanted: int, *, of: str = "rounds") -> Iterator[int]:
        """The first in any case, and no further one that would take more than is left."""
        longest = 0.0
        for number in range(wanted):
            begun = self.spent()
            if number and begun + longest > self.seconds:
                self.cut.append(f"{number} of {wanted} {of}")
                return
            yield number
            longest = max(longest, self.spent() - begun)


def budget(row: str, *, quick: bool, extras: int = 0) -> Budget:
    return Budget() if quick else Budget(FULL[row] + extras * EXTRA.get(row, 0))
