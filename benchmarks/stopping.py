"""A run that is told to stop ends its processes and removes what it has made, and is not disturbed in it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopAsked(BaseException):
    """A stop signal arrived. Not an Exception, so that nothing on the way takes it for a failure."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number


@contextmanager
def stoppable() -> Iterator[None]:
    """StopAsked at the first of the signals; more of them are not heard. What was ignored stays so, as under nohup."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = [number for number, handler in before.items() if handler != signal.SIG_IGN]

    def stop(number: int, frame: FrameType | None) -> None:
        for one in heard:
            signal.signal(one, signal.SIG_IGN)
        raise StopAsked(signal.Signals(number))

    try:
        for number in heard:
            signal.signal(number, stop)
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
