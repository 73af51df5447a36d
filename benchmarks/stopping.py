"""A run that is told to stop ends its processes and removes what it has made (`workers.local.stopping`)."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from workers.local.stopping import STOP_SIGNALS, listen_for_stop


@contextmanager
def stoppable() -> Iterator[None]:
    """StopAsked at the first of the signals, as long as this lasts. What was ignored stays so, as under nohup."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    try:
        listen_for_stop(number for number, handler in before.items() if handler != signal.SIG_IGN)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
