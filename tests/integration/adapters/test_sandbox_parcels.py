"""The sandbox's parcels go where the doors send them, homeward and outward, seen through the adapter."""

import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.couriering import booked, found, track
from tests.integration.adapters.peers import budget, http, wait_until
from workers.ports import Intercepting, InterceptOrder, ParcelsFound, PickupOrder, Refused, Unknown

Make = Callable[..., PickupOrder]
MakeIntercept = Callable[..., InterceptOrder]
HOUR = timedelta(hours=1)


def test_parcel_goes_its_way_by_doors_and_is_told_each_step(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    way = ["missed", "collected", "in_transit", "received"]
    for step in way:
        assert sandbox.tell(fact.waybill, step)["status"] == step
    assert track(sandbox, fact.waybill) == ["booked", *way]
    assert found(sandbox, fact.number) == ["received"]
    wait_until(lambda: sorted(sandbox.told(fact.waybill)) == sorted(["booked", *way]))


def test_facts_are_ordered_by_the_carriers_time(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    later, sooner = (fact.occurred_at + HOUR * hours for hours in (2, 1))
    sandbox.tell(fact.waybill, "received", occurred_at=later.isoformat())
    sandbox.tell(fact.waybill, "collected", occurred_at=sooner.isoformat(), reason="seal\nbroken")
    assert track(sandbox, fact.waybill) == ["booked", "collected", "received"]
    reply = sandbox.courier.track(fact.waybill, budget=budget())
    assert isinstance(reply, ParcelsFound)
    assert [(each.occurred_at, each.reason) for each in reply.facts[1:]] == [(sooner, "seal broken"), (later, "")]
    assert found(sandbox, fact.number) == ["received"]


def test_webhook_says_what_was_told_late_and_in_copies(sandbox: Sandbox, pickup: Make) -> None:
    sandbox.courier_script(pickup().refund, book=[{"behaviour": "succeed", "webhook_copies": 0}])
    fact = booked(sandbox, pickup())
    sandbox.tell(fact.waybill, "lost", reason="van burnt", webhook_copies=3, webhook_delay_ms=150)
    sandbox.tell(fact.waybill, "collected", webhook_copies=1)
    wait_until(lambda: sandbox.told(fact.waybill) == ["collected", "lost", "lost", "lost"])
    raw = [raw for raw in sandbox.parcels.received if fact.waybill.encode() in raw[1]]
    events = [event for headers, body in raw for event in sandbox.courier.parse_webhook(headers, body)]
    assert len({event.event_id for event in events}) == 2
    lost = next(event for event in events if event.fact.status == "lost")
    assert (lost.kind, lost.fact.number, lost.fact.reason) == ("parcel.updated", fact.number, "van burnt")
    assert lost.fact.slot == fact.slot and lost.fact.occurred_at > fact.occurred_at


def test_intercept_is_accepted_and_makes_the_parcel_known(sandbox: Sandbox, intercept: MakeIntercept) -> None:
    order = intercept()
    assert sandbox.courier.track(order.tracking_number, budget=budget()) == ParcelsFound()
    reply = sandbox.courier.intercept(order, budget=budget())
    assert isinstance(reply, Intercepting)
    assert (reply.fact.waybill, reply.fact.number, reply.fact.status) == (order.tracking_number, "", "in_transit")
    assert sandbox.told(order.tracking_number) == []
    ledger = sandbox.courier_ledger(waybill=order.tracking_number)
    (kept,) = ledger["intercepts"]
    assert (kept["number"], kept["refund"], kept["carrier"], kept["status"]) == (
        order.number,
        order.refund,
        "DHL",
        "in_transit",
    )
    assert kept in sandbox.courier_ledger(refund=order.refund)["intercepts"] and len(ledger["calls"]) == 2


def test_intercept_repeated_for_another_refund_is_the_same_one(sandbox: Sandbox, intercept: MakeIntercept) -> None:
    first = sandbox.courier.intercept(intercept(), budget=budget())
    assert sandbox.courier.intercept(intercept(refund="RFTEST-2"), budget=budget()) == first
    assert len(sandbox.courier_ledger(waybill=intercept().tracking_number)["intercepts"]) == 1


@pytest.mark.parametrize("way", ["returning", "returned", "delivered"])
def test_door_tells_how_an_intercept_ends(sandbox: Sandbox, intercept: MakeIntercept, way: str) -> None:
    tracking = intercept().tracking_number
    sandbox.courier.intercept(intercept(), budget=budget())
    sandbox.tell(tracking, way)
    assert track(sandbox, tracking) == ["in_transit", way]
    wait_until(lambda: sandbox.told(tracking) == [way])


@pytest.mark.parametrize("way", ["delivered", "returned", "lost"])
def test_intercept_comes_too_late(sandbox: Sandbox, intercept: MakeIntercept, way: str) -> None:
    sandbox.tell(intercept().tracking_number, way)
    reply = sandbox.courier.intercept(intercept(), budget=budget())
    assert reply == Refused("too_late", "the courier refuses: too_late")


def test_intercept_can_be_scripted_by_tracking_number(sandbox: Sandbox, intercept: MakeIntercept) -> None:
    order = intercept()
    sandbox.courier_script(order.tracking_number, intercept=[["timeout_after_success", "succeed"]])
    assert isinstance(sandbox.courier.intercept(order, budget=budget(0.8)), Unknown)
    assert isinstance(sandbox.courier.intercept(order, budget=budget()), Intercepting)
    assert len(sandbox.courier_ledger(waybill=order.tracking_number)["intercepts"]) == 1


def test_tracking_numbers_may_hold_anything(sandbox: Sandbox) -> None:
    for tracking in ("1Z 99/8?x=1#ä", "a%2Fb"):
        order = InterceptOrder(f"{tracking}-I", f"{tracking}-I", "RFTEST-1", tracking)
        assert isinstance(sandbox.courier.intercept(order, budget=budget()), Intercepting)
        assert track(sandbox, tracking) == ["in_transit"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("vanished", None, 404),
        ("booked", None, 404),
        ("lost", {"occurred_at": "yesterday"}, 422),
        ("lost", {"occurred_at": "2026-12-01T10:00:00"}, 422),
        ("lost", {"occured_at": "2026-12-01T10:00:00Z"}, 422),
        ("lost", {"webhook_copies": 99}, 422),
        ("lost", [], 422),
    ],
)
def test_door_refuses_what_it_does_not_understand(sandbox: Sandbox, path: str, body: Any, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        http("POST", f"{sandbox.url}/courier/parcels/never-heard-of/{path}", body)
    assert refused.value.code == status
    assert sandbox.courier.track("never-heard-of", budget=budget()) == ParcelsFound()


def test_page_shows_parcels_and_escapes_them(sandbox: Sandbox) -> None:
    sandbox.tell("%3Cb%3Eold", "lost")
    with urllib.request.urlopen(f"{sandbox.url}/", timeout=10) as page:
        text = page.read().decode()
    assert "&lt;b&gt;old" in text and "<b>old" not in text
