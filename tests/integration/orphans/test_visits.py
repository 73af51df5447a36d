"""Couriers' visits that no refund here knows: called off, and shown where that is too late."""

from itertools import count

import pytest

from orders import clock
from orders.models import Shipment
from refunds.models import Incident, Orphan, Pickup, Refund
from refunds.services.acts import Approval, approve
from refunds.services.parcel_inbox import store_parcel_events
from tests.factories import request, ship
from tests.integration.adapters.peers import budget, http
from tests.integration.engine.returns import AGENT, bought, fresh, target
from tests.integration.orphans.world import World
from workers.ports import Booked, CourierEvent, ParcelFact, ParcelStatus, PickupOrder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

HOME = {"name": "Mia", "line1": "Hauptstr. 1", "city": "Köln", "postal_code": "50667", "country": "DE"}
_numbers = count(1)


def test_a_visit_under_a_number_of_ours_that_no_refund_has_is_called_off(world: World) -> None:
    """Controller check 72 (TestFinalizerCleanup): no owner, as where an older database was restored."""
    visit = book(world, f"RF-{10**9 + next(_numbers)}-P1")
    tell(visit)
    tell(visit)
    world.settle()
    assert (at_the_courier(world, visit), Orphan.objects.get().state) == ("cancelled", "called_off")


def test_a_visit_of_another_system_stands(world: World) -> None:
    visit = book(world, f"OTHER-{next(_numbers)}-P1")
    tell(visit)
    world.settle()
    assert (at_the_courier(world, visit), Orphan.objects.count()) == ("booked", 0)


def test_a_visit_that_cannot_be_called_off_any_more_is_a_case(world: World) -> None:
    visit = book(world, f"RF-{10**9 + next(_numbers)}-P1")
    http("POST", f"{world.url}/courier/parcels/{visit.waybill}/collected")
    tell(visit)
    world.settle()
    case = Incident.objects.get()
    assert (case.kind, case.data["waybill"], Orphan.objects.get().state) == ("orphaned_pickup", visit.waybill, "stands")


def test_a_courier_who_does_not_answer_is_asked_again(world: World) -> None:
    """Controller check 72: failures are retried (k/k PR 141329)."""
    number = f"RF-{10**9 + next(_numbers)}-P1"
    http("PUT", f"{world.url}/courier/scripts/{number.removesuffix('-P1')}", {"cancel": [["error_500", "succeed"]]})
    visit = book(world, number)
    tell(visit)
    world.settle()
    orphan = Orphan.objects.get()
    assert (orphan.state, orphan.failures) == ("open", 1)
    world.later()
    assert at_the_courier(world, visit) == "cancelled"


def test_a_second_visit_for_a_refund_that_has_ended_is_called_off(world: World) -> None:
    """Controller check 72 (TestSyncOrphanPod): the owner is finished, and only a webhook tells."""
    refund = ended(world)
    pickup = Pickup.objects.get(refund=refund)
    second = book(world, pickup.number, key="again")
    tell(second)
    for _ in range(3):
        world.run(refund)
    assert at_the_courier(world, second) == "cancelled"
    assert sorted(Pickup.objects.filter(refund=refund).values_list("waybill", "state")) == sorted(
        [(pickup.waybill, "received"), (second.waybill, "cancelled")]
    )


def test_what_was_said_of_a_parcel_before_the_shop_told_of_it_counts_once_it_has(world: World) -> None:
    order = bought(1000)
    tell(ParcelFact("", f"T{order.pk}", ParcelStatus.DELIVERED, clock.now()))
    parcel = ship(order, state="shipped")
    [refund] = request(order).refunds
    assert fresh(refund).route == "intercept"
    world.run(refund)
    assert (Shipment.objects.get(pk=parcel.pk).state, fresh(refund).route) == ("delivered", "pickup")


def ended(world: World) -> Refund:
    """Fetched, received, paid."""
    order = bought(1000, shipping_address=HOME)
    ship(order)
    [refund] = request(order).refunds
    world.run(refund)
    approve(target(refund), Approval(), actor=AGENT)
    for _ in range(2):
        world.run(refund)
    pickup = Pickup.objects.get(refund=refund)
    for status in (ParcelStatus.COLLECTED, ParcelStatus.RECEIVED):
        http("POST", f"{world.url}/courier/parcels/{pickup.waybill}/{status}")
        tell(ParcelFact(pickup.number, pickup.waybill, status, clock.now()))
        world.run(refund)
    assert fresh(refund).state in ("inspecting", "refunded")
    return refund


def book(world: World, number: str, *, key: str = "") -> ParcelFact:
    """A visit at the courier, by whoever it was."""
    order = PickupOrder(number, key or number, number.rpartition("-")[0], HOME, HOME, {"name": "Mia", "phone": "1"})
    booked = world.courier.book(order, budget=budget())
    assert isinstance(booked, Booked), booked
    return booked.fact


def tell(fact: ParcelFact) -> None:
    """The courier's webhook."""
    store_parcel_events("courier", [CourierEvent(f"event-{next(_numbers)}", "parcel.updated", fact)])


def at_the_courier(world: World, visit: ParcelFact) -> str:
    found = http("GET", f"{world.url}/courier/ledger?waybill={visit.waybill}")["pickups"]
    return found[0]["history"][-1]["status"] if "history" in found[0] else found[0]["status"]
