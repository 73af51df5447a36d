"""What goes wrong around a pump: keys and calls that raise or hang, locks, a database or a Redis that is away."""

import threading
import time
from collections.abc import Callable, Sequence

import redis

from tests.integration.workers.bench import Bench, DatabaseAway
from tests.integration.workers.conftest import Advance, MakeQueue, take
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Answered, Call, CallAbandoned, TerminalError
from workers.ports import Budget
from workers.workqueue import Lease, OutcomeKind, WorkQueue, error, ok


def raising_for(key: str, error: Exception) -> Callable[[Sequence[Lease | Answered]], None]:
    """A hook that raises whenever the key is in the batch."""

    def hook(items: Sequence[Lease | Answered]) -> None:
        if any((item.key if isinstance(item, Lease) else item.call.key) == key for item in items):
            raise error

    return hook


def test_key_that_raises_in_begin_fails_alone(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should recover panic if RecoverPanic is true by default"."""
    reconciler = Recording()
    reconciler.on_begin = raising_for("2", ValueError("poison"))
    queue.add("refunds", ["1", "2", "3"])
    controller = bench.controller(reconciler)
    controller.run()
    assert sorted(reconciler.done) == ["1", "3"]
    assert [(key, str(cause), n) for key, cause, n in reconciler.failures][:1] == [("2", "poison", 1)]
    assert controller.outcomes[OutcomeKind.OK] == 2
    assert controller.outcomes[OutcomeKind.ERROR] >= 1


def test_key_that_raises_in_record_fails_alone(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should recover panic if RecoverPanic is true by default"."""
    reconciler = Recording()
    reconciler.on_record = raising_for("2", ValueError("poison"))
    queue.add("refunds", ["1", "2", "3"])
    bench.controller(reconciler).run()
    assert sorted(reconciler.done) == ["1", "3"]
    assert reconciler.failures[0][0] == "2"
    assert queue.stats().queues["refunds"].delayed == 1


def test_terminal_error_is_not_repeated_until_something_changes(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should not requeue a Request if there is a terminal error"."""
    reconciler = Recording()
    reconciler.on_begin = raising_for("1", TerminalError("hopeless"))
    queue.add("refunds", ["1"])
    controller = bench.controller(reconciler)
    controller.run()
    stats = queue.stats().queues["refunds"]
    assert (stats.delayed, stats.depth) == (0, 0)
    assert controller.outcomes == {OutcomeKind.TERMINAL: 1}
    reconciler.on_begin = lambda leases: None
    queue.add("refunds", ["1"])
    controller.run()
    assert reconciler.done == ["1"]


def test_error_returned_by_a_reconciler_backs_the_key_off(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 79; upstream: It "should perform error behavior if error is not nil, regardless of
    RequeueAfter"."""
    reconciler = Recording()
    reconciler.outcome = lambda key: error(ValueError("x"))
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    assert reconciler.done == ["1"]
    assert queue.stats().queues["refunds"].delayed == 1


def test_a_call_that_raises_is_answered_as_unknown(bench: Bench, queue: WorkQueue) -> None:
    def perform(call: Call, budget: Budget) -> None:
        raise ConnectionResetError

    reconciler = Recording()
    reconciler.on_perform = perform
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    ((answered,),) = reconciler.recorded
    assert isinstance(answered.error, ConnectionResetError)


def test_a_call_whose_process_was_frozen_after_the_claim_finds_its_time_used_up(bench: Bench, queue: WorkQueue) -> None:
    """Others may have asked, and sent again, by the time it wakes."""
    reconciler = Recording(seconds=0.2)
    reconciler.on_begin = lambda leases: threading.Event().wait(0.3)
    reconciler.on_perform = lambda call, budget: budget.spent()
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    ((answered,),) = reconciler.recorded
    assert answered.reply is True


def test_a_call_stuck_past_its_deadline_is_unknown_and_does_not_hold_up_the_pump(
    bench: Bench, queue: WorkQueue
) -> None:
    release = threading.Event()
    reconciler = Recording(seconds=0.1)
    reconciler.on_perform = lambda call, budget: release.wait(20)
    queue.add("refunds", ["1"])
    started = time.monotonic()
    controller = bench.controller(reconciler, slots=2)
    controller.run()
    assert time.monotonic() - started < 4
    ((answered,),) = reconciler.recorded
    assert isinstance(answered.error, CallAbandoned)
    queue.add("refunds", ["2"])
    stuck = threading.Thread(target=controller.run)
    stuck.start()
    wait_until(lambda: queue.stats().queues["refunds"].delayed == 1)
    assert reconciler.done == ["1"], "the stuck thread still has the account's only slot"
    release.set()
    stuck.join(10)
    wait_until(lambda: not stuck.is_alive())


def test_the_budget_runs_from_the_start_of_the_call(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording(seconds=5.0)
    reconciler.on_perform = lambda call, budget: budget.left()
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    ((answered,),) = reconciler.recorded
    assert 4.5 < answered.reply <= 5.0


def test_key_with_several_calls_is_finished_when_all_are_answered(bench: Bench, queue: WorkQueue) -> None:
    release = threading.Event()
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key, "a", 5.0, "slow"), Call(key, "b", 5.0, "quick")]
    reconciler.on_perform = lambda call, budget: release.wait(5) if call.payload == "slow" else None
    queue.add("refunds", ["1"])
    bench.start(reconciler)
    wait_until(lambda: len(reconciler.done) == 1)
    assert queue.stats().queues["refunds"].leases == 1
    release.set()
    wait_until(lambda: len(reconciler.done) == 2 and queue.stats().queues["refunds"].leases == 0)


def test_answers_that_could_not_be_recorded_are_kept_and_come_again_alone(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    locked = {"2"}
    groups: list[tuple[list[str], int | None]] = []

    def record(answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict:
        groups.append(([answered.call.key for answered in answers], wait_ms))
        done = {answered.call.key: ok() for answered in answers if answered.call.key not in locked}
        if wait_ms is not None:
            locked.clear()
        return done

    reconciler.record = record
    queue.add("refunds", ["1", "2", "3"])
    bench.controller(reconciler).run()
    retries = [group for group in groups if group[1] is not None]
    assert retries == [(["2"], 300), (["2"], 300)]
    assert queue.stats().queues["refunds"].leases == 0


def test_locked_key_waits_for_its_lock_only_while_calls_run(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    held = {"busy"}
    release = threading.Event()
    reconciler.locked = lambda key, wait_ms: key in held and wait_ms is None
    reconciler.on_perform = lambda call, budget: release.wait(5) if call.key == "slow" else None
    queue.add("refunds", ["slow", "busy"])
    bench.start(reconciler)
    wait_until(lambda: reconciler.done == ["busy"])
    assert reconciler.waited == [("busy", 300)]
    release.set()


def test_locked_key_comes_back_soon_when_nothing_else_is_going_on(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    tries: list[int | None] = []
    reconciler.locked = lambda key, wait_ms: tries.append(wait_ms) or len(tries) < 3
    queue.add("refunds", ["1"])
    bench.start(reconciler, linger_seconds=2)
    wait_until(lambda: reconciler.done == ["1"], seconds=2)
    assert tries == [None, None, None]
    assert reconciler.failures == []


def test_database_away_pauses_and_counts_no_failure(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    away = threading.Event()
    away.set()

    def begin(leases: Sequence[Lease]) -> None:
        if away.is_set():
            raise DatabaseAway

    reconciler.on_begin = begin
    queue.add("refunds", [str(n) for n in range(20)])
    bench.start(reconciler, linger_seconds=3)
    wait_until(lambda: bench.resets >= 3)
    attempts = len(reconciler.begun)
    assert attempts <= 6, "two single keys tell that the database is away"
    away.clear()
    wait_until(lambda: len(reconciler.done) == 20)
    assert reconciler.failures == []


def test_answers_survive_a_database_that_is_away(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    refusals = iter([DatabaseAway()] * 6)

    def record(answers: Sequence[Answered]) -> None:
        for refusal in refusals:
            raise refusal

    reconciler.on_record = record
    queue.add("refunds", ["1", "2"])
    bench.controller(reconciler).run()
    assert sorted(reconciler.done) == ["1", "2"]
    assert len(reconciler.begun) <= 2, "the calls are not made again"


def test_leases_are_renewed_while_calls_run(make_queue: MakeQueue) -> None:
    queue = make_queue(lease_seconds=0.3)
    bench = Bench(queue)
    reconciler = Recording()
    reconciler.on_perform = lambda call, budget: time.sleep(1.2)
    queue.add("refunds", ["1"])
    thread = bench.start(reconciler)
    wait_until(lambda: queue.stats().queues["refunds"].leases == 1)
    rival = Recording()
    while thread.is_alive():
        bench.controller(rival, linger_seconds=0).run()
        thread.join(0.05)
    assert rival.begun == []
    assert reconciler.done == ["1"]


def test_key_that_alone_kills_workers_is_stalled(bench: Bench, queue: WorkQueue, advance: Advance) -> None:
    queue.add("refunds", ["1"])
    for n in range(4):
        assert take(queue, pump=f"dead{n}"), "it is handed out again"
        advance(60.5)
        assert take(queue, pump="reclaimer") == []
        advance(30)
    reconciler = Recording()
    controller = bench.controller(reconciler)
    controller.run()
    assert reconciler.stalls == ["1"]
    assert reconciler.begun == []
    assert controller.outcomes == {OutcomeKind.TERMINAL: 1}


def test_emptied_redis_loses_only_keys_and_the_pump_goes_on(
    bench: Bench, queue: WorkQueue, redis_client: redis.Redis
) -> None:
    release = threading.Event()
    reconciler = Recording()
    reconciler.on_perform = lambda call, budget: release.wait(5)
    queue.add("refunds", ["1"])
    bench.start(reconciler, linger_seconds=5)
    wait_until(lambda: queue.stats().queues["refunds"].leases == 1)
    redis_client.flushdb()
    release.set()
    wait_until(lambda: reconciler.done == ["1"])
    queue.add("refunds", ["2"])
    wait_until(lambda: reconciler.done == ["1", "2"], seconds=3)
