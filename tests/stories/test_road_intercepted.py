"""What is on its way: the carrier is asked to stop it. It comes back and is paid, or arrives and is fetched."""

import pytest

from tests.stories.road import Parcel, Road, ship
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def parcel(shop: Shop) -> Parcel:
    return ship(shop.place_order(quantity=2))


@pytest.fixture
def road(parcel: Parcel) -> Road:
    """An agent has agreed, and the carrier has been asked to stop the parcel."""
    road = Road(parcel.order.request_refund())
    road.approved("intercept")
    [asked] = eventually(parcel.intercepts)
    assert asked["refund"] == road.case.number
    eventually(road.trail, lambda trail: "intercept.accepted" in trail)
    return road


def test_what_the_carrier_brings_back_is_paid(parcel: Parcel, road: Road):
    parcel.told("returning")
    eventually(road.trail, lambda trail: "shipment.returning" in trail)
    assert parcel.order.sends() == []
    parcel.told("returned")
    road.ends("refunded")
    [paid] = parcel.order.gateway_refunds()
    assert (paid["number"], paid["amount_minor"]) == (road.case.movement()["number"], 2000)
    assert parcel.order.look()["refund_state"] == "refunded"
    assert road.mails() == ["received", "approved", "refunded"] and road.texts() == ["refunded"]
    assert road.bookings() == [] and len(parcel.intercepts()) == 1


def test_of_two_parcels_the_one_that_arrived_decides_and_only_that_is_to_be_packed(shop: Shop):
    order = shop.place_order(quantity=3)
    back, there = ship(order, 2), ship(order, 1)
    road = Road(order.request_refund())
    road.approved("intercept")
    eventually(lambda: back.intercepts() and there.intercepts())
    back.told("returned")
    eventually(road.trail, lambda trail: "shipment.returned" in trail)
    there.told("delivered")
    road.fetched()
    road.inspected(accepted=3)
    road.ends("refunded")
    assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [3000]
    assert road.mails() == ["received", "approved", "pickup_booked", "refunded"]
    assert [
        line for mail in road.case.messages("email") for line in mail["text"].splitlines() if line.endswith("× Mug")
    ] == ["- 3 × Mug", "- 3 × Mug", "- 1 × Mug", "- 3 × Mug"]


def test_what_arrives_all_the_same_is_fetched(parcel: Parcel, road: Road):
    parcel.told("delivered")
    road.booked()
    assert road.case.look()["status"]["route"] == "pickup"
    road.fetched()
    assert parcel.order.sends() == []
    road.inspected(accepted=2)
    road.ends("refunded")
    assert [paid["amount_minor"] for paid in parcel.order.gateway_refunds()] == [2000]
    assert parcel.order.look()["refund_state"] == "refunded"
    assert road.mails() == ["received", "approved", "pickup_booked", "refunded"]
    assert road.texts() == ["pickup_booked", "refunded"]
    assert len(road.bookings()) == 1
