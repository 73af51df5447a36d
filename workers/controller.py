"""The runtime every controller runs on. What it promises to a reconciler is told in `workers/contract.py`.

`run` is one pump: it takes keys of all queues, has them begun, their calls made and recorded, and finishes each with
one outcome. One pump at a time per process.
"""

from collections import Counter
from collections.abc import Sequence

from workers.contract import Answered, Begun, Call, CallAbandoned, Reconciler, TerminalError
from workers.pump import Pump
from workers.rates import Rates
from workers.room import Room
from workers.runtime import Host, Limits, Runtime
from workers.workqueue import Lease, Outcome, OutcomeKind, WorkQueue, after, error, ok, terminal

__all__ = [
    "Answered",
    "Begun",
    "Call",
    "CallAbandoned",
    "Controller",
    "Host",
    "Lease",
    "Limits",
    "Outcome",
    "Reconciler",
    "Room",
    "TerminalError",
    "after",
    "error",
    "ok",
    "terminal",
]


class Controller:
    """One per process, kept between pumps."""

    def __init__(
        self,
        queue: WorkQueue,
        reconcilers: Sequence[Reconciler],
        host: Host,
        *,
        limits: Limits | None = None,
        rates: Rates | None = None,
    ) -> None:
        self._runtime = Runtime(queue, reconcilers, host, limits=limits or Limits(), rates=rates)

    @property
    def outcomes(self) -> Counter[OutcomeKind]:
        """How keys were finished since the process began."""
        return self._runtime.outcomes

    def run(self) -> bool:
        """Run one pump. True: work is left, send a message for another."""
        return Pump(self._runtime).run()
