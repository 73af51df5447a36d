"""Whatever becomes of a parcel, in whatever order it is told: it is followed, and the money goes with the goods."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.stories.courier import Courier, in_review, words
from tests.stories.road import Road, ship
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]

HOUR = timedelta(hours=1)


@pytest.fixture
def courier(shop: Shop) -> Courier:
    """Booked for delivered goods."""
    courier = Courier(in_review(shop))
    courier.road.agent("approve")
    courier.road.booked()
    return courier


@pytest.fixture
def times() -> Iterator[str]:
    """Times of the carrier's, one after another, all of them now: none before the booking, none still to come."""
    now = datetime.now(UTC)
    return ((now + timedelta(milliseconds=n)).isoformat() for n in range(3))


def test_words_in_the_wrong_order_and_three_times_each(courier: Courier, times: Iterator[str]):
    collected, moved, received = (next(times) for _ in range(3))
    courier.tells("received", occurred_at=received, webhook_copies=3)
    courier.tells("collected", occurred_at=collected, webhook_copies=3)
    courier.tells("in_transit", occurred_at=moved, webhook_copies=3)
    courier.road.case.becomes("inspecting")
    courier.is_heard()
    assert courier.road.pickup()["state"] == "received"
    trail = [event["type"] for event in courier.road.case.trail() if event["type"].startswith("pickup.")]
    assert trail.count("pickup.received") == 1 and len(trail) == len(set(trail))


def test_an_older_word_undoes_nothing(courier: Courier, times: Iterator[str]):
    earlier, later = next(times), next(times)
    courier.road.courier("collected", occurred_at=later)
    courier.tells("missed", occurred_at=earlier, webhook_copies=3)
    courier.tells("refused", occurred_at=earlier)
    courier.is_heard()
    assert (courier.road.pickup()["state"], courier.road.pickup()["missed"]) == ("collected", 0)
    assert len(courier.sends()) == 1


def test_a_missed_visit_is_told_and_booked_again_while_the_customers_clock_stands_still(courier: Courier):
    before, first = courier.road.case.look()["status"]["deadline"], courier.road.pickup()["waybill"]
    courier.tells("missed", webhook_copies=3)
    eventually(courier.road.pickup, lambda pickup: pickup["waybill"] != first and pickup["state"] == "booked")
    assert courier.road.pickup()["missed"] == 1
    eventually(
        courier.road.mails, lambda mails: mails == ["received", "pickup_booked", "pickup_missed", "pickup_booked"]
    )
    assert [send["idempotency_key"][-4:] for send in courier.sends()] == [f"{courier.road.case.number}-P1"[-4:], "P1.1"]
    after = courier.road.case.look()["status"]["deadline"]
    assert datetime.fromisoformat(after) > datetime.fromisoformat(before)


def test_a_customer_who_is_never_there_comes_back_to_a_person(courier: Courier):
    for _ in range(2):
        waybill = courier.road.pickup()["waybill"]
        courier.tells("missed")
        eventually(courier.road.pickup, lambda p, old=waybill: p["waybill"] != old and p["state"] == "booked")
    courier.tells("missed")
    courier.road.case.becomes("in_review")
    assert (courier.road.incidents(), len(courier.sends())) == (["return_failed"], 3)
    assert courier.road.mails().count("pickup_missed") == 3
    courier.road.agent("approve")
    assert courier.road.booked()["missed"] == 0


def test_another_time_is_asked_for_after_a_visit_was_missed(courier: Courier):
    first = courier.road.pickup()["waybill"]
    courier.tells("missed")
    eventually(courier.road.pickup, lambda pickup: pickup["waybill"] != first and pickup["state"] == "booked")
    starts_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=3)
    slot = {"starts_at": starts_at.isoformat(), "ends_at": (starts_at + HOUR).isoformat()}
    courier.road.agent("rebook_pickup", slot=slot)
    pickup = eventually(courier.road.booked, lambda pickup: pickup["number"].endswith("-P2"))
    assert datetime.fromisoformat(pickup["slot"]["starts_at"]) == starts_at
    standing = eventually(courier.road.bookings, lambda bookings: len(bookings) == 3)
    assert [booking["status"] for booking in standing] == ["missed", "cancelled", "booked"]


def test_lost_after_he_collected_it_is_paid_and_paid_once_if_it_turns_up(courier: Courier):
    courier.road.courier("collected", "lost")
    courier.road.ends("refunded")
    courier.tells("received")
    courier.is_heard()
    assert courier.road.case.look()["status"]["state"] == "refunded"
    assert [refund["status"] for refund in courier.road.case.order.gateway_refunds()] == ["succeeded"]


def test_lost_before_he_had_it_is_fetched_anew(courier: Courier):
    courier.tells("lost")
    assert eventually(courier.road.booked, lambda pickup: pickup["number"].endswith("-P2"))["state"] == "booked"
    assert (courier.road.incidents(), courier.road.case.order.sends()) == ([], [])


def test_refused_comes_back_to_a_person(courier: Courier):
    courier.tells("refused")
    courier.road.case.becomes("in_review")
    assert (courier.road.incidents(), courier.road.case.order.sends()) == (["return_failed"], [])
    courier.road.agent("approve")
    assert courier.road.booked()["number"].endswith("-P2")


@pytest.mark.parametrize("with_refund", [True, False])
def test_returning_after_delivered_changes_nothing(shop: Shop, times: Iterator[str], with_refund: bool):
    order = shop.place_order()
    parcel = ship(order)
    road = Road(order.request_refund()) if with_refund else None
    earlier, later, last = (next(times) for _ in range(3))
    parcel.told("delivered", occurred_at=later, webhook_copies=3)
    eventually(order.look, lambda seen: seen["state"] == "delivered")
    parcel.told("returning", occurred_at=earlier, webhook_copies=3)
    parcel.told("returning", occurred_at=last)
    road = road or Road(order.request_refund())
    eventually(lambda: words(shop, parcel.tracking_number) == 3)
    assert order.look()["state"] == "delivered"
    eventually(road.case.look, lambda refund: refund["status"]["route"] == "pickup")
    road.case.becomes("in_review")
    road.agent("approve")
    road.booked()


def test_a_stopped_parcel_that_is_delivered_all_the_same_is_fetched(shop: Shop, times: Iterator[str]):
    order = shop.place_order()
    parcel = ship(order)
    road = Road(order.request_refund())
    road.approved("intercept")
    eventually(parcel.intercepts)
    returning, delivered = next(times), next(times)
    parcel.told("delivered", occurred_at=delivered)
    parcel.told("returning", occurred_at=returning, webhook_copies=3)
    road.booked()
    assert road.case.look()["status"]["route"] == "pickup"


@pytest.mark.parametrize("behaviour", ["timeout_after_success", "error_500"])
def test_an_intercept_nobody_answers_is_asked_for_again_under_its_key(shop: Shop, behaviour: str):
    order = shop.place_order()
    parcel = ship(order)
    shop.courier("PUT", f"/scripts/{parcel.tracking_number}", {"intercept": [behaviour]})
    road = Road(order.request_refund())
    road.approved("intercept")
    calls = eventually(lambda: _intercepts_asked(road), lambda calls: len(calls) == 2)
    assert len({call["idempotency_key"] for call in calls}) == len(parcel.intercepts()) == 1
    parcel.told("returned")
    road.ends("refunded")


def _intercepts_asked(road: Road) -> list[Any]:
    return [call for call in road.calls() if call["path"].endswith("/intercepts")]
