"""A key that kills every process that works on it: it ends stalled, its neighbours do not, an add brings it back."""

import signal
import subprocess
import sys

from tests.integration.workers.conftest import PREFIX, MakeQueue
from workers.workqueue import WorkQueue

LEASE_SECONDS = 0.4
NEIGHBOURS = [f"neighbour-{n}" for n in range(6)]
PUMP = f"""
import os, signal, sys, redis
from tests.integration.workers.reconcilers import Recording
from workers.controller import Controller, Host, Limits
from workers.workqueue import QueueSpec, WorkQueue

def begin(leases):
    if deadly in [lease.key for lease in leases]:
        os.kill(os.getpid(), signal.SIGKILL)

url, prefix, deadly = sys.argv[1:]
reconciler = Recording(calls=False)
reconciler.on_begin = begin
spec = QueueSpec("refunds", base=0.1, cap=0.3, jitter=0.0)
queue = WorkQueue(redis.Redis.from_url(url), [spec], prefix=prefix, lease_seconds={LEASE_SECONDS}, most_pumps=10)
limits = Limits(pump_seconds=20, linger_seconds=1.5, stall_after=3)
Controller(queue, [reconciler], Host(lambda: None, lambda: False), limits=limits).run()
print(",".join(reconciler.stalls), ",".join(key for batch in reconciler.begun for key in batch), sep=";")
"""


def pump_until_it_ends_well(redis_url: str, *, deadly: str) -> tuple[int, list[str], list[str]]:
    """How many processes it killed, and what the one that lived stalled and began."""
    for killed in range(10):
        process = subprocess.run(
            [sys.executable, "-c", PUMP, redis_url, PREFIX, deadly], stdout=subprocess.PIPE, text=True, check=False
        )
        if process.returncode == 0:
            stalled, begun = process.stdout.strip().split(";")
            return killed, stalled.split(","), begun.split(",")
        assert process.returncode == -signal.SIGKILL
    raise AssertionError("it is never left alone")


def test_a_key_that_kills_its_workers_ends_stalled_alone_and_comes_back_when_it_is_added(
    redis_url: str, make_queue: MakeQueue
) -> None:
    """Controller check 10; no upstream test."""
    queue = make_queue(lease_seconds=LEASE_SECONDS)
    queue.add("refunds", [*NEIGHBOURS[:3], "killer", *NEIGHBOURS[3:]])
    killed, stalled, _ = pump_until_it_ends_well(redis_url, deadly="killer")
    assert killed >= 4, "one among others, which may not have been its fault, and three alone"
    assert stalled == ["killer"]
    assert _is_empty(queue), "the neighbours are through, and nobody comes back to the killer by himself"

    queue.add("refunds", ["killer", *NEIGHBOURS])
    killed, stalled, begun = pump_until_it_ends_well(redis_url, deadly="nobody")
    assert (killed, stalled) == (0, [""])
    assert sorted(begun) == sorted(["killer", *NEIGHBOURS])
    assert _is_empty(queue)


def _is_empty(queue: WorkQueue) -> bool:
    stats = queue.stats().queues["refunds"]
    return stats.depth == stats.leases == stats.delayed == 0
