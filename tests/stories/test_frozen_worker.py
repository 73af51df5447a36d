"""A pool process that freezes with a refund in hand, and wakes up when others have long done its work."""

import pytest

from tests.processes import Stack
from tests.sizes import size
from tests.stories.shop import Case, Shop, ShopOrder
from tests.stories.traps import FREEZE, Trap
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

ROUNDS = range(size(10))


@pytest.fixture
def order(fragile_shop: Shop) -> ShopOrder:
    return fragile_shop.place_order()


@pytest.mark.parametrize("round", ROUNDS)
def test_frozen_with_the_lock_in_its_hands(fragile_stack: Stack, order: ShopOrder, round: int):
    trap = Trap(fragile_stack, "locked", *order.marks, does=FREEZE)
    case = order.request_refund()
    trap.springs()
    _others_go_on(order.shop)
    case.becomes("refunded")
    trap.wake()
    _is_refunded_once(case, sends=1)


@pytest.mark.parametrize("round", ROUNDS)
def test_frozen_between_the_claim_and_the_call(fragile_stack: Stack, order: ShopOrder, round: int):
    trap = Trap(fragile_stack, "sending", *order.marks, does=FREEZE)
    case = order.request_refund()
    trap.springs()
    _others_go_on(order.shop)
    case.becomes("refunded")
    trap.wake()
    _is_refunded_once(case, sends=1)


@pytest.mark.parametrize("round", ROUNDS)
def test_frozen_in_the_very_act_of_sending(fragile_stack: Stack, order: ShopOrder, round: int):
    """The one moment when nothing but the idempotency key helps."""
    trap = Trap(fragile_stack, "writing", *order.marks, does=FREEZE)
    case = order.request_refund()
    trap.springs()
    case.becomes("refunded")
    trap.wake()
    eventually(order.sends, lambda sends: len(sends) == 2)
    _is_refunded_once(case, sends=2)


@pytest.mark.parametrize("round", ROUNDS)
def test_frozen_with_the_answer_in_its_hands(fragile_stack: Stack, order: ShopOrder, round: int):
    trap = Trap(fragile_stack, "answered", *order.marks, does=FREEZE)
    case = order.request_refund()
    trap.springs()
    case.becomes("refunded")
    trap.wake()
    _is_refunded_once(case, sends=1)


@pytest.mark.soak
@pytest.mark.parametrize("point", ["taken", "written", "recorded", "finishing"])
def test_frozen_with_nothing_on_its_way(fragile_stack: Stack, order: ShopOrder, point: str):
    """Before the claim, within T1, or after T2: when it wakes up its lease is lost, and nothing is left to do."""
    trap = Trap(fragile_stack, point, *order.marks, does=FREEZE)
    case = order.request_refund()
    trap.springs()
    _others_go_on(order.shop)
    case.becomes("refunded")
    trap.wake()
    _is_refunded_once(case, sends=1)


def _others_go_on(shop: Shop) -> None:
    another = shop.place_order()
    another.request_refund()
    another.becomes("refunded")


def _is_refunded_once(case: Case, *, sends: int) -> None:
    order = case.order
    case.comes_to_rest("refunded")
    number = case.movement()["number"]
    assert [send["idempotency_key"] for send in order.sends()] == [number] * sends
    assert [(paid["number"], paid["status"]) for paid in order.gateway_refunds()] == [(number, "succeeded")]
    assert order.look()["payments"][0]["refunded_minor"] == order.total_minor
