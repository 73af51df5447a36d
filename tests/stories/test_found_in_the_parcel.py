"""What is found in the parcel, and another one instead of the money. Every message once."""

import pytest

from tests.stories.courier import Courier
from tests.stories.road import Road, mugs, ship
from tests.stories.shop import Case, Shop, ShopOrder, expect
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]


def asked(order: ShopOrder, **facts: object) -> Road:
    body = {"lines": mugs(order.quantity), **facts}
    [refund] = expect(order.shop.send("POST", f"{order.path}/refunds", body), 202)["refunds"]
    return Road(Case(order, refund["metadata"]["number"]))


def test_three_announced_two_arrive_one_damaged(shop: Shop):
    """One is paid; the customer is told of each what was found, and nothing else."""
    order = shop.place_order(quantity=3)
    ship(order).delivered()
    road = Road(order.request_refund())
    road.approved("pickup")
    road.fetched()
    road.inspected(accepted=1, damaged=1, missing=1)
    refund = road.ends("refunded")
    Courier(road).is_heard()
    assert refund["spec"]["amount_minor"] == 1000
    assert [r["amount_minor"] for r in order.gateway_refunds()] == [1000]
    assert road.mails() == ["received", "pickup_booked", "parcel_checked", "refunded"]
    assert road.texts() == ["pickup_booked", "refunded"]
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (4, 2)
    checked = road.case.messages("email")[2]["text"]
    assert "€10.00" in checked and all(word in checked for word in ("accepted", "damaged", "missing"))
    disposed = [event["data"]["disposition"] for event in road.case.trail() if event["type"] == "goods.disposed"]
    assert (disposed, road.incidents()) == (["restock"], [])


def test_another_one_instead_of_the_money_and_that_given_back(shop: Shop):
    """The gateway moves nothing for the first, and pays the second back to the one payment there is."""
    order = shop.place_order()
    ship(order).delivered()
    road = asked(order, remedy="replacement", reason="defective", goods="keep")
    road.case.becomes("in_review")
    road.agent("approve")
    eventually(road.trail, lambda trail: "refund.replacement_wanted" in trail)
    new = shop.new_order()
    again = [new.put(payments=[], replaces=road.case.number) for _ in range(2)]
    assert [answer.status for answer in again] == [201, 200]
    other = shop.new_order().put(payments=[], replaces=road.case.number)
    assert (other.status, other.body["code"]) == (409, "already_replaced")
    refund = road.ends("refunded")
    assert (refund["status"]["replaced_by"], order.gateway_refunds()) == (new.number, [])
    assert road.mails() == ["received", "replacing", "replaced"]
    assert new.number in road.case.messages("email")[2]["text"]
    given_back = Road(new.request_refund())
    given_back.ends("refunded")
    assert given_back.mails() == ["refunded_at_once"]
    assert [r["amount_minor"] for r in order.gateway_refunds()] == [1000]
