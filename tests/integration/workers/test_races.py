"""Many pumps and many producers at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import pytest
import redis

from tests.integration.workers.conftest import PREFIX, MakeQueue
from tests.integration.workers.reconcilers import Collisions, Recording, wait_until
from tests.sizes import size
from workers.controller import Controller, Host, Limits
from workers.workqueue import Lease, WorkQueue, ok

KEYS = [str(n) for n in range(50)]
PUMPS = 10
PRODUCERS = 50
# Long enough for the others to try for the same key.
CALL_SECONDS = 0.005

HOLD_A_KEY = """
import sys, time, redis
from workers.workqueue import QueueSpec, WorkQueue
client = redis.Redis.from_url(sys.argv[1])
queue = WorkQueue(client, [QueueSpec("refunds")], prefix=sys.argv[2], lease_seconds=0.5)
assert queue.get("victim", 1).leases
print("held", flush=True)
time.sleep(60)
"""


class Crowd:
    """Reconcilers that note when a key is inside two syncs at once."""

    def __init__(self, queue: WorkQueue) -> None:
        self.queue = queue
        self.collisions = Collisions()
        self.stop = threading.Event()
        self._inside: dict[str, object] = {}

    def reconciler(self) -> Recording:
        reconciler = Recording()
        reconciler.on_begin = self._enter
        reconciler.on_perform = lambda call, budget: time.sleep(CALL_SECONDS)
        reconciler.on_put_off = self._leave
        reconciler.on_record = lambda answers: [self._leave(answered.call.key) for answered in answers]
        return reconciler

    def _enter(self, leases: Sequence[Lease]) -> None:
        for lease in leases:
            entered = self.collisions.inside(lease.key)
            entered.__enter__()
            self._inside[lease.key] = entered

    def _leave(self, key: str) -> None:
        self._inside[key].__exit__(None, None, None)

    def pump(self) -> threading.Thread:
        host = Host(send_pump=lambda: None, is_stopping=self.stop.is_set)
        limits = Limits(batch=8, slots=16, pump_seconds=60, linger_seconds=60, hard_limit_seconds=90)
        thread = threading.Thread(target=Controller(self.queue, [self.reconciler()], host, limits=limits).run)
        thread.start()
        return thread


@pytest.mark.sized
def test_no_key_is_ever_in_two_syncs_and_the_queue_ends_empty(make_queue: MakeQueue) -> None:
    """Controller check 1; upstream: TestBasic, TestAddWhileProcessing."""
    queue = make_queue()
    crowd = Crowd(queue)
    pumps = [crowd.pump() for _ in range(PUMPS)]

    def produce() -> None:
        for n in range(size(400)):
            queue.add("refunds", KEYS[n % 7 :: 7])

    producers = [threading.Thread(target=produce) for _ in range(PRODUCERS)]
    for thread in producers:
        thread.start()
    for thread in producers:
        thread.join(60)
    wait_until(lambda: _is_empty(queue), seconds=30)
    crowd.stop.set()
    for thread in pumps:
        thread.join(10)
        assert not thread.is_alive()
    assert crowd.collisions.most == 1
    assert crowd.collisions.syncs >= len(KEYS)


def _is_empty(queue: WorkQueue) -> bool:
    stats = queue.stats().queues["refunds"]
    return stats.depth == stats.leases == stats.delayed == 0


def test_every_addition_is_followed_by_a_whole_sync(make_queue: MakeQueue) -> None:
    """What is added after a sync has begun is seen by a later one. Controller check 7; upstream: TestWatchJobs,
    TestWatchPods."""
    queue = make_queue()
    world = dict.fromkeys(KEYS, 0)
    seen = dict.fromkeys(KEYS, 0)
    stop = threading.Event()

    def work(name: str) -> None:
        while not stop.is_set():
            leases = queue.get(name, 5).leases
            for lease in leases:
                seen[lease.key] = world[lease.key]
            queue.finish([(lease, ok()) for lease in leases])

    threads = [threading.Thread(target=work, args=(f"p{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(size(300)):
        for key in KEYS:
            world[key] += 1
            queue.add("refunds", [key])
    wait_until(lambda: seen == world)
    stop.set()
    for thread in threads:
        thread.join(10)


def test_key_of_a_killed_process_is_redelivered_once(redis_url: str, make_queue: MakeQueue) -> None:
    """Controller check 10; no upstream test."""
    queue = make_queue(lease_seconds=0.5)
    queue.add("refunds", ["1"])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_A_KEY, redis_url, PREFIX], stdout=subprocess.PIPE, text=True, cwd=os.getcwd()
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGKILL)
    finally:
        holder.kill()
        holder.wait()
    delivered: list[Lease] = []
    started = time.monotonic()
    while time.monotonic() < started + 2.5:
        leases = queue.get("other", 5).leases
        delivered += leases
        queue.finish([(lease, ok()) for lease in leases])
    assert [(lease.key, lease.failures) for lease in delivered] == [("1", 1)]


def test_emptying_redis_in_the_middle_leaves_pumps_and_producers_working(
    make_queue: MakeQueue, redis_client: redis.Redis
) -> None:
    queue = make_queue()
    reconciler = Recording()
    stop = threading.Event()
    host = Host(send_pump=lambda: None, is_stopping=stop.is_set)
    limits = Limits(pump_seconds=30, linger_seconds=30, hard_limit_seconds=40)
    thread = threading.Thread(target=Controller(queue, [reconciler], host, limits=limits).run)
    thread.start()
    for n in range(size(200)):
        queue.add("refunds", KEYS)
        if n % 5 == 4:
            redis_client.flushdb()
    queue.add("refunds", KEYS)
    wait_until(lambda: queue.summon() or (set(KEYS) <= set(reconciler.done) and _is_empty(queue)))
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
