"""How many finished refunds `growth` ends with; known, and refused, before anything is started."""

import os
from argparse import ArgumentTypeError

VARIABLE = "BENCHMARK_HISTORY"
#: By whether the run is quick: what is cloned to, unless the variable says otherwise, and what is drained before.
USUAL = {False: 1_000_000, True: 10_000}
DRAINED = {False: 100_000, True: 4000}


def last_history(*, quick: bool) -> int:
    """Raises ArgumentTypeError."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return USUAL[quick]
    if not (said.isascii() and said.isdigit()):
        raise ArgumentTypeError(f"{VARIABLE}={said} is no number of refunds, as {USUAL[quick]}")
    if int(said) < DRAINED[quick]:
        raise ArgumentTypeError(f"{VARIABLE}={said} is less than the {DRAINED[quick]} that are drained before")
    return int(said)
