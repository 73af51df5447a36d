"""What the queues look like right now."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueStats:
    """Keys of one queue. `depth` counts each waiting key once, one added again while it runs too."""

    high: int
    low: int
    suspects: int
    delayed: int
    leases: int
    again: int
    oldest_seconds: float

    @property
    def depth(self) -> int:
        return self.high + self.low + self.suspects + self.again


@dataclass(frozen=True, slots=True)
class Stats:
    """All queues by name, the pumps, and what was refused or reclaimed since Redis was last empty."""

    queues: dict[str, QueueStats]
    pumps: int
    listening: int
    reclaims: int
    stale_finishes: int
    stale_extends: int


_PARTS = 7


def read_stats(queues: Sequence[str], reply: Sequence[int]) -> Stats:
    """The flat reply of stats.lua as values."""
    by_name = {queue: _read_queue(reply[i * _PARTS : (i + 1) * _PARTS]) for i, queue in enumerate(queues)}
    return Stats(by_name, *reply[len(queues) * _PARTS :])


def _read_queue(row: Sequence[int]) -> QueueStats:
    high, low, suspects, delayed, leases, again, oldest_ms = row
    return QueueStats(high, low, suspects, delayed, leases, again, oldest_ms / 1000)
