"""What the queues look like right now, and what was counted since Redis was last empty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: Upper bounds, in milliseconds, of the buckets in which times of waiting and of work are counted.
BOUNDS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000)


@dataclass(frozen=True, slots=True)
class Times:
    """A histogram in seconds: `counts` per bucket of BOUNDS_MS, the last one for what exceeds all of them."""

    counts: tuple[int, ...]
    sum_seconds: float


@dataclass(frozen=True, slots=True)
class QueueStats:
    """Keys of one queue. `depth` counts each waiting key once, one added again while it runs too.

    `unfinished` are the seconds worked so far on all keys in hand, `longest` on one of them; `holders` the pumps
    that hold any. `counts`: adds, the outcomes (ok, after, requeue, error, terminal), reclaims, stale_finishes,
    stale_extends, and what the pumps counted.
    """

    paused: bool
    high: int
    low: int
    suspects: int
    delayed: int
    leases: int
    again: int
    oldest_high: float
    oldest_low: float
    oldest_suspect: float
    unfinished: float
    longest: float
    holders: int
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return self.high + self.low + self.suspects + self.again

    @property
    def oldest_seconds(self) -> float:
        return max(self.oldest_high, self.oldest_low, self.oldest_suspect)

    def times(self, what: str) -> Times:
        """How long keys were `queued`, from their first add, or `worked` on."""
        buckets = tuple(self.counts.get(f"{what}:{i}", 0) for i in range(1, len(BOUNDS_MS) + 2))
        return Times(buckets, self.counts.get(f"{what}_ms", 0) / 1000)


@dataclass(frozen=True, slots=True)
class Stats:
    """All queues by name, and the pumps."""

    queues: dict[str, QueueStats]
    pumps: int
    listening: int

    @property
    def reclaims(self) -> int:
        return self._sum("reclaims")

    @property
    def stale_finishes(self) -> int:
        return self._sum("stale_finishes")

    @property
    def stale_extends(self) -> int:
        return self._sum("stale_extends")

    def _sum(self, what: str) -> int:
        return sum(queue.counts.get(what, 0) for queue in self.queues.values())


def read_stats(queues: Sequence[str], reply: Sequence[Any]) -> Stats:
    """The reply of stats.lua as values."""
    pumps, listening, counters, *rows = reply
    counts = _by_queue(counters)
    by_name = {queue: _read_queue(row, counts.get(queue, {})) for queue, row in zip(queues, rows, strict=True)}
    return Stats(by_name, pumps, listening)


def _read_queue(row: Sequence[int], counts: Mapping[str, int]) -> QueueStats:
    high, low, suspects, delayed, leases, again = row[1:7]
    return QueueStats(
        bool(row[0]), high, low, suspects, delayed, leases, again, *_seconds(row[7:12]), holders=row[12], counts=counts
    )


def _seconds(ms: Sequence[int]) -> tuple[float, float, float, float, float]:
    first, second, third, fourth, fifth = (number / 1000 for number in ms)
    return first, second, third, fourth, fifth


def _by_queue(counters: Sequence[str | bytes]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for field_name, number in _pairs(counters):
        queue, _, what = field_name.partition(":")
        counts.setdefault(queue, {})[what] = int(number)
    return counts


def _pairs(flat: Sequence[str | bytes]) -> Iterable[tuple[str, str]]:
    texts = [part.decode() if isinstance(part, bytes) else part for part in flat]
    return zip(texts[::2], texts[1::2], strict=True)
