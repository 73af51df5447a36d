"""The runtime on a real queue: pipeline, groups, isolation, deadlines, ends."""

import threading
import time

import redis

from tests.integration.workers.bench import Bench, DatabaseAway
from tests.integration.workers.conftest import PREFIX, Advance, MakeQueue, take
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Call
from workers.ports import Budget
from workers.workqueue import WorkQueue, after, ok


def test_keys_are_begun_called_recorded_and_finished(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    queue.add("refunds", [str(n) for n in range(200)])
    assert bench.controller(reconciler).run() is False
    assert sorted(reconciler.done, key=int) == [str(n) for n in range(200)]
    stats = queue.stats()
    assert stats.queues["refunds"].leases == stats.queues["refunds"].depth == stats.pumps == 0


def test_keys_without_calls_go_in_whole_batches(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording(calls=False)
    queue.add("refunds", [str(n) for n in range(1000)])
    bench.controller(reconciler).run()
    assert max(map(len, reconciler.begun)) == 100


def test_one_pump_serves_all_queues(bench: Bench, queue: WorkQueue) -> None:
    refunds, notifications = Recording(), Recording(account="email")
    notifications.queue = "notifications"
    for name in ("refunds", "notifications"):
        queue.add(name, ["1", "2"])
    bench.controller(refunds, notifications).run()
    assert sorted(refunds.done) == sorted(notifications.done) == ["1", "2"]


def test_a_slow_account_does_not_hold_back_another(bench: Bench, queue: WorkQueue) -> None:
    release = threading.Event()
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key, key.split("-")[0], 5.0, None)]
    reconciler.on_perform = lambda call, budget: release.wait(5) if call.account == "slow" else None
    queue.add("refunds", [f"slow-{n}" for n in range(50)] + [f"fast-{n}" for n in range(50)])
    bench.start(reconciler, slots=8, linger_seconds=2)
    wait_until(lambda: sum(key.startswith("fast") for key in reconciler.done) == 50)
    assert not any(key.startswith("slow") for key in reconciler.done)
    release.set()
    wait_until(lambda: len(reconciler.done) == 100)


def test_one_account_has_at_most_half_of_the_slots(bench: Bench, queue: WorkQueue) -> None:
    lock, running = threading.Lock(), [0, 0]

    def perform(call: Call, budget: Budget) -> None:
        with lock:
            running[0] += 1
            running[1] = max(running)
        time.sleep(0.005)
        with lock:
            running[0] -= 1

    reconciler = Recording()
    reconciler.on_perform = perform
    queue.add("refunds", [str(n) for n in range(200)])
    bench.start(reconciler, slots=8, linger_seconds=2)
    wait_until(lambda: len(reconciler.done) == 200)
    assert running[1] == 4


