"""Order, dedupe, bands and turns of the queue."""

from collections import Counter
from itertools import pairwise

import redis

from tests.integration.workers.conftest import PREFIX, Advance, MakeQueue, everything, keys, take
from workers.workqueue import Band, QueueSpec, WorkQueue, after, error, ok


def test_key_added_twice_is_delivered_once(queue: WorkQueue) -> None:
    """Controller check 2; upstream: TestLen, TestCollapse."""
    assert queue.add("refunds", ["1"]).news == 1
    assert queue.add("refunds", ["1", "1"]).news == 0
    assert queue.stats().queues["refunds"].depth == 1
    assert keys(take(queue)) == ["1"]
    assert take(queue) == []


def test_key_added_while_held_is_delivered_once_more_after_the_finish(queue: WorkQueue) -> None:
    """Controller check 3; upstream: TestReinsert, TestCollapseWhileProcessing."""
    queue.add("refunds", ["1"])
    (lease,) = take(queue)
    assert [queue.add("refunds", ["1"]).news for _ in range(3)] == [1, 0, 0]
    assert take(queue, pump="other") == []
    assert queue.finish([(lease, ok())]).waiting == 1
    (again,) = take(queue, pump="other")
    queue.finish([(again, ok())])
    assert take(queue) == []


def test_rerun_goes_to_the_tail(queue: WorkQueue) -> None:
    """Controller check 4; upstream: It "returns items in order"."""
    queue.add("refunds", ["held"])
    (lease,) = take(queue)
    queue.add("refunds", ["held"])
    queue.add("refunds", ["new"])
    queue.finish([(lease, ok())])
    assert keys(take(queue)) == ["new", "held"]


def test_a_band_is_first_in_first_out(queue: WorkQueue) -> None:
    """Controller check 4; upstream: It "returns items in order"."""
    names = [str(n) for n in range(50)]
    for name in names:
        queue.add("refunds", [name])
    assert [take(queue, 1)[0].key for _ in names] == names


def test_priority_only_rises_and_its_key_goes_to_the_new_band_tail(queue: WorkQueue) -> None:
    """Controller check 5; upstream: It "retains the highest priority", It "will not decrease the priority", It "follows
    FIFO order in the new priority queue when item priority changes"."""
    queue.add("refunds", ["raised", "low"], band=Band.LOW)
    queue.add("refunds", ["high"])
    assert queue.add("refunds", ["raised"]).news == 0
    assert queue.add("refunds", ["raised"], band=Band.LOW).news == 0
    assert [take(queue, 1)[0].key for _ in range(3)] == ["high", "raised", "low"]


def test_priority_of_a_held_key_only_rises(queue: WorkQueue) -> None:
    """Controller check 5; upstream: It "retains the highest priority", It "will not decrease the priority", It "follows
    FIFO order in the new priority queue when item priority changes"."""
    queue.add("refunds", ["1"])
    (lease,) = take(queue)
    for band in (Band.LOW, Band.HIGH, Band.LOW):
        queue.add("refunds", ["1"], band=band)
    queue.finish([(lease, ok())])
    assert queue.stats().queues["refunds"].high == 1


def test_low_band_gets_an_eighth_of_every_batch(queue: WorkQueue) -> None:
    """Controller check 6; no upstream test."""
    queue.add("refunds", [f"low{n}" for n in range(100)], band=Band.LOW)
    queue.add("refunds", [f"high{n}" for n in range(100)])
    batch = keys(take(queue, 40))
    assert sum(name.startswith("low") for name in batch) == 5


def test_low_key_is_served_though_the_high_band_never_empties(queue: WorkQueue) -> None:
    """Controller check 6; no upstream test."""
    queue.add("refunds", ["low"], band=Band.LOW)
    queue.add("refunds", [f"high{n}" for n in range(20)])
    assert "low" in [take(queue, 1)[0].key for _ in range(8)]


def test_a_band_alone_gets_the_whole_batch(queue: WorkQueue) -> None:
    queue.add("refunds", [f"low{n}" for n in range(20)], band=Band.LOW)
    assert len(take(queue, 20)) == 20


def test_queues_share_a_batch_by_weight(make_queue: MakeQueue) -> None:
    queue = make_queue(QueueSpec("refunds", weight=3), QueueSpec("notifications", weight=1))
    for name in ("refunds", "notifications"):
        queue.add(name, [str(n) for n in range(200)])
    batch = take(queue, 40)
    assert sum(lease.queue == "refunds" for lease in batch) == 30
    assert len(batch) == 40


