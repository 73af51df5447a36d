"""What a pump has in hand: each leased key, its calls on their way, and answers not yet recorded."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from workers.contract import Answered
from workers.workqueue import Lease

KeyOf = tuple[str, str]


@dataclass(slots=True)
class HeldKey:
    """A key from its lease to its outcome. `calls` were made so far, `calls_out` are under way; `marks` are what is to
    be counted of this sync. `taken_at` is monotonic seconds."""

    lease: Lease
    taken_at: float = field(default_factory=time.monotonic)
    calls: int = 0
    calls_out: int = 0
    marks: list[str] = field(default_factory=list)
    unrecorded: list[Answered] = field(default_factory=list)


class Hands:
    """Keys by (queue, key). Changed by the pump's thread, read by its heart."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[KeyOf, HeldKey] = {}

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, key: KeyOf) -> HeldKey:
        return self._held[key]

    def __contains__(self, key: KeyOf) -> bool:
        return key in self._held

    def take(self, leases: Iterable[Lease]) -> None:
        with self._lock:
            for lease in leases:
                self._held[lease.queue, lease.key] = HeldKey(lease)

    def drop(self, key: KeyOf) -> HeldKey | None:
        with self._lock:
            return self._held.pop(key, None)

    def all(self) -> list[HeldKey]:
        return list(self._held.values())

    def leases(self) -> list[Lease]:
        with self._lock:
            return [held.lease for held in self._held.values()]
