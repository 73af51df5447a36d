"""Waiting for what the processes do: for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")

LIMIT_SECONDS = 30.0
LOOK_SECONDS = 0.05
# What takes long need not be looked at so often: each look is work for the processes that are waited for.
LOOK_SHARE = 0.1


def eventually(
    look: Callable[[], Seen], until: Callable[[Seen], bool] = bool, *, seconds: float = LIMIT_SECONDS
) -> Seen:
    """Look until what is seen satisfies `until`, and return it; AssertionError with the last of it at the limit."""
    begun = time.monotonic()
    while not until(seen := look()):
        waited = time.monotonic() - begun
        assert waited < seconds, f"not within {seconds:g} s; last seen: {seen!r}"
        time.sleep(max(LOOK_SECONDS, LOOK_SHARE * waited))
    return seen
