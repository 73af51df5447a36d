"""Valkey is a hint: emptied, gone, silent or wrong, it costs seconds."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
import redis

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Case, Shop
from tests.stories.webhooks import tell
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

SLOWLY = {"behaviour": "succeed", "delay_ms": 800}
DOWN_SECONDS = size(30)
HOUR_MS = 3_600_000
#: As long as the slowest of machines may take for a request; what waits for Valkey waits for ever.
SLOWEST_ANSWER_SECONDS = 5.0


def test_emptied_in_the_middle(fragile_stack: Stack, fragile_shop: Shop):
    orders = [fragile_shop.place_order(SLOWLY) for _ in range(size(50))]
    cases = [order.request_refund() for order in orders]
    eventually(orders[0].sends)
    with redis.Redis.from_url(fragile_stack.redis_url) as client:
        client.flushall()
    for order, case in zip(orders, cases, strict=True):
        case.comes_to_rest("refunded")
        assert len(order.sends()) == len(order.gateway_refunds()) == 1


def test_what_is_asked_and_told_meanwhile_is_done_afterwards(fragile_stack: Stack, fragile_shop: Shop):
    reversed_case = _reversed_without_a_word(fragile_shop)
    [refund] = reversed_case.order.gateway_refunds()
    order = fragile_shop.place_order()
    with _dead(fragile_stack):
        case = order.request_refund()
        told = tell(fragile_shop, refund, payment=reversed_case.order.payment, status="reversed")
        assert told.status == 204
    case.comes_to_rest("refunded")
    assert len(order.sends()) == len(order.gateway_refunds()) == 1
    # Nobody asks again about a refund that has ended: only the sweep, over the stored webhook, comes back to it.
    reversed_case.comes_to_rest("failed")


def test_a_silent_one_holds_up_no_client(fragile_stack: Stack, fragile_shop: Shop):
    order = fragile_shop.place_order()
    fragile_stack.send("valkey", signal.SIGSTOP)
    try:
        case = order.request_refund()
    finally:
        fragile_stack.send("valkey", signal.SIGCONT)
    case.comes_to_rest("refunded")
    assert len(order.sends()) == 1


def test_requests_go_on_while_it_is_down(fragile_stack: Stack, fragile_shop: Shop):
    cases, slowest = [], 0.0
    with _dead(fragile_stack):
        until = time.monotonic() + DOWN_SECONDS
        while (asked_at := time.monotonic()) < until:
            cases.append(fragile_shop.place_order().request_refund())
            slowest = max(slowest, time.monotonic() - asked_at)
            time.sleep(0.3)
    assert slowest < SLOWEST_ANSWER_SECONDS
    for case in cases:
        _is_refunded_once(case)


def test_a_pool_s_processes_are_killed_while_it_is_gone(fragile_stack: Stack, fragile_shop: Shop):
    with _dead(fragile_stack):
        case = fragile_shop.place_order().request_refund()
        for process in psutil.Process(fragile_stack.pids("worker")[0]).children():
            process.kill()
    _is_refunded_once(case)
    fragile_stack.check()


@pytest.mark.soak
def test_an_older_state_of_it_comes_back(fragile_stack: Stack, fragile_shop: Shop):
    """As when a replica that lags behind takes over: leases and keys of what has long been done are there again."""
    cases = [fragile_shop.place_order(SLOWLY).request_refund() for _ in range(size(50))]
    eventually(cases[0].order.sends)
    with redis.Redis.from_url(fragile_stack.redis_url) as client:
        older = {name: client.dump(name) for name in client.scan_iter("{refundry}:*")}
        for case in cases:
            _is_refunded_once(case)
        client.flushall()
        for name, content in older.items():
            if content:
                client.restore(name, 0, content)
    cases.append(fragile_shop.place_order().request_refund())
    for case in cases:
        _is_refunded_once(case)


@pytest.mark.soak
@pytest.mark.parametrize("jumps_ms", [HOUR_MS, -HOUR_MS])
def test_its_clock_jumps(fragile_stack: Stack, fragile_shop: Shop, jumps_ms: int):
    """Ahead, all leases end at once; back, they and all delays last an hour longer."""
    cases = [fragile_shop.place_order(SLOWLY).request_refund() for _ in range(size(50))]
    eventually(cases[0].order.sends)
    with redis.Redis.from_url(fragile_stack.redis_url) as client:
        client.set("{refundry}::skew", jumps_ms)
        try:
            cases.append(fragile_shop.place_order().request_refund())
            for case in cases:
                _is_refunded_once(case)
        finally:
            client.flushall()


def _is_refunded_once(case: Case) -> None:
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == len(case.order.gateway_refunds()) == 1


@contextmanager
def _dead(stack: Stack) -> Iterator[None]:
    stack.kill("valkey")
    try:
        yield
    finally:
        stack.restart("valkey")


def _reversed_without_a_word(shop: Shop) -> Case:
    """A refund that has ended for us, while the gateway has taken the money back and not told."""
    order = shop.place_order({"behaviour": "succeed_then_reverse", "webhook_copies": 0})
    case = order.request_refund()
    case.comes_to_rest("refunded")
    eventually(order.gateway_refunds, lambda refunds: refunds[0]["status"] == "reversed")
    return case
