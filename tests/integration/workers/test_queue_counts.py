"""What the queue counts, to the unit."""

import pytest
import redis

from tests.integration.workers.conftest import PREFIX, Advance, take
from workers.workqueue import BOUNDS_MS, Band, QueueStats, WorkQueue, after, error, ok, terminal


def refunds(queue: WorkQueue) -> QueueStats:
    return queue.stats().queues["refunds"]


def test_only_real_additions_are_counted_and_a_key_added_again_while_it_runs_is_in_the_depth(queue: WorkQueue) -> None:
    """Controller check 76; upstream: TestMetrics, TestMetricShutdown."""
    queue.add("refunds", ["1"])
    queue.add("refunds", ["1"], band=Band.LOW)
    assert (refunds(queue).counts["adds"], refunds(queue).depth) == (1, 1)
    (lease,) = take(queue)
    assert refunds(queue).depth == 0
    queue.add("refunds", ["1"])
    queue.add("refunds", ["1"])
    assert (refunds(queue).counts["adds"], refunds(queue).depth) == (2, 1)
    queue.finish([(lease, ok())])
    assert (refunds(queue).counts["adds"], refunds(queue).depth) == (2, 1)


def test_a_delayed_key_is_an_addition_once_it_is_due(queue: WorkQueue, advance: Advance) -> None:
    """The same for one that is looked at again at once, unless it was added meanwhile anyway. Controller check 76;
    upstream: TestMetrics, TestMetricShutdown."""
    queue.add("refunds", ["1"], delay=5)
    assert "adds" not in refunds(queue).counts
    advance(6)
    (lease,) = take(queue)
    assert refunds(queue).counts["adds"] == 1
    queue.finish([(lease, after(0))])
    assert refunds(queue).counts["adds"] == 2
    (lease,) = take(queue)
    queue.add("refunds", ["1"])
    queue.finish([(lease, after(0))])
    assert refunds(queue).counts["adds"] == 3


@pytest.mark.parametrize("raise_it", [False, True], ids=["added low twice", "raised to the high band"])
def test_a_key_waits_from_its_first_add(queue: WorkQueue, advance: Advance, raise_it: bool) -> None:
    """Controller check 76; upstream: TestMetrics, TestMetricShutdown."""
    queue.add("refunds", ["1"], band=Band.LOW)
    advance(20)
    queue.add("refunds", ["1"], band=Band.HIGH if raise_it else Band.LOW)
    advance(20)
    (lease,) = take(queue)
    assert 40 <= lease.queued < 45
    queued = refunds(queue).times("queued")
    assert queued.counts[BOUNDS_MS.index(60_000)] == sum(queued.counts) == 1
    assert queued.sum_seconds == lease.queued


def test_a_key_added_while_it_runs_waits_from_then(
    queue: WorkQueue, redis_client: redis.Redis, advance: Advance
) -> None:
    """Controller check 76; upstream: TestMetrics, TestMetricShutdown."""
    queue.add("refunds", ["1"])
    (lease,) = take(queue)
    queue.add("refunds", ["1"])
    advance(10)
    queue.finish([(lease, ok())])
    advance(10)
    assert 20 <= take(queue)[0].queued < 25
    assert not redis_client.exists(f"{PREFIX}:refunds:since")


def test_work_is_timed_per_finish(queue: WorkQueue, advance: Advance) -> None:
    """Longer than any bound, and shorter than the first. Controller check 76; upstream: TestMetrics,
    TestMetricShutdown."""
    queue.add("refunds", ["slow", "quick"])
    slow, quick = take(queue)
    queue.finish([(quick, ok())])
    advance(BOUNDS_MS[-1] / 1000 + 1)
    queue.finish([(slow, ok())])
    worked = refunds(queue).times("worked")
    assert worked.counts[-1] == 1
    assert sum(worked.counts) == 2
    assert 301 <= worked.sum_seconds < 306


def test_unfinished_work_grows_while_a_key_is_held_and_ends_with_it(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 76; upstream: TestMetrics, TestMetricShutdown."""
    queue.add("refunds", ["1", "2"])
    first, second = take(queue, 1), take(queue, 1, pump="other", held=0)
    advance(10)
    now = refunds(queue)
    assert (20 <= now.unfinished < 22, 10 <= now.longest < 11, now.holders) == (True, True, 2)
    queue.finish([(first[0], ok())])
    advance(10)
    now = refunds(queue)
    assert (20 <= now.unfinished < 22, 20 <= now.longest < 22, now.holders) == (True, True, 1)
    queue.finish([(second[0], ok())])
    now = refunds(queue)
    assert (now.unfinished, now.longest, now.holders) == (0, 0, 0)


def test_each_outcome_is_counted_under_its_own_name(queue: WorkQueue) -> None:
    """Controller check 77; upstream: It "prometheus metric reconcile_total", It "should add a reconcile time to the
    reconcile time histogram"."""
    outcomes = [ok(), after(0), after(9), error(ValueError()), terminal(ValueError())]
    queue.add("refunds", [str(n) for n in range(5)])
    queue.finish(list(zip(take(queue), outcomes, strict=True)))
    counts = refunds(queue).counts
    assert [counts[name] for name in ("ok", "requeue", "after", "error", "terminal")] == [1, 1, 1, 1, 1]


def test_what_a_pump_counted_comes_along_with_its_finish(queue: WorkQueue) -> None:
    """Controller check 77; upstream: It "prometheus metric reconcile_total", It "should add a reconcile time to the
    reconcile time histogram"."""
    queue.add("refunds", ["1", "2"])
    for lease in take(queue):
        queue.finish([(lease, ok())], counts={("refunds", "panics"): 1, ("notifications", "calls"): 3})
    stats = queue.stats().queues
    assert (stats["refunds"].counts["panics"], stats["notifications"].counts["calls"]) == (2, 6)


def test_refusals_belong_to_their_queue(queue: WorkQueue, advance: Advance) -> None:
    queue.add("notifications", ["1"])
    (late,) = take(queue, pump="late")
    advance(60.5)
    take(queue)
    queue.finish([(late, ok())])
    stats = queue.stats().queues
    assert {"reclaims", "stale_finishes"} <= stats["notifications"].counts.keys()
    assert not stats["refunds"].counts