def test_a_lingering_pump_starts_a_new_key_at_once(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 9; upstream: TestItemIsReturnedAsSoonAsPossible."""
    reconciler = Recording()
    bench.start(reconciler, linger_seconds=8)
    wait_until(lambda: queue.stats().listening == 1)
    started = time.monotonic()
    assert queue.add("refunds", ["1"]).send_message is False
    wait_until(lambda: reconciler.done)
    assert time.monotonic() - started < 0.25


def test_a_pump_waiting_for_a_slow_call_starts_a_new_key_at_once(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 9; upstream: TestItemIsReturnedAsSoonAsPossible."""
    release = threading.Event()
    reconciler = Recording()
    reconciler.on_perform = lambda call, budget: release.wait(5) if call.key == "slow" else None
    queue.add("refunds", ["slow"])
    bench.start(reconciler)
    wait_until(lambda: queue.stats().listening == 1)
    queue.add("refunds", ["quick"])
    wait_until(lambda: reconciler.done == ["quick"], seconds=1)
    release.set()


def test_a_lingering_pump_serves_a_delayed_key_when_it_is_due(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 21; upstream: TestSimpleQueue, TestCopyShifting, TestAddTwoFireEarly."""
    reconciler = Recording()
    reconciler.outcome = lambda key: after(0.3) if len(reconciler.done) < 2 else ok()
    queue.add("refunds", ["1"])
    bench.start(reconciler, linger_seconds=5)
    wait_until(lambda: len(reconciler.done) == 2, seconds=2)


def test_idle_pump_ends_and_deregisters(bench: Bench, queue: WorkQueue) -> None:
    assert bench.controller(Recording()).run() is False
    assert queue.stats().pumps == queue.stats().listening == 0
    assert queue.add("refunds", ["1"]).send_message is True


def test_pump_above_the_limit_goes_away(make_queue: MakeQueue) -> None:
    queue = make_queue(most_pumps=1)
    queue.get("other", 0, stay=True)
    queue.add("refunds", ["1"])
    reconciler = Recording()
    assert Bench(queue).controller(reconciler).run() is False
    assert reconciler.begun == []


def test_pump_whose_time_is_up_sends_for_another(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    reconciler.on_perform = lambda call, budget: time.sleep(0.01)
    queue.add("refunds", [str(n) for n in range(150)])
    assert bench.controller(reconciler, pump_seconds=0.2, slots=2).run() is True
    stats = queue.stats().queues["refunds"]
    assert stats.leases == 0
    assert stats.depth + stats.delayed + len(reconciler.done) == 150


def test_shutdown_finishes_the_calls_in_hand_and_leaves_the_rest_to_others(bench: Bench, queue: WorkQueue) -> None:
    """A key made dirty meanwhile is left for the next one too. Controller check 28; upstream: TestBasic,
    TestGetFromPriorityQueueIsUnblockedOnShutdown, TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems.
    Controller check 29; upstream: TestQueueDrainageUsingShutDownWithDrain,
    TestQueueDrainageUsingShutDownWithDrainWithDirtyItem. Controller check 31; no upstream test."""
    release = threading.Event()
    reconciler = Recording()
    reconciler.on_perform = lambda call, budget: release.wait(5)
    queue.add("refunds", [str(n) for n in range(20)])
    pump = bench.start(reconciler, slots=4)
    wait_until(lambda: queue.stats().queues["refunds"].leases == 2)
    bench.stop.set()
    queue.add("refunds", ["0", "new"])
    release.set()
    pump.join(5)
    assert not pump.is_alive()
    assert len(reconciler.done) == 2
    stats = queue.stats().queues["refunds"]
    assert (stats.leases, stats.depth + stats.delayed) == (0, 20)
    assert queue.stats().pumps == 0


def test_what_a_leaving_pump_leaves_ready_or_delayed_is_served_by_another(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 31; no upstream test."""
    release = threading.Event()
    leaver = Recording()
    leaver.on_perform = lambda call, budget: release.wait(5)
    ready, delayed = [str(n) for n in range(20)], [f"later-{n}" for n in range(5)]
    queue.add("refunds", ready)
    queue.add("refunds", delayed, delay=0.5)
    pump = bench.start(leaver, slots=4)
    wait_until(lambda: queue.stats().queues["refunds"].leases == 2)
    bench.stop.set()
    release.set()
    pump.join(5)
    bench.stop.clear()
    other = Recording()
    bench.start(other, linger_seconds=2)
    wait_until(lambda: len(leaver.done) + len(other.done) == 25)
    assert sorted(leaver.done + other.done) == sorted(ready + delayed)


def test_lingering_pump_ends_at_once_on_shutdown(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 28; upstream: TestBasic, TestGetFromPriorityQueueIsUnblockedOnShutdown,
    TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems."""
    pump = bench.start(Recording(), linger_seconds=8)
    wait_until(lambda: queue.stats().listening == 1)
    bench.stop.set()
    pump.join(1)
    assert not pump.is_alive()


def test_told_to_leave_a_pump_hands_back_what_it_holds_though_its_calls_are_out(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 30; upstream: TestNoQueueDrainageUsingShutDown, TestForceQueueShutdownUsingShutDown."""
    release = threading.Event()
    reconciler = Recording()
    reconciler.locked = lambda key, wait_ms: key == "locked"
    reconciler.on_perform = lambda call, budget: release.wait(5)
    queue.add("refunds", ["locked", *(str(n) for n in range(20))])
    pump = bench.start(reconciler, slots=4)
    wait_until(lambda: queue.stats().queues["refunds"].leases > 1)
    bench.stop.set()
    assert pump.is_alive(), "the first word lets it finish"
    bench.leave.set()
    pump.join(1)
    assert not pump.is_alive()
    assert reconciler.done == []
    leases = take(queue)
    assert len(leases) + queue.stats().queues["refunds"].delayed == 21
    assert {(lease.failures, lease.reclaims) for lease in leases} == {(0, 0)}
    release.set()


def test_more_than_two_batches_left_wake_a_sibling(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    queue.add("refunds", [str(n) for n in range(500)])
    bench.controller(reconciler, batch=10).run()
    assert bench.messages > 0


def test_a_message_is_wanted_only_once_in_a_short_time(queue: WorkQueue, redis_client: redis.Redis) -> None:
    assert [queue.add("refunds", [str(n)]).send_message for n in range(3)] == [True, False, False]
    assert 0 < redis_client.pttl(f"{PREFIX}::waking") <= 1000


def test_top_up_sends_for_a_pump_when_there_is_work_and_nobody_comes(queue: WorkQueue, advance: Advance) -> None:
    """Controller check 25; no upstream test."""
    assert queue.summon() is False
    queue.add("refunds", ["1"], delay=5)
    assert queue.summon() is False
    advance(5)
    assert queue.summon() is True


def test_a_pump_that_finds_redis_emptied_asks_what_is_paused_before_it_takes_anything(
    bench: Bench, queue: WorkQueue, redis_client: redis.Redis
) -> None:
    """What a person has stopped does not start because Redis has forgotten it, also while PostgreSQL is away."""
    money, mails = Recording(), Recording()
    mails.queue = "notifications"
    answers = iter([DatabaseAway()])

    def paused() -> list[str]:
        for away in answers:
            raise away
        return ["refunds"]

    bench.paused = paused
    bench.start(money, mails, linger_seconds=5)
    wait_until(lambda: queue.stats().queues["refunds"].paused)
    redis_client.flushdb()
    for name in ("refunds", "notifications"):
        queue.add(name, ["1"])
    wait_until(lambda: mails.done == ["1"])
    assert (money.begun, bench.resets) == ([], 1)
