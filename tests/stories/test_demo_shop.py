"""The demo, on all processes: the shop is brought to every state there is, once, and the stories end as they should."""

from dataclasses import replace
from typing import Any

import pytest

from orders.management.demo import DEMO_SHOP, read_orders
from orders.states import OrderRefundState, OrderState
from refunds.states import RefundState
from tests.processes import Stack
from workers.local.demo.client import Installation
from workers.local.demo.loading import load
from workers.local.demo.stories import new_orders, tell_all

pytestmark = pytest.mark.xdist_group("stories")

#: Passed in a moment; only after weeks.
NOT_SHOWN = {RefundState.REQUESTED, RefundState.EXPIRED}
VERSIONS = "SELECT number, resource_version FROM orders_order WHERE number LIKE 'DEMO-%%' ORDER BY id"
SHOP = read_orders(DEMO_SHOP)


@pytest.fixture(scope="module")
def at(stack: Stack) -> Installation:
    return Installation(stack.base_url, stack.sandbox_url, stack.inbox_url, stack.keys)


@pytest.fixture(scope="module")
def told(at: Installation) -> list[str]:
    """What was said while it was loaded."""
    said: list[str] = []
    assert load(at, SHOP, said.append) == []
    return said


def rows(stack: Stack) -> list[Any]:
    """The demo's orders, where their refunds stand, and how much people did; the engine goes on by itself."""
    return stack.query(
        "SELECT o.number, o.state, o.refund_state, r.number, r.state, count(e.id) FROM orders_order o"
        " LEFT JOIN refunds_refund r ON r.order_id = o.id"
        " LEFT JOIN refunds_refundevent e ON e.refund_id = r.id AND e.role <> 'system'"
        " WHERE o.number LIKE 'DEMO-%%' GROUP BY o.id, r.id ORDER BY o.id, r.id"
    )


def outside(at: Installation) -> list[Any]:
    """What gateway and courier hold of the demo's orders."""
    mine = {reference for order in SHOP for reference in order.payments}
    paid = at.sandbox("GET", "/gateway/ledger")["refunds"]
    return [refund for refund in paid if refund["payment_reference"] in mine]


def test_every_state_is_there(stack: Stack, told: list[str]) -> None:
    found = rows(stack)
    assert {state for *_, state, _ in found if state} == set(RefundState) - NOT_SHOWN
    assert {state for _, state, *_ in found} == set(OrderState)
    assert {state for _, _, state, *_ in found} == set(OrderRefundState)
    assert f"{len(SHOP)} orders" in told[-1]


def test_loading_it_again_changes_nothing(stack: Stack, at: Installation, told: list[str]) -> None:
    before, versions = rows(stack), stack.query(VERSIONS)
    again: list[str] = []
    assert load(at, SHOP, again.append) == []
    assert again == [f"The demo shop is there: {len(SHOP)} orders."]
    assert (rows(stack), stack.query(VERSIONS)) == (before, versions)


def test_a_load_that_was_interrupted_goes_on_where_it_stopped(stack: Stack, at: Installation, told: list[str]) -> None:
    before = rows(stack), outside(at)
    stack.query("UPDATE orders_order SET labels = '{}' WHERE number LIKE 'DEMO-%%' AND id %% 4 = 0")
    assert load(at, SHOP, told.append) == []
    assert (rows(stack), outside(at)) == before


def test_the_stories_end_as_they_should_and_are_told(at: Installation) -> None:
    said: list[str] = []
    assert tell_all(at, new_orders(), said.append) == 0, "\n".join(said)
    page = "\n".join(said)
    assert "11 of 11 stories ended as they should." in page
    for word in ("e-mail", "SMS", "warehouse", "courier", "gateway", "退款"):
        assert word in page


def test_a_story_that_ends_otherwise_is_told_and_fails(at: Installation) -> None:
    told_wrong = [replace(order, steps=("ask", "ends rejected")) for order in new_orders()[:1]]
    said: list[str] = []
    assert tell_all(at, told_wrong, said.append, step_seconds=2) == 1
    assert "NOT AS IT SHOULD" in "\n".join(said) and "0 of 1 stories" in said[-2]
