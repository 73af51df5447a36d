"""A worker that is told to stop: once, and it finishes what it has begun; twice, and it hands that back."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
import redis

from tests.processes import Stack
from tests.stories.shop import Case, Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("crashes")

SLOWLY = {"behaviour": "succeed", "delay_ms": 800, "webhook_copies": 0}
TOO_SLOWLY = {"behaviour": "succeed", "delay_ms": 5000, "webhook_copies": 0}


def test_told_once_it_finishes_the_batch_in_hand(fragile_stack: Stack, fragile_shop: Shop):
    """Controller check 29; upstream: TestQueueDrainageUsingShutDownWithDrain,
    TestQueueDrainageUsingShutDownWithDrainWithDirtyItem."""
    case = _with_its_call_out(fragile_shop, SLOWLY)
    with _stopped(fragile_stack, signal.SIGTERM):
        assert case.movement()["state"] == "succeeded", "its answer was recorded"
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == 1
    assert case.order.questions() == []


@pytest.mark.parametrize("again", [signal.SIGTERM, pytest.param(signal.SIGQUIT, marks=pytest.mark.soak)])
def test_told_twice_it_hands_the_batch_back(fragile_stack: Stack, fragile_shop: Shop, again: signal.Signals):
    """Controller check 30; upstream: TestNoQueueDrainageUsingShutDown, TestForceQueueShutdownUsingShutDown."""
    case = _with_its_call_out(fragile_shop, TOO_SLOWLY)
    assert _held_against(fragile_stack, case) == ["lease"]
    with _stopped(fragile_stack, signal.SIGTERM, again):
        assert _calls(fragile_stack, case) == [("sent",)], "nobody waited for its answer"
        assert _held_against(fragile_stack, case) == []
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == 1
    assert case.order.questions(), "its call was unknown"


def _with_its_call_out(shop: Shop, script: object) -> Case:
    case = shop.place_order(script).request_refund()
    eventually(case.order.sends)
    return case


def _held_against(stack: Stack, case: Case) -> list[str]:
    """What the queue holds of its key. Those of other stories may have lost a worker, and wait for their back-off."""
    key = case.number.rpartition("-")[2]
    parts = ("lease", "crashes", "failures")
    with redis.Redis.from_url(stack.redis_url) as client:
        return [part for part in parts if client.hexists(f"{{refundry}}:refunds:{part}", key)]


def _calls(stack: Stack, case: Case) -> list[tuple[str]]:
    return stack.query("SELECT call FROM refunds_gatewayrefund WHERE number = %s", case.movement()["number"])


@contextmanager
def _stopped(stack: Stack, *numbers: signal.Signals) -> Iterator[None]:
    """Told by signals to the main process alone, as a service manager does that leaves the pool to it."""
    main = psutil.Process(stack.pids("worker")[0])
    try:
        for number in numbers:
            said = _words(stack)
            os.kill(main.pid, number)
            # A signal that comes before the one before it is handled would be the same one.
            eventually(lambda said=said: _words(stack) > said)
        eventually(lambda: main.status() == psutil.STATUS_ZOMBIE)
        yield
    finally:
        stack.kill("worker")
        stack.restart("worker")


def _words(stack: Stack) -> int:
    """How often the worker has said that it heard."""
    return stack.log("worker").count(" shutdown (MainProcess)") + stack.log("worker").count("Hitting Ctrl+C again")
