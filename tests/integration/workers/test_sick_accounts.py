"""Accounts that err, on a real queue: a minority holds nobody up, an outage is left alone and its end is seen."""

import threading
import time
from collections.abc import Callable

from tests.integration.workers.bench import Bench
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Call
from workers.ports import Budget
from workers.workqueue import WorkQueue, after, ok

SLOTS = 64
PER_ACCOUNT = SLOTS // 2


class Hanging:
    """A gateway whose calls for some keys hang, all until `time_out` ends them together."""

    def __init__(self, hangs: Callable[[str], bool]) -> None:
        self._hangs = hangs
        self._lock = threading.Lock()
        self._deadline = threading.Event()
        self.hanging = 0

    def perform(self, call: Call, budget: Budget) -> str:
        with self._lock:
            if not self._hangs(call.key):
                return "done"
            deadline = self._deadline
            self.hanging += 1
        deadline.wait(60)
        return "sick"

    def time_out(self) -> None:
        with self._lock:
            ended, self._deadline = self._deadline, threading.Event()
            self.hanging = 0
        ended.set()

    def recover(self) -> None:
        """Nothing hangs any more, neither what is under way nor what comes."""
        with self._lock:
            self._hangs = lambda key: False
        self.time_out()


def test_time_outs_of_a_minority_hold_up_the_others_no_longer_than_slots_are_full(
    bench: Bench, queue: WorkQueue
) -> None:
    """Of 300 keys 90 hang: 32 slots are full of them twice, and the last 26 leave room for all that is well."""
    erring = {str(n) for n in range(300) if n % 10 in (0, 3, 6)}
    gateway = Hanging(erring.__contains__)
    reconciler = Recording(seconds=60.0)
    reconciler.on_perform = gateway.perform
    reconciler.outcome = lambda key: after(600) if key in erring else ok()

    def well() -> int:
        return len(set(reconciler.done) - erring)

    queue.add("refunds", [str(n) for n in range(300)])
    bench.start(reconciler, slots=SLOTS, pump_seconds=50.0, linger_seconds=10.0, hard_limit_seconds=100.0)
    for _ in range(2):
        wait_until(lambda: gateway.hanging == PER_ACCOUNT)
        assert well() < 210
        gateway.time_out()
    wait_until(lambda: well() == 210)
    assert gateway.hanging <= 90 - 2 * PER_ACCOUNT
    gateway.recover()
    wait_until(lambda: len(reconciler.done) == 300)


def test_an_account_whose_calls_all_hang_leaves_slots_for_two_more(bench: Bench, queue: WorkQueue) -> None:
    gateway = Hanging(lambda key: not key.startswith("well"))
    reconciler = Recording(seconds=60.0)
    reconciler.calls_of = lambda key: [Call(key, key.split("-")[0], 60.0, None)]
    reconciler.on_perform = gateway.perform
    reconciler.outcome = lambda key: after(600) if key.startswith("sick") else ok()
    queue.add("refunds", [f"{account}-{n}" for n in range(40) for account in ("sick1", "sick2")])
    bench.start(reconciler, slots=12, pump_seconds=50.0, linger_seconds=10.0, hard_limit_seconds=100.0)
    wait_until(lambda: gateway.hanging >= 8)
    queue.add("refunds", [f"well-{n}" for n in range(40)])
    wait_until(lambda: len(reconciler.done) == 40)
    gateway.recover()


def test_an_outage_gets_one_call_a_pause_and_its_end_is_seen_at_once(bench: Bench, queue: WorkQueue) -> None:
    """Controller check 42; upstream: TestControllerSyncJob."""
    is_out = threading.Event()
    is_out.set()
    calls: list[float] = []

    def perform(call: Call, budget: Budget) -> str:
        calls.append(time.monotonic())
        return "sick" if is_out.is_set() else "done"

    def pauses() -> list[int]:
        """After how many calls there was a pause."""
        return [n for n, (a, b) in enumerate(zip(calls, calls[1:], strict=False), start=1) if b - a > 0.7]

    reconciler = Recording()
    reconciler.on_perform = perform
    reconciler.outcome = lambda key: after(0.2) if is_out.is_set() else ok()
    queue.add("refunds", [str(n) for n in range(100)])
    bench.start(reconciler, pump_seconds=50.0, linger_seconds=10.0, hard_limit_seconds=60.0)
    wait_until(lambda: len(pauses()) == 2)
    first, second = pauses()
    assert first <= 32
    assert second == first + 1
    is_out.clear()
    tried = len(calls)
    wait_until(lambda: len(calls) >= tried + 100 - 1)
    assert len(pauses()) <= 3
