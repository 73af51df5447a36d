"""Valkey is a hint: emptied, gone or silent, it costs seconds."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Case, Shop
from tests.stories.webhooks import tell
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

SLOWLY = {"behaviour": "succeed", "delay_ms": 800}


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
