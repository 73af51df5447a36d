"""What an operator may do to a queue: stop it, find a key in it, forget what a key has done."""

import redis

from tests.integration.workers.conftest import Advance, keys, take
from workers.workqueue import Band, WorkQueue, error, ok


def test_a_paused_queue_hands_out_nothing_and_the_others_go_on(queue: WorkQueue) -> None:
    for name in ("refunds", "notifications"):
        queue.add(name, ["1"])
    queue.declare_paused(lambda: ["refunds"])
    assert [lease.queue for lease in take(queue)] == ["notifications"]
    assert queue.add("refunds", ["2"]).news == 1
    queue.declare_paused(list)
    assert keys(take(queue)) == ["1", "2"]


def test_nobody_is_sent_for_to_a_paused_queue(queue: WorkQueue, advance: Advance) -> None:
    queue.declare_paused(lambda: ["refunds"])
    assert not queue.add("refunds", ["1"]).send_message
    assert not queue.summon()
    queue.add("refunds", ["2"], delay=1)
    advance(2)
    taken = queue.get("pump", 10)
    assert (taken.leases, sum(taken.left.values()), taken.next_due, taken.registered) == ([], 0, None, False)
    assert not queue.leave("pump")
    queue.declare_paused(list)
    assert queue.summon()


def test_what_is_in_hand_when_the_queue_is_paused_is_finished(queue: WorkQueue) -> None:
    queue.add("refunds", ["1"])
    (lease,) = take(queue)
    queue.declare_paused(lambda: ["refunds"])
    assert queue.finish([(lease, ok())]).refused == []


def test_a_key_that_lost_its_worker_waits_too(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    take(queue, pump="dead")
    queue.declare_paused(lambda: ["refunds"])
    advance(60.5)
    take(queue)
    advance(10)
    assert take(queue) == []
    queue.declare_paused(list)
    assert keys(take(queue)) == ["1"]


def test_whoever_read_before_the_pause_does_not_undo_it_afterwards(queue: WorkQueue) -> None:
    def read_slowly() -> list[str]:
        queue.declare_paused(lambda: ["refunds"])
        return []

    queue.declare_paused(read_slowly)
    queue.add("refunds", ["1"])
    assert take(queue) == []
    queue.declare_paused(list)
    assert keys(take(queue)) == ["1"]


def test_what_was_read_before_redis_was_emptied_counts_no_more(queue: WorkQueue, redis_client: redis.Redis) -> None:
    def read_slowly() -> list[str]:
        redis_client.flushdb()
        return []

    queue.declare_paused(read_slowly)
    queue.add("refunds", ["1"])
    taken = queue.get("pump", 1, told=True)
    assert (taken.leases, taken.registered, taken.untold) == ([], True, True)
    queue.declare_paused(lambda: ["notifications"])
    assert keys(queue.get("pump", 1, told=True).leases) == ["1"]


def test_the_band_and_the_place_of_a_waiting_key(queue: WorkQueue) -> None:
    queue.add("refunds", ["1", "2", "3"])
    queue.add("refunds", ["low"], band=Band.LOW)
    assert [(at.band, at.place) for at in (queue.find("refunds", "3"), queue.find("refunds", "low"))] == [
        ("high", 3),
        ("low", 1),
    ]
    assert not queue.find("notifications", "1").is_known


def test_when_a_key_that_is_put_off_comes_in_line(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"], delay=30)
    advance(10)
    at = queue.find("refunds", "1")
    assert at.band == "" and at.due_in is not None and 15 < at.due_in <= 20


def test_who_holds_a_key_and_for_how_long(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    (lease,) = take(queue, pump="busy")
    queue.add("refunds", ["1"], band=Band.LOW)
    advance(7)
    at = queue.find("refunds", "1")
    assert (at.holder, at.again, 7 <= at.held < 8) == ("busy", "low", True)
    queue.finish([(lease, ok())])


def test_forgetting_ends_the_back_off_s_growth_and_leaves_the_key_where_it_waits(
    queue: WorkQueue, advance: Advance
) -> None:
    """As client-go's Forget: the limiter's memory goes, the delay that is running stays."""
    failed_twice(queue, advance)
    assert queue.forget("refunds", "1")
    at = queue.find("refunds", "1")
    assert at.failures == 0 and at.due_in is not None
    assert not queue.forget("refunds", "1")


def test_a_forgotten_crash_takes_no_key_into_quarantine(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    take(queue, pump="dead")
    advance(60.5)
    take(queue)
    queue.forget("refunds", "1")
    advance(10)
    queue.add("refunds", ["2"])
    assert [(lease.reclaims, lease.failures) for lease in take(queue)] == [(0, 0), (0, 0)]


def failed_twice(queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    for _ in range(2):
        (lease,) = take(queue)
        queue.finish([(lease, error(ValueError()))])
        advance(1.5)
