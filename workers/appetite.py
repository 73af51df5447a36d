"""How many keys of one queue a pump asks for, so that those which need a call will mostly find room for it."""

import time
from typing import NamedTuple

# How many claims are tried where no room is known, once none has come free for a moment: few enough to keep the keys'
# order. While all of them are refused it doubles, to get past one account's keys to the next one's.
PROBE = 8
PROBE_SECONDS = 0.05


class Claims(NamedTuple):
    """So many keys asked for so many claims, of which so many found no room."""

    keys: int
    asked: int
    refused: int


class Appetite:
    """Of one queue. `room_left`: calls that its keys may still begin, as far as can be told."""

    def __init__(self, batch: int) -> None:
        self._batch = batch
        self._probe = PROBE
        self._room_at = float("-inf")
        self._calls_per_key = 1.0

    def may_ask_at(self, room_left: int) -> float:
        """Monotonic seconds: any time while there is room, else once there has been none for a moment."""
        if room_left > 0:
            self._room_at = float("-inf")
        elif self._room_at == float("-inf"):
            self._room_at = time.monotonic() + PROBE_SECONDS
        return self._room_at

    def count(self, free: int, room_left: int) -> int:
        """How many to ask for with so many call threads free; 0: not now."""
        if time.monotonic() < self.may_ask_at(room_left):
            return 0
        calls = min(free, room_left) if room_left > 0 else self._probe
        return max(1, min(self._batch, int(calls / self._calls_per_key)))

    def adapt(self, claims: Claims) -> None:
        """What the last keys have asked for."""
        self._calls_per_key = max(0.05, self._calls_per_key + (claims.asked / claims.keys - self._calls_per_key) / 4)
        is_full = claims.refused and claims.refused == claims.asked
        self._probe = min(self._batch, self._probe * 2) if is_full else PROBE
        self._room_at = float("-inf")
