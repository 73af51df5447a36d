"""How big a race, crash or random test is: a part of it in `make test`, all of it in `make soak`."""

import os

SOAK = os.environ.get("SOAK") == "1"


def size(full: int) -> int:
    """At least 1."""
    return full if SOAK else max(full // 10, 1)


def examples(full: int) -> int:
    """Of what hypothesis makes up: a quarter, since each run makes up others."""
    return full if SOAK else max(full // 4, 1)
