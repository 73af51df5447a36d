"""Where one key is right now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """`band` it waits in ("" when it does not) at `place` from 1; `due_in` seconds it is added, if it is put off;
    `holder` is the pump that works on it, for `held` seconds; `again` the band it will wait in after that.
    `failures`, `reclaims` and `crashes_alone` as in a lease.
    """

    paused: bool
    band: str
    place: int
    due_in: float | None
    holder: str
    held: float
    again: str
    failures: int
    reclaims: int
    crashes_alone: int

    @property
    def is_known(self) -> bool:
        """Whether it waits, is put off or is worked on."""
        return bool(self.band or self.holder or self.due_in is not None)


def read_whereabouts(reply: Sequence[Any]) -> Whereabouts:
    """The reply of find.lua as values."""
    paused, band, rank, due, holder, held, again, *history = reply
    band, holder, again = (part.decode() if isinstance(part, bytes) else part for part in (band, holder, again))
    due_in = None if due < 0 else due / 1000
    return Whereabouts(bool(paused), band, rank + 1, due_in, holder, held / 1000, again, *history)