def test_queues_take_turns_when_keys_are_taken_one_by_one(make_queue: MakeQueue) -> None:
    queue = make_queue(QueueSpec("refunds", weight=3), QueueSpec("notifications", weight=1))
    for name in ("refunds", "notifications"):
        queue.add(name, [str(n) for n in range(200)])
    turns = [take(queue, 1)[0].queue for _ in range(40)]
    assert turns.count("notifications") == 10


def test_a_queue_with_little_work_leaves_its_share_to_the_others(queue: WorkQueue) -> None:
    queue.add("refunds", ["1"])
    queue.add("notifications", [str(n) for n in range(50)])
    assert len(take(queue, 40)) == 40


def test_no_more_keys_of_a_queue_are_handed_out_than_are_asked_for_and_what_is_left_is_told(queue: WorkQueue) -> None:
    for name in ("refunds", "notifications"):
        queue.add(name, [str(n) for n in range(50)])
    taken = queue.get("pump", {"refunds": 3, "notifications": 20})
    assert Counter(lease.queue for lease in taken.leases) == {"refunds": 3, "notifications": 17}
    taken = queue.get("pump", {"notifications": 20})
    assert Counter(lease.queue for lease in taken.leases) == {"notifications": 20}
    assert taken.left == {"refunds": 47, "notifications": 13}


def test_the_same_key_in_two_queues_is_two_keys(queue: WorkQueue) -> None:
    for name in ("refunds", "notifications"):
        queue.add(name, ["1"])
    assert {(lease.queue, lease.key) for lease in take(queue)} == {("refunds", "1"), ("notifications", "1")}


def test_nothing_of_a_key_that_ended_well_is_left(
    queue: WorkQueue, redis_client: redis.Redis, advance: Advance
) -> None:
    """After failures, a crash, a re-run and a delay. Controller check 8; upstream: TestGarbageCollection."""
    queue.add("refunds", ["residue"])
    queue.finish([(take(queue)[0], error(ValueError()))])
    advance(2)
    take(queue)
    advance(61)
    take(queue)
    advance(61)
    (lease,) = take(queue)
    queue.add("refunds", ["residue"])
    queue.finish([(lease, after(5))])
    queue.finish([(take(queue)[0], ok())])
    advance(6)
    queue.finish([(take(queue)[0], ok())])
    assert "residue" not in everything(redis_client)


def test_nothing_of_a_key_that_ended_well_is_left_even_without_another_get(
    queue: WorkQueue, redis_client: redis.Redis
) -> None:
    """Controller check 8; upstream: TestGarbageCollection."""
    queue.add("refunds", ["residue"])
    queue.finish([(take(queue)[0], ok())])
    assert "residue" not in everything(redis_client)


class CountingConnection(redis.Connection):
    """Counts what is sent; each is one round trip."""

    sent = 0

    def send_packed_command(self, command: object, check_health: bool = True) -> None:
        CountingConnection.sent += 1
        super().send_packed_command(command, check_health)


def test_round_trips_do_not_grow_with_the_batch(redis_url: str, redis_client: redis.Redis) -> None:
    pool = redis.ConnectionPool.from_url(redis_url, connection_class=CountingConnection)
    queue = WorkQueue(redis.Redis(connection_pool=pool), [QueueSpec("refunds")], prefix=PREFIX)

    def cost(n: int) -> list[int]:
        sent = [CountingConnection.sent]
        queue.add("refunds", [str(i) for i in range(n)])
        sent.append(CountingConnection.sent)
        leases = take(queue, n)
        sent.append(CountingConnection.sent)
        queue.extend("pump", leases)
        sent.append(CountingConnection.sent)
        queue.finish([(lease, ok()) for lease in leases])
        sent.append(CountingConnection.sent)
        assert len(leases) == n
        return [later - earlier for earlier, later in pairwise(sent)]

    cost(1)
    assert cost(10) == cost(100) == [1, 1, 1, 1]
    pool.disconnect()


def test_stats_tell_depth_leases_delays_and_the_oldest_key(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["held"])
    (lease,) = take(queue)
    queue.add("refunds", ["held"])
    queue.add("refunds", ["low"], band=Band.LOW)
    queue.add("refunds", ["later"], delay=500)
    advance(30)
    queue.add("refunds", ["high"])
    stats = queue.stats().queues["refunds"]
    assert (stats.high, stats.low, stats.again, stats.delayed, stats.leases) == (1, 1, 1, 1, 1)
    assert stats.depth == 3
    assert 29 < stats.oldest_seconds < 40
    queue.finish([(lease, ok())])


def test_additions_of_any_size_are_taken(queue: WorkQueue) -> None:
    assert queue.add("refunds", (str(n) for n in range(2500))).news == 2500
    assert queue.add("refunds", []).news == 0
