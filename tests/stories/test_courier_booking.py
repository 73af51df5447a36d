"""Whatever the courier does when he is asked to come, or not to come: he is booked once, and nobody waits unseen."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.stories.courier import Courier, in_review
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("stories")

BOOKED = ["email: pickup_booked", "email: received", "sms: pickup_booked"]


@dataclass(frozen=True)
class Story:
    """`keys` are those of all requests to come, in order, as what follows the number; `asked`: whether he had to be
    asked what became of one."""

    script: Any
    keys: tuple[str, ...] = ("",)
    asked: bool = False


STORIES = {
    "answers at once": Story("succeed"),
    "times out after he has booked": Story({"behaviour": "timeout_after_success", "webhook_copies": 0}, asked=True),
    "times out before he has booked": Story("timeout_before", keys=("", ""), asked=True),
    "fails before he has booked": Story("error_500", keys=("", ""), asked=True),
    "fails after he has booked": Story({"behaviour": "error_500_after_success", "webhook_copies": 0}, asked=True),
    "answers too late": Story({"behaviour": "succeed", "delay_ms": 2500, "webhook_copies": 0}, asked=True),
    "tells of the booking before he answers": Story({"behaviour": "succeed", "delay_ms": 700}),
    "tells of the booking and never answers": Story("timeout_after_success", asked=True),
    "tells everything three times": Story({"behaviour": "succeed", "webhook_copies": 3}),
    "is not to be had at first": Story(["none_available", "none_available", "succeed"], keys=("", ".1", ".2")),
}


@pytest.fixture(scope="module")
def couriers(shop: Shop) -> dict[str, Courier]:
    """All stories begin at once, so that they take no longer than the longest."""
    couriers = {name: Courier(in_review(shop)) for name in STORIES}
    for name, courier in couriers.items():
        courier.answers(book=[STORIES[name].script])
        courier.road.agent("approve")
    return couriers


@pytest.mark.parametrize("name", STORIES)
def test_a_courier_who(name: str, couriers: dict[str, Courier]):
    story, courier = STORIES[name], couriers[name]
    eventually(courier.road.case.told, lambda told: told == BOOKED)
    pickup = courier.road.booked()
    [booking] = courier.road.bookings()
    assert (booking["waybill"], booking["slot"]["starts_at"]) == (pickup["waybill"], _plain(pickup["slot"]))
    assert [send["idempotency_key"] for send in courier.sends()] == [pickup["number"] + key for key in story.keys]
    eventually(lambda: bool(courier.questions()) == story.asked)
    trail = [event["type"] for event in courier.road.case.trail()]
    assert (trail.count("pickup.booked"), trail.count("pickup.cancelled")) == (1, 0)
    assert courier.road.incidents() == []


def test_no_courier_to_be_had_is_seen_and_another_time_can_be_asked_for(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(book=["none_available"])
    courier.road.agent("approve")
    refused = eventually(courier.road.case.look, _is_refused)
    assert (refused["status"]["state"], refused["status"]["pickup"]["state"]) == ("awaiting_return", "intended")
    assert {"rebook_pickup", "cancel", "ship_back"} <= set(refused["allowed_actions"])
    slot = _slot(days=2)
    courier.road.agent("rebook_pickup", slot=slot)
    pickup = courier.road.booked()
    assert (pickup["number"][-3:], _plain(pickup["slot"])) == ("-P2", slot["starts_at"])
    assert [booking["number"] for booking in courier.road.bookings()] == [pickup["number"]]
    _is_fetched_and_paid(courier)


def test_a_return_nobody_fetches_can_be_called_off(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(book=["none_available"])
    courier.road.agent("approve")
    eventually(courier.road.case.look, _is_refused)
    courier.road.agent("cancel")
    courier.road.ends("cancelled")
    assert courier.road.bookings() == []
    assert courier.road.case.order.look()["lines"][0]["refundable"]["quantity"] == 1


def test_an_address_nobody_drives_to_comes_back_to_a_person(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(book=["bad_address"])
    courier.road.agent("approve")
    eventually(courier.road.incidents, lambda kinds: kinds == ["return_failed"])
    assert courier.road.case.becomes("in_review")["status"]["approved"] is None
    courier.road.agent("approve")
    assert courier.road.booked()["number"].endswith("-P2")
    _is_fetched_and_paid(courier)


@pytest.mark.parametrize("behaviour", ["succeed", "timeout_after_success", "timeout_before"])
def test_a_cancel_is_a_wish_until_he_says_that_he_does_not_come(shop: Shop, behaviour: str):
    courier = Courier(in_review(shop))
    courier.answers(cancel=[{"behaviour": behaviour, "webhook_copies": 0}])
    courier.road.agent("approve")
    courier.road.booked()
    assert courier.road.act("cancel", "shop").status == 202
    courier.road.ends("cancelled")
    assert [booking["status"] for booking in courier.road.bookings()] == ["cancelled"]
    assert len({cancel["idempotency_key"] for cancel in courier.cancels()}) == 1
    assert courier.road.case.told().count("email: cancelled") == 1


def test_a_cancel_while_nobody_knows_whether_he_comes(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(book=[{"behaviour": "timeout_after_success", "webhook_copies": 0}])
    courier.road.agent("approve")
    eventually(courier.sends)
    assert courier.road.act("cancel", "shop").status == 202
    courier.road.ends("cancelled")
    assert [booking["status"] for booking in courier.road.bookings()] == ["cancelled"]
    assert len(courier.sends()) == 1


def test_another_time_is_asked_for_while_nobody_knows_whether_he_comes(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(book=[{"behaviour": "timeout_after_success", "webhook_copies": 0}])
    courier.road.agent("approve")
    eventually(courier.sends)
    slot = _slot(days=3)
    courier.road.agent("rebook_pickup", slot=slot)
    pickup = eventually(courier.road.booked, lambda pickup: pickup["number"].endswith("-P2"))
    assert _plain(pickup["slot"]) == slot["starts_at"]
    assert [booking["status"] for booking in courier.road.bookings()] == ["cancelled", "booked"]
    assert len(courier.sends()) == 2


def test_a_cancel_that_comes_too_late_is_dropped_and_said_so(shop: Shop):
    courier = Courier(in_review(shop))
    courier.answers(cancel=["already_collected"])
    courier.road.agent("approve")
    courier.road.booked()
    assert courier.road.act("cancel", "shop").status == 202
    eventually(courier.road.case.trail, lambda trail: "refund.cancel_dropped" in [event["type"] for event in trail])
    refused = courier.road.act("cancel", "shop")
    assert (refused.status, refused.body["code"]) == (409, "already_collected")
    _is_fetched_and_paid(courier)


def _is_refused(refund: Any) -> bool:
    [booked] = [c for c in refund["status"]["conditions"] if c["type"] == "PickupBooked"] or [{}]
    return (booked.get("status"), booked.get("reason")) == ("False", "Refused") and "none_available" in booked[
        "message"
    ]


def _is_fetched_and_paid(courier: Courier) -> None:
    road = courier.road
    courier.tells("received")
    road.case.becomes("inspecting")
    road.inspected(accepted=1)
    road.ends("refunded")
    assert len(road.case.order.gateway_refunds()) == 1


def _slot(*, days: float) -> dict[str, str]:
    starts_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
    return {"starts_at": starts_at.isoformat(), "ends_at": (starts_at + timedelta(hours=4)).isoformat()}


def _plain(slot: dict[str, str]) -> str:
    """When a slot begins, as the courier writes it."""
    return datetime.fromisoformat(slot["starts_at"]).isoformat()
