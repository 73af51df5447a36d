"""A refund that kills every worker that takes it: it alone is put aside, and a person can have it looked at again."""

import pytest

from tests.processes import Stack
from tests.stories.shop import Case, Shop
from tests.stories.traps import Trap
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.soak]


def test_it_is_put_aside_and_its_neighbours_are_not(fragile_stack: Stack, fragile_shop: Shop):
    poison, *neighbours = [fragile_shop.place_order() for _ in range(6)]
    trap = Trap(fragile_stack, "taken", *poison.marks, stays=True)
    try:
        poisoned, *others = [order.request_refund() for order in (poison, *neighbours)]
        for case in others:
            case.comes_to_rest("refunded")
        stalled = eventually(poisoned.look, lambda refund: _condition(refund, "Stalled") == "True", seconds=90)
    finally:
        trap.lift()
    assert stalled["status"]["state"] == "requested"
    assert poison.sends() == []
    assert all(_condition(case.look(), "Stalled") != "True" for case in others)
    _is_refunded_after_an_hour(fragile_stack, poisoned)


def _is_refunded_after_an_hour(stack: Stack, case: Case) -> None:
    stack.pass_time(3600)
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == 1
    assert _condition(case.look(), "Stalled") != "True"


def _condition(refund: dict, name: str) -> str | None:
    return next((c["status"] for c in refund["status"]["conditions"] if c["type"] == name), None)
