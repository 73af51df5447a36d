"""A web process killed in the middle of requests: a client that repeats under the same key asks once."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
import urllib3

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Answer, Shop, ShopOrder
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

CLIENTS = 8


@pytest.mark.parametrize("round", range(size(10)))
def test_killed_web_processes_and_clients_that_repeat(fragile_stack: Stack, fragile_shop: Shop, round: int):
    orders = [fragile_shop.place_order() for _ in range(4 * CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = pool.map(_ask_until_answered, orders)
        first = next(answers)
        for pid in fragile_stack.pids("web")[1:]:
            os.kill(pid, signal.SIGKILL)
        assert {answer.status for answer in [first, *answers]} == {202}
    for order in orders:
        [refund] = order.becomes("refunded")["refunds"]
        assert len(order.gateway_refunds()) == len(order.sends()) == 1, refund


def _ask_until_answered(order: ShopOrder) -> Answer:
    def ask() -> Answer | None:
        try:
            answer = order.shop.send(*order.asking()[:3], key="click")
        except urllib3.exceptions.HTTPError:
            return None
        return None if answer.status == 409 and answer.body["code"] == "idempotency_key_in_use" else answer

    return eventually(ask)
