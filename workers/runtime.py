"""What outlives a pump in its process: the call threads, the accounts' windows, and what came back late."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue

from workers.beginning import SkippedSince
from workers.calls import CallPool, Returned
from workers.contract import Reconciler
from workers.isolation import Isolation
from workers.rates import Rates
from workers.room import Room
from workers.workqueue import OutcomeKind, WorkQueue


@dataclass(frozen=True, slots=True)
class Limits:
    """Keys per batch, call threads, and the seconds of a pump.

    A pump takes nothing new after `pump_seconds` and is over `hard_limit_seconds` after its start at the latest;
    two seconds of these are kept for saying so. `stall_after`: crashes alone until a key is left alone.
    `most_calls`: by account, fewer calls at once than half of the slots.
    """

    batch: int = 100
    slots: int = 200
    pump_seconds: float = 20.0
    linger_seconds: float = 5.0
    hard_limit_seconds: float = 60.0
    stall_after: int = 3
    most_calls: Mapping[str, int] = field(default_factory=dict)

    @property
    def last_seconds(self) -> float:
        return self.hard_limit_seconds - min(2.0, self.hard_limit_seconds / 4)


@dataclass(frozen=True, slots=True)
class Host:
    """The process around the runtime: how to send for a pump, whether it is shutting down, and its database.

    `is_stopping`: take nothing new, and finish what is in hand. `must_leave`: not even that, hand it back.
    `paused_queues`: those that somebody has stopped, where an emptied Redis does not know them any more.
    """

    send_pump: Callable[[], None]
    is_stopping: Callable[[], bool]
    must_leave: Callable[[], bool] = lambda: False
    database_errors: tuple[type[Exception], ...] = ()
    reset_database: Callable[[], None] = lambda: None
    paused_queues: Callable[[], Collection[str]] = tuple


class Runtime:
    """One per process. `inbox` takes what calls return, and None for a bell; `outcomes` counts finished keys; `counts`
    by (queue, what) wait to be brought to Redis."""

    def __init__(
        self,
        queue: WorkQueue,
        reconcilers: Sequence[Reconciler],
        host: Host,
        *,
        limits: Limits,
        rates: Rates | None = None,
    ) -> None:
        self.queue = queue
        self.reconcilers = {reconciler.queue: reconciler for reconciler in reconcilers}
        self.host = host
        self.limits = limits
        self.inbox: SimpleQueue[Returned | None] = SimpleQueue()
        self.pool = CallPool(limits.slots, self.inbox.put)
        self.room = Room(limits.slots, self.pool.free, most=limits.most_calls, rates=rates)
        self.isolation = Isolation(host.database_errors, host.reset_database)
        self.skipped_since: SkippedSince = {}
        self.outcomes: Counter[OutcomeKind] = Counter()
        self.counts: Counter[tuple[str, str]] = Counter()
