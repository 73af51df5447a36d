"""A flood of keys that the sweep brings back: it holds up nobody's fresh work, and is served all the same."""

import pytest

from tests.integration.workers.bench import Bench
from tests.integration.workers.conftest import keys, take
from tests.integration.workers.reconcilers import Recording, wait_until
from tests.sizes import size
from workers.workqueue import Band, WorkQueue, ok

BATCH = 100


def flood(queue: WorkQueue, n: int) -> None:
    queue.add("refunds", (f"old-{i}" for i in range(n)), band=Band.LOW)


@pytest.mark.sized
def test_fresh_work_is_in_the_next_batch_before_any_number_of_resync_keys(queue: WorkQueue) -> None:
    """Controller check 6; no upstream test."""
    flood(queue, size(100_000))
    for n in range(10):
        fresh = [f"fresh-{n}-{i}" for i in range(BATCH - 13)]
        queue.add("refunds", fresh)
        leases = take(queue, BATCH)
        assert set(fresh) <= set(keys(leases))
        assert len(leases) == BATCH
        queue.finish([(lease, ok()) for lease in leases])


@pytest.mark.sized
def test_resync_keys_are_served_at_an_eighth_while_fresh_work_never_ends(queue: WorkQueue) -> None:
    """Controller check 6; no upstream test."""
    old, batches = size(5_000), 0
    flood(queue, old)
    while queue.stats().queues["refunds"].low:
        queue.add("refunds", [f"fresh-{batches}-{i}" for i in range(BATCH)])
        leases = take(queue, BATCH)
        queue.finish([(lease, ok()) for lease in leases])
        batches += 1
    assert batches == -(-old // 13), "thirteen of each hundred"


def test_a_pump_that_works_through_a_flood_begins_fresh_work_with_its_next_batch(
    bench: Bench, queue: WorkQueue
) -> None:
    """Controller check 6; no upstream test."""
    reconciler = Recording(calls=False)
    begun_before: list[int] = []

    def begin(leases: object) -> None:
        if len(reconciler.begun) == 3:
            queue.add("refunds", ["fresh"])
        if "fresh" in reconciler.begun[-1]:
            begun_before.append(len(reconciler.begun))

    reconciler.on_begin = begin
    flood(queue, 2000)
    bench.start(reconciler)
    wait_until(lambda: sum(map(len, reconciler.begun)) == 2001)
    assert begun_before == [4]
