"""The signals that ask a program of this machine to stop: it ends what it has started, and is not disturbed in it."""

import signal
from collections.abc import Iterable
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopAsked(BaseException):
    """A stop signal arrived. Not an Exception, so that nothing on the way takes it for a failure."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number


def listen_for_stop(signals: Iterable[signal.Signals] = STOP_SIGNALS) -> None:
    """StopAsked at the first of these; no more of them are heard then."""

    def stop(number: int, frame: FrameType | None) -> None:
        be_deaf()
        raise StopAsked(signal.Signals(number))

    for number in signals:
        signal.signal(number, stop)


def be_deaf() -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
