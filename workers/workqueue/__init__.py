"""The workqueue: client-go's semantics on Redis, in batches, with leases. It knows keys and nothing else.

A key waits once and runs once; added while it runs, it runs once more afterwards. Every operation is one Lua script
and one round trip however many keys it carries. Only the clock of Redis is used. Losing it all loses nothing: the
sweep brings every due key back.
"""

from workers.workqueue.bell import Bell
from workers.workqueue.outcome import Outcome, OutcomeKind, after, error, ok, terminal
from workers.workqueue.queue import Added, Band, Finished, Lease, QueueSpec, Taken, WorkQueue
from workers.workqueue.stats import BOUNDS_MS, QueueStats, Stats, Times
from workers.workqueue.whereabouts import Whereabouts

__all__ = [
    "BOUNDS_MS",
    "Added",
    "Band",
    "Bell",
    "Finished",
    "Lease",
    "Outcome",
    "OutcomeKind",
    "QueueSpec",
    "QueueStats",
    "Stats",
    "Taken",
    "Times",
    "Whereabouts",
    "WorkQueue",
    "after",
    "error",
    "ok",
    "terminal",
]
