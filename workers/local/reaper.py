"""Ends what a starter left behind: reads process groups from its pipe, and kills them when the pipe breaks.

A script of its own that imports nothing of ours, so that it is there before the first child. Lines: `PID` a
group has started, `-PID` it has ended, `done` the starter has stopped everything itself.
"""

import os
import signal
import sys
import time
from contextlib import suppress

GRACE_SECONDS = 3.0
POLL_SECONDS = 0.05


def main() -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups = _listen()
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and any(_alive(group) for group in groups):
        time.sleep(POLL_SECONDS)
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def _listen() -> set[int]:
    """The groups still running when the starter went away."""
    groups: set[int] = set()
    for line in sys.stdin:
        if line.strip() == "done":
            return set()
        number = int(line)
        if number > 0:
            groups.add(number)
        else:
            groups.discard(-number)
    return groups


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
