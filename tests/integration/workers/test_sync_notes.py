"""What a pump tells of each sync: a line of the log, and counts beside the queue's own."""

import logging
from collections.abc import Iterator

import pytest

from tests.integration.workers.bench import Bench
from tests.integration.workers.reconcilers import Recording
from workers.contract import Call, TerminalError
from workers.ports import NotSent, Refused, Unknown
from workers.workqueue import Outcome, WorkQueue, after, ok

Lines = list[dict[str, object]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What is logged of finished syncs."""
    collected: Lines = []
    handler = logging.Handler()
    handler.emit = lambda record: collected.extend(record.lines)  # type: ignore[attr-defined, method-assign]
    logger = logging.getLogger("refundry.reconcile")
    logger.addHandler(handler)
    yield collected
    logger.removeHandler(handler)


def by_key(lines: Lines) -> dict[object, dict[str, object]]:
    return {line["key"]: line for line in lines}


def test_each_sync_is_one_line(bench: Bench, queue: WorkQueue, lines: Lines) -> None:
    """Key, queue, result, how long it waited and took, its calls and failures; nothing of the case itself."""
    reconciler = Recording()
    outcomes: dict[str, Outcome] = {"1": ok(), "2": after(30), "3": after(0.05)}
    reconciler.outcome = lambda key: outcomes.get(key, ok())
    reconciler.calls_of = lambda key: [Call(key, "gateway:test", 5, None) for _ in range(int(key))]
    queue.add("refunds", ["1", "2"])
    bench.controller(reconciler).run()
    one, two = by_key(lines)["1"], by_key(lines)["2"]
    assert {name: one[name] for name in ("queue", "result", "calls", "failures")} == {
        "queue": "refunds",
        "result": "success",
        "calls": 1,
        "failures": 0,
    }
    assert (two["result"], two["after_seconds"], two["calls"]) == ("requeue_after", 30, 2)
    assert all(isinstance(one[name], float) for name in ("queued_seconds", "worked_seconds"))


def test_a_sync_that_raised_is_told_by_the_kind_of_its_error_alone(
    bench: Bench, queue: WorkQueue, lines: Lines
) -> None:
    """What an error says may hold a customer's address."""
    reconciler = Recording()

    def fail(leases: object) -> None:
        raise ValueError("jane@example.com")

    reconciler.on_begin = fail
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    assert (lines[0]["result"], lines[0]["error"], lines[0]["failures"]) == ("error", "ValueError", 1)
    assert "jane" not in repr(lines)


def test_a_panic_is_counted_apart_from_an_error_that_is_meant(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 77; upstream: It "prometheus metric reconcile_total", It "should add a reconcile time to the
    reconcile time histogram". Controller check 79; upstream: It "should recover panic if RecoverPanic is true by
    default"."""
    reconciler = Recording()
    errors = iter([ValueError("bug"), ValueError("bug"), TerminalError("meant")])

    def fail(leases: object) -> None:
        raise next(errors)

    reconciler.on_begin = fail
    for _ in range(2):
        queue.add("refunds", ["1"])
        bench.controller(reconciler, linger_seconds=0).run()
    counts = queue.stats().queues["refunds"].counts
    assert (counts["panics"], counts["error"], counts.get("terminal", 0)) == (2, 2, 0)
    queue.add("refunds", ["1"])
    bench.controller(reconciler, linger_seconds=0).run()
    counts = queue.stats().queues["refunds"].counts
    assert (counts["panics"], counts["terminal"]) == (2, 1)


def test_a_call_that_is_given_up_is_a_timeout(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 77; upstream: It "prometheus metric reconcile_total", It "should add a reconcile time to the
    reconcile time histogram". Controller check 79; upstream: It "should time out if ReconciliationTimeout is set"."""
    reconciler = Recording(seconds=0.05)
    reconciler.on_perform = lambda call, budget: bench.stop.wait(2)
    queue.add("refunds", ["1"])
    bench.controller(reconciler).run()
    counts = queue.stats().queues["refunds"].counts
    assert (counts["timeouts"], counts["ok"]) == (1, 1)


def test_what_calls_came_to_is_counted_by_leg(bench: Bench, queue: WorkQueue) -> None:
    replies = {"1": "yes", "2": Refused("declined"), "3": Unknown("time-out"), "4": NotSent("refused")}
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key, "gateway:test", 5, None, "gateway_refund")]
    reconciler.on_perform = lambda call, budget: replies[call.key]
    queue.add("refunds", list(replies))
    bench.controller(reconciler).run()
    counts = queue.stats().queues["refunds"].counts
    told = {name: counts[f"effect:gateway_refund:{name}"] for name in ("accepted", "refused", "unknown", "not_sent")}
    assert told == {"accepted": 1, "refused": 1, "unknown": 1, "not_sent": 1}


def test_a_key_passed_over_for_its_lock_is_counted(bench: Bench, queue: WorkQueue) -> None:
    reconciler = Recording()
    reconciler.locked = lambda key, wait_ms: True
    queue.add("refunds", ["1"])
    bench.controller(reconciler, linger_seconds=0).run()
    assert queue.stats().queues["refunds"].counts["skips"] >= 1
