"""At the customer's door: nobody is in, somebody thinks better of it, and the van never arrives. Every message once."""

import pytest

from tests.stories.courier import Courier, in_review
from tests.stories.road import Road
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def road(shop: Shop) -> Road:
    return in_review(shop)


def booked_again(courier: Courier, *, after: str) -> str:
    pickup = eventually(courier.road.pickup, lambda p: p["waybill"] != after and p["state"] == "booked")
    return pickup["waybill"]


def test_missed_twice_then_lost(road: Road):
    courier = Courier(road)
    road.agent("approve")
    waybill = road.booked()["waybill"]
    for _ in range(2):
        courier.tells("missed", webhook_copies=3)
        waybill = booked_again(courier, after=waybill)
    road.courier("collected", "in_transit")
    courier.tells("lost", webhook_copies=3)
    road.ends("refunded")
    courier.is_heard()
    again = ["pickup_booked", "pickup_missed"]
    assert road.mails() == ["received", *again, *again, "pickup_booked", "refunded"]
    assert road.texts() == [*["pickup_booked"] * 3, "refunded"]
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (7, 4)
    assert (len(courier.sends()), road.incidents()) == (3, [])
    [claim] = [event["data"] for event in road.case.trail() if event["type"] == "carrier.claim_due"]
    assert (claim["waybill"], claim["amount_minor"], claim["currency"]) == (waybill, 1000, "EUR")
    assert len(road.case.order.gateway_refunds()) == 1


def test_the_customer_cancels_while_the_courier_is_at_the_door(road: Road):
    """The courier has it already: the wish is dropped, and what he has is refunded."""
    courier = Courier(road)
    courier.answers(cancel=["already_collected"])
    road.agent("approve")
    road.booked()
    assert road.act("cancel", "shop").status == 202
    eventually(road.pickup, lambda pickup: pickup["state"] == "collected")
    assert road.act("cancel", "shop").body["code"] == "already_collected"
    road.courier("in_transit", "received")
    road.case.becomes("inspecting")
    road.inspected(accepted=1)
    road.ends("refunded")
    assert (road.mails(), road.texts()) == (["received", "pickup_booked", "refunded"], ["pickup_booked", "refunded"])
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (3, 2)
    trail = road.trail()
    assert [trail.count(f"refund.cancel_{step}") for step in ("requested", "dropped")] == [1, 1]
    assert (len(courier.sends()), len(courier.cancels())) == (1, 1)


def test_the_customer_cancels_just_before_the_courier_comes(road: Road):
    """He turns round: nobody is sent again, nothing is paid, and it is told once."""
    courier = Courier(road)
    road.agent("approve")
    road.booked()
    assert road.act("cancel", "shop").status == 202
    road.ends("cancelled")
    assert road.mails() == ["received", "pickup_booked", "cancelled"]
    assert [booking["status"] for booking in road.bookings()] == ["cancelled"]
    assert (len(courier.sends()), len(courier.cancels()), road.case.order.gateway_refunds()) == (1, 1, [])
