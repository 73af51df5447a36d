"""An unshipped order: the customer asks for the money back and leaves; the rest is ours."""

import pytest

from tests.stories.shop import Shop

pytestmark = pytest.mark.xdist_group("stories")


@pytest.mark.parametrize(("locale", "word"), [("en", "Refund"), ("zh-Hans", "退款")])
def test_an_unshipped_order_is_refunded_once_and_the_customer_told_once(shop: Shop, locale: str, word: str):
    order = shop.place_order({"behaviour": "succeed", "delay_ms": 300}, locale=locale)
    case = order.request_refund()
    assert order.look()["refund_state"] == "refund_requested"

    order.becomes("refunded")
    [paid] = order.gateway_refunds()
    assert (paid["number"], paid["amount_minor"], paid["status"]) == (case.movement()["number"], 1000, "succeeded")
    assert len(order.sends()) == 1

    case.comes_to_rest("refunded")
    assert case.told() == ["email: refunded_at_once", "sms: refunded_at_once"]
    [mail], [sms] = case.messages("email"), case.messages("sms")
    assert mail["to"] == order.email
    assert word in mail["subject"] and word.casefold() in sms["text"].casefold()


def test_the_units_of_a_refunded_order_never_ship(shop: Shop):
    order = shop.place_order()
    order.request_refund()
    assert order.becomes("refunded")["state"] == "cancelled"
    refused = shop.send("POST", f"{order.path}/shipments", {})
    assert refused.status == 409


def test_a_part_is_refunded_and_the_rest_stays_refundable(shop: Shop):
    order = shop.place_order(quantity=3)
    order.request_refund([{"sku": "MUG", "quantity": 1}])
    order.becomes("partially_refunded")
    order.request_refund()
    assert order.becomes("refunded")["payments"][0]["refunded_minor"] == 3000
    assert sorted(refund["amount_minor"] for refund in order.gateway_refunds()) == [1000, 2000]


def test_a_shipped_order_waits_for_a_person(shop: Shop):
    order = shop.place_order()
    assert shop.send("POST", f"{order.path}/shipments", {"carrier": "DHL"}).status == 201
    case = order.request_refund()
    assert case.becomes("in_review")["status"]["route"] == "intercept"
    assert order.sends() == []
