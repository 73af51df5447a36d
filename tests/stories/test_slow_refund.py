"""A refund that takes longer than a minute is acknowledged first; the rest of its mails join that thread."""

import pytest

from tests.processes import Stack
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("crashes")


def test_a_slow_refund_is_acknowledged_and_then_told(fragile_stack: Stack, fragile_shop: Shop):
    order = fragile_shop.place_order({"behaviour": "pending_then_succeed", "settle_ms": 4000})
    case = order.request_refund()
    eventually(case.movement, lambda movement: movement["state"] == "pending")
    fragile_stack.pass_time(61)
    eventually(case.told, lambda told: told == ["email: received"])
    assert order.look()["refund_state"] == "refund_requested"
    case.comes_to_rest("refunded")
    assert case.told() == ["email: received", "email: refunded", "sms: refunded"]
    received, refunded = case.messages("email")
    assert refunded["references"] == received["references"] != ""


def test_a_shipped_order_is_acknowledged_while_it_waits_for_a_person(fragile_stack: Stack, fragile_shop: Shop):
    order = fragile_shop.place_order()
    assert fragile_shop.send("POST", f"{order.path}/shipments", {"carrier": "DHL"}).status == 201
    case = order.request_refund()
    case.becomes("in_review")
    fragile_stack.pass_time(61)
    eventually(case.told, lambda told: told == ["email: received"])
    assert order.sends() == []
