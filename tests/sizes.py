"""How big a race or crash test is: a tenth in `make test`, all of it in `make soak`."""

import os

SOAK = os.environ.get("SOAK") == "1"


def size(full: int) -> int:
    """At least 1."""
    return full if SOAK else max(full // 10, 1)
