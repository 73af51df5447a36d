"""A worker killed at any point of an instant refund: it costs time, never money.

What the gateway was asked tells that nobody guessed: a call that may have been made is looked up before another one.
"""

import pytest

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Case, Shop
from tests.stories.traps import Trap

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

ROUNDS = range(size(10))
MAY_HAVE_PAID = {"claimed": True, "sending": True, "writing": True, "answered": True}
NOTHING_TO_ASK = {"taken": False, "locked": False, "written": False, "recorded": False, "finishing": False}
POINTS = [
    pytest.param(point, asks, marks=[pytest.mark.soak] if point == "written" else [])
    for point, asks in (MAY_HAVE_PAID | NOTHING_TO_ASK).items()
]


@pytest.mark.parametrize("round", ROUNDS)
@pytest.mark.parametrize(("point", "asks"), POINTS)
def test_killed_pool_process(fragile_stack: Stack, fragile_shop: Shop, point: str, asks: bool, round: int):
    """Controller check 80; upstream: kopf test_retry_error_delays_handler, kopf test_fatal_error_stops_handler, kopf
    test_retries_limited_handler_fails, kopf test_timed_out_handler_fails, kopf test_delayed_handlers_progress."""
    order = fragile_shop.place_order()
    trap = Trap(fragile_stack, point, *order.marks)
    case = order.request_refund()
    trap.springs()
    _is_refunded_once(case, asks=asks)


@pytest.mark.parametrize("round", range(size(5)))
@pytest.mark.parametrize(("point", "asks"), [("claimed", True), ("answered", True)])
def test_killed_worker_and_all_its_pool(fragile_stack: Stack, fragile_shop: Shop, point: str, asks: bool, round: int):
    order = fragile_shop.place_order()
    trap = Trap(fragile_stack, point, *order.marks, whole=True)
    case = order.request_refund()
    trap.springs()
    fragile_stack.kill("worker")
    fragile_stack.restart("worker")
    _is_refunded_once(case, asks=asks)


@pytest.mark.parametrize("round", ROUNDS)
def test_a_message_of_a_killed_worker_comes_again_under_the_same_name(
    fragile_stack: Stack, fragile_shop: Shop, round: int
):
    order = fragile_shop.place_order()
    trap = Trap(fragile_stack, "delivered", *order.marks)
    case = order.request_refund()
    trap.springs()
    case.comes_to_rest("refunded")
    deliveries = case.messages("email") + case.messages("sms")
    assert len(deliveries) > 2
    assert len({message["message_id"] for message in deliveries}) == 2
    assert len(order.sends()) == 1


def _is_refunded_once(case: Case, *, asks: bool) -> None:
    order = case.order
    case.comes_to_rest("refunded")
    number = case.movement()["number"]
    assert [(paid["number"], paid["status"]) for paid in order.gateway_refunds()] == [(number, "succeeded")]
    assert [send["idempotency_key"] for send in order.sends()] == [number]
    assert bool(order.questions()) == asks
    assert order.look()["payments"][0]["refunded_minor"] == order.total_minor
    assert (len(case.messages("email")), len(case.messages("sms"))) == (1, 1)
