"""Waiting for what the processes do: for a condition, never for a time."""

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")

LIMIT_SECONDS = 30.0
LOOK_SECONDS = 0.05


def eventually(
    look: Callable[[], Seen], until: Callable[[Seen], bool] = bool, *, seconds: float = LIMIT_SECONDS
) -> Seen:
    """Look until what is seen satisfies `until`, and return it; AssertionError with the last of it at the limit."""
    deadline = time.monotonic() + seconds
    while not until(seen := look()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s; last seen: {seen!r}"
        time.sleep(LOOK_SECONDS)
    return seen
