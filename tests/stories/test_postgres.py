"""PostgreSQL is the truth: while it is away nothing happens, and afterwards everything goes on."""

import pytest

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

SLOWLY = {"behaviour": "succeed", "delay_ms": 800}


@pytest.mark.parametrize("round", range(size(5)))
def test_killed_in_the_middle_and_restarted(fragile_stack: Stack, fragile_shop: Shop, round: int):
    orders = [fragile_shop.place_order(SLOWLY) for _ in range(10)]
    cases = [order.request_refund() for order in orders]
    eventually(orders[0].sends)
    fragile_stack.kill("postgres")
    refused = fragile_shop.send("GET", orders[0].path)
    assert (refused.status, refused.body["code"]) == (503, "unavailable")
    fragile_stack.restart("postgres")
    for order, case in zip(orders, cases, strict=True):
        case.comes_to_rest("refunded")
        assert len(order.sends()) == len(order.gateway_refunds()) == 1
        assert len(case.messages("email")) >= 1
