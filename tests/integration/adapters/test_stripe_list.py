"""Stripe's list of refunds, which no local Stripe serves by time: read from what Stripe would answer."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.integration.adapters.peers import answering, budget, raw_server
from workers.adapters.stripe_gateway import StripeGateway
from workers.ports import RefundPage

SINCE = datetime(2026, 12, 1, tzinfo=UTC)


def test_a_list_is_read_page_by_page_and_what_makes_no_sense_is_left_out() -> None:
    made_by_hand, newest = a_refund("re_1", metadata={}), a_refund("re_3", metadata={"number": "RF-1-1"})
    first = {"object": "list", "data": [newest, a_refund("re_2", status="exploded")], "has_more": True}
    last = {"object": "list", "data": [made_by_hand], "has_more": False}
    with raw_server(*[answering("200 OK", json.dumps(page).encode()) for page in (first, last)]) as address:
        gateway = StripeGateway("sk_test_1", webhook_secret="", base_url=f"http://{address}")
        one = gateway.list_refunds(SINCE, "", budget=budget())
        assert isinstance(one, RefundPage), one
        two = gateway.list_refunds(SINCE, one.next_cursor, budget=budget())
    assert isinstance(two, RefundPage), two
    assert [(f.gateway_refund_id, f.number, f.payment_reference) for f in one.facts + two.facts] == [
        ("re_3", "RF-1-1", "pi_1"),
        ("re_1", "", "pi_1"),
    ]
    assert (one.next_cursor, two.next_cursor) == ("re_2", "")


def test_what_is_wrong_in_a_refund_is_left_out_as_long_as_it_says_which_one_it_is() -> None:
    rows = [
        a_refund("re_1", metadata={"number": "a\x00b"}),
        a_refund("re_2", created="yesterday", failure_reason="x" * 300),
        a_refund("re_3", amount=10**19),
        a_refund("re_4", currency=""),
        a_refund("", amount=500),
    ]
    page = {"object": "list", "data": rows, "has_more": False}
    with raw_server(answering("200 OK", json.dumps(page).encode())) as address:
        gateway = StripeGateway("sk_test_1", webhook_secret="", base_url=f"http://{address}")
        read = gateway.list_refunds(SINCE, "", budget=budget())
    assert isinstance(read, RefundPage), read
    assert [(f.gateway_refund_id, f.number, f.amount_minor, f.currency) for f in read.facts] == [
        ("re_1", "", 500, "EUR"),
        ("re_2", "", 500, "EUR"),
        ("re_3", "", 0, "XXX"),
        ("re_4", "", 0, "XXX"),
    ]


def a_refund(refund_id: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": refund_id,
        "object": "refund",
        "amount": 500,
        "currency": "eur",
        "status": "succeeded",
        "created": 1_796_083_200,
        "payment_intent": "pi_1",
        "charge": "ch_1",
        "metadata": {},
    } | fields
