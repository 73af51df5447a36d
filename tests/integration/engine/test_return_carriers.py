"""What couriers and carriers say of parcels: too late, ahead of time, or of a waybill nobody knew yet."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from orders import clock
from orders.models import Shipment
from refunds.models import Pickup
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve
from refunds.services.parcel_calls import ParcelOut
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, bought, fact, fresh, pass_time, state, target, work
from workers.ports import Booked, ParcelFact, ParcelsFound, ParcelStatus, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def test_a_carrier_who_will_not_stop_a_parcel_has_it_fetched_once_it_is_delivered(
    engine: Engine, courier: Courier
) -> None:
    courier.answers[ParcelAct.INTERCEPT] = lambda out: Refused("too_late")
    order = bought(1000)
    ship(order, "shipped")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), courier.asked) == ("awaiting_return", ["intercept"])
    assert refund.events.filter(kind="intercept.refused", data__reason="too_late").exists()
    parcel = Shipment.objects.get(order=order)
    assert (parcel.state, parcel.call) == ("shipped", "idle")
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.DELIVERED),))
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    assert (fresh(refund).route, courier.asked) == ("pickup", ["intercept", "track", "book"])
    assert fresh(refund).approved_by == AGENT.reference


def ahead(by: timedelta, *, number: str = "", status: ParcelStatus) -> Callable[[ParcelOut], ParcelFact]:
    """A word of a carrier whose clock is ahead."""
    return lambda out: replace(fact(number and out.subject, out.waybill or "W1", status), occurred_at=clock.now() + by)


def test_a_courier_whose_clock_is_ahead_is_still_heard_later_when_he_is_asked(engine: Engine, courier: Courier) -> None:
    order, year = bought(1000), timedelta(days=365)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    early = ahead(year, number="ours", status=ParcelStatus.BOOKED)
    courier.answers[ParcelAct.BOOK] = lambda out: Booked(early(out))
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    for status in (ParcelStatus.COLLECTED, ParcelStatus.IN_TRANSIT, ParcelStatus.RECEIVED):
        pass_time(timedelta(hours=2))
        word = ahead(year if status is ParcelStatus.COLLECTED else timedelta(0), status=status)
        courier.answers[ParcelAct.TRACK] = lambda out, word=word: ParcelsFound((word(out),))
        work(engine, courier, refund)
    assert (state(refund), Pickup.objects.get(refund=refund).state) == ("inspecting", "received")
