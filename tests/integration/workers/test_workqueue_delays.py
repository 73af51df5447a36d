"""Back-off, delays, leases and crashes of the queue."""

import redis

from tests.integration.workers.conftest import PREFIX, Advance, MakeQueue, keys, take
from workers.backoff import backoff_seconds
from workers.workqueue import Lease, QueueSpec, WorkQueue, after, error, ok, terminal


def fail(queue: WorkQueue, lease: Lease) -> float:
    """Finish with an error; the seconds until the key is due again."""
    due = queue.finish([(lease, error(ValueError("x")))]).next_due
    assert due is not None
    return due


def fail_times(queue: WorkQueue, advance: Advance, key: str, times: int) -> list[float]:
    queue.add("refunds", [key])
    waits = []
    for _ in range(times):
        (lease,) = [lease for lease in take(queue) if lease.key == key]
        waits.append(fail(queue, lease))
        advance(waits[-1])
    return waits


def test_back_off_doubles_per_key(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 12; upstream: TestItemExponentialFailureRateLimiter, TestRateLimitingQueue."""
    assert fail_times(queue, advance, "1", 5) == [1, 2, 4, 8, 16]
    (lease,) = take(queue)
    assert lease.failures == 5
    assert fail_times(queue, advance, "2", 2) == [1, 2]


def test_back_off_ends_at_the_cap_and_never_overflows(
    queue: WorkQueue, redis_client: redis.Redis, advance: Advance
) -> None:
    """Controller check 13; upstream: TestItemExponentialFailureRateLimiterOverFlow, TestWithMaxWaitRateLimiter."""
    redis_client.hset(f"{PREFIX}:refunds:failures", "1", 1000)
    assert fail_times(queue, advance, "1", 2) == [60, 60]


def test_back_off_in_redis_is_the_formula_of_python(
    queue: WorkQueue, redis_client: redis.Redis, advance: Advance
) -> None:
    for failures in (1, 3, 6, 7, 41, 300):
        redis_client.hset(f"{PREFIX}:refunds:failures", "1", failures - 1)
        assert fail_times(queue, advance, "1", 1) == [backoff_seconds(failures, base=1, cap=60)]
        queue.finish([(lease, ok()) for lease in take(queue)])


def test_success_resets_the_failures_and_an_error_does_not(queue: WorkQueue, advance: Advance) -> None:
    """`after` alone resets them too. Controller check 14; upstream: TestRateLimitingQueue, It "should not reset backoff
    until there's a non-error result". Controller check 79; upstream: It "should perform error behavior if error is not
    nil, regardless of RequeueAfter"."""
    for outcome in (ok(), after(3), terminal(ValueError("x"))):
        fail_times(queue, advance, "1", 2)
        queue.finish([(take(queue)[0], outcome)])
        advance(3)
        queue.add("refunds", ["1"])
        (lease,) = take(queue)
        assert lease.failures == 0
        assert fail(queue, lease) == 1
        advance(1)
        queue.finish([(take(queue)[0], ok())])


def test_forgetting_a_keys_failures_does_not_release_it(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 14; upstream: TestRateLimitingQueue, It "should not reset backoff until there's a non-error
    result"."""
    fail_times(queue, advance, "1", 3)
    (lease,) = take(queue)
    assert queue.forget("refunds", "1")
    queue.add("refunds", ["1"])
    assert take(queue, pump="other") == []
    assert fail(queue, lease) == 1, "its failures are forgotten"


def test_retries_of_keys_failing_together_are_spread(make_queue: MakeQueue) -> None:
    """Controller check 16; no upstream test."""
    queue = make_queue(QueueSpec("refunds", base=30))
    queue.add("refunds", [str(n) for n in range(200)])
    queue.finish([(lease, error(ValueError("x"))) for lease in take(queue, 200)])
    due = [score for _, score in queue.client.zrange(f"{PREFIX}:refunds:delayed", 0, -1, withscores=True)]
    assert max(due) - min(due) > 10_000
    assert len(set(due)) > 150


def test_failures_are_counted_per_queue(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 17; no upstream test."""
    for name in ("refunds", "notifications"):
        queue.add(name, ["1"])
    queue.finish([(lease, error(ValueError("x"))) for lease in take(queue)])
    advance(1)
    refund, notification = sorted(take(queue), key=lambda lease: lease.queue, reverse=True)
    queue.finish([(refund, ok())])
    assert fail(queue, notification) == 2


def test_delayed_keys_come_when_due_in_due_order_once(queue: WorkQueue, advance: Advance) -> None:
    """Whoever gets next promotes what is due. Controller check 21; upstream: TestSimpleQueue, TestCopyShifting,
    TestAddTwoFireEarly."""
    for key, delay in (("a", 100), ("b", 50), ("c", 25)):
        queue.add("refunds", [key], delay=delay)
    advance(24)
    assert take(queue) == []
    advance(80)
    assert keys(take(queue)) == ["c", "b", "a"]
    assert take(queue) == []


def test_the_earliest_of_several_delays_counts(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 22; upstream: TestDeduping."""
    for key, delays in (("later", (50, 70)), ("earlier", (50, 30))):
        for delay in delays:
            queue.add("refunds", [key], delay=delay)
    advance(31)
    assert keys(take(queue)) == ["earlier"]
    advance(20)
    assert keys(take(queue)) == ["later"]
    advance(100)
    assert queue.stats().queues["refunds"].delayed == 0


def test_zero_or_negative_delay_is_an_immediate_add(queue: WorkQueue) -> None:
    """Controller check 23; no upstream test."""
    queue.add("refunds", ["1"], delay=-1)
    (lease,) = take(queue)
    assert queue.finish([(lease, after(0))]).waiting == 1
    assert keys(take(queue)) == ["1"]


def test_an_immediate_add_does_not_cancel_a_reminder(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 24; upstream: TestWaitingItemIsReturnedRightAfterReadWithoutAfter."""
    queue.add("refunds", ["1"], delay=50)
    queue.add("refunds", ["1"])
    queue.finish([(take(queue)[0], ok())])
    advance(51)
    assert keys(take(queue)) == ["1"]


def test_key_of_a_dead_worker_comes_back_once_after_its_back_off(queue: WorkQueue, advance: Advance) -> None:
    """Also when it was added again meanwhile. Controller check 10; no upstream test."""
    queue.add("refunds", ["1"])
    take(queue, pump="dead")
    queue.add("refunds", ["1"])
    assert take(queue) == []
    advance(60.5)
    assert take(queue) == []
    advance(1)
    (lease,) = take(queue)
    assert (lease.failures, lease.reclaims, lease.alone) == (1, 1, True)
    queue.finish([(lease, ok())])
    assert take(queue) == []
    assert queue.stats().reclaims == 1


def test_late_finish_and_late_renewal_are_refused_and_counted(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 11; no upstream test."""
    queue.add("refunds", ["1"])
    (late,) = take(queue, pump="late")
    advance(60.5)
    take(queue)
    advance(2)
    (lease,) = take(queue)
    assert queue.finish([(late, error(ValueError("x")))]).refused == [late]
    assert queue.extend("late", [late, lease]) == [late]
    stats = queue.stats()
    assert (stats.stale_finishes, stats.stale_extends) == (1, 1)
    assert stats.queues["refunds"].leases == 1
    assert queue.finish([(lease, ok())]).refused == []


def test_finish_refused_for_one_key_counts_for_the_others(queue: WorkQueue) -> None:
    queue.add("refunds", ["1", "2"])
    one, two = take(queue)
    queue.finish([(one, ok())])
    assert queue.finish([(one, ok()), (two, ok())]).refused == [one]
    assert queue.stats().queues["refunds"].leases == 0


def test_a_renewed_lease_does_not_end(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    (lease,) = take(queue)
    for _ in range(3):
        advance(50)
        assert queue.extend("pump", [lease]) == []
    assert take(queue, pump="other") == []


def test_key_that_lost_its_worker_is_handed_out_by_itself(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1", "2"])
    take(queue, pump="dead")
    advance(60.5)
    take(queue)
    queue.add("refunds", ["fresh1", "fresh2"])
    advance(2)
    batches = [keys(take(queue, held=n)) for n in range(3)]
    assert sorted(batches, key=len) == [["1"], ["2"], ["fresh1", "fresh2"]]
    assert len(batches[1]) == 2, "fresh work has its turn in between"


def test_only_crashes_alone_are_counted_as_the_key_s_own(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    take(queue, pump="dead1")
    (lease,) = crash_and_take(queue, advance, pump="dead2")
    assert (lease.reclaims, lease.crashes_alone) == (1, 0), "who knows what else was in that worker"
    (lease,) = crash_and_take(queue, advance, pump="dead3")
    assert (lease.reclaims, lease.crashes_alone) == (2, 1)
    queue.add("refunds", ["other"])
    take(queue, pump="dead3", held=1)
    lease = next(lease for lease in crash_and_take(queue, advance, pump="p") if lease.key == "1")
    assert (lease.reclaims, lease.crashes_alone) == (3, 1)


def test_key_in_quarantine_waits_for_empty_hands(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    take(queue, pump="dead1")
    crash_and_take(queue, advance, pump="dead2")
    advance(60.5)
    take(queue)
    advance(10)
    taken = queue.get("pump", 10, held=1)
    assert (taken.leases, taken.drain) == ([], True)
    assert keys(take(queue)) == ["1"]


def crash_and_take(queue: WorkQueue, advance: Advance, *, pump: str) -> list[Lease]:
    """Let all leases end, wait out the back-off, and take what comes."""
    advance(60.5)
    assert take(queue, pump=pump) == []
    advance(20)
    return take(queue, pump=pump)
