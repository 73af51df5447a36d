"""A courier who does not come and says nothing: he is called off, another is asked, the customer loses no time."""

from datetime import timedelta

import pytest

from orders import clock
from refunds.models import Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve
from refunds.services.reconcile import ParcelOut
from refunds.states import PickupState, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, bought, fact, fresh, pass_time, state, target, work
from workers.ports import ParcelsFound, ParcelStatus, Unknown

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
GRACE = timedelta(hours=4)
#: He is asked once an hour.
ASKED = timedelta(hours=1)


@pytest.fixture
def courier() -> Courier:
    return Courier()


@pytest.fixture
def refund(engine: Engine, courier: Courier) -> Refund:
    order = bought(1000)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def visits(refund: Refund) -> list[Pickup]:
    return list(Pickup.objects.filter(refund=refund).order_by("id"))


def until_after_the_slot(engine: Engine, courier: Courier, refund: Refund, *, late: timedelta = timedelta(0)) -> None:
    ends = visits(refund)[-1].slot_to
    assert ends is not None
    pass_time(ends + late - clock.now())
    work(engine, courier, refund)


def told(refund: Refund) -> list[str]:
    return list(
        Notification.objects.filter(refund=refund, channel="email")
        .order_by("event_seq")
        .values_list("template", flat=True)
    )


def test_four_hours_after_his_slot_another_is_booked(engine: Engine, courier: Courier, refund: Refund) -> None:
    until_after_the_slot(engine, courier, refund, late=GRACE - timedelta(minutes=1))
    assert [v.state for v in visits(refund)] == [PickupState.BOOKED]
    until_after_the_slot(engine, courier, refund, late=GRACE + ASKED)
    assert [v.state for v in visits(refund)] == [PickupState.CANCELLED, PickupState.BOOKED]
    assert courier.booked == 2
    assert told(refund) == ["received", "pickup_booked", "pickup_missed", "pickup_booked"]


def test_the_customer_s_clock_stood_still_meanwhile(engine: Engine, courier: Courier, refund: Refund) -> None:
    before, slot = fresh(refund).deadline, visits(refund)[0].slot_to
    until_after_the_slot(engine, courier, refund, late=GRACE)
    after, visit = fresh(refund).deadline, visits(refund)[1].slot_from
    assert before and slot and after and visit
    assert after - before >= visit - slot


def test_scanned_in_time_he_has_come(engine: Engine, courier: Courier, refund: Refund) -> None:
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))
    until_after_the_slot(engine, courier, refund)
    until_after_the_slot(engine, courier, refund, late=GRACE)
    assert [v.state for v in visits(refund)] == [PickupState.COLLECTED]
    assert courier.booked == 1


def test_nothing_is_counted_while_he_does_not_answer(engine: Engine, courier: Courier, refund: Refund) -> None:
    courier.answers[ParcelAct.TRACK] = lambda out: Unknown("time-out")
    until_after_the_slot(engine, courier, refund, late=GRACE + ASKED)
    assert [v.state for v in visits(refund)] == [PickupState.BOOKED]
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))
    pass_time(ASKED)
    work(engine, courier, refund)
    assert ([v.state for v in visits(refund)], told(refund).count("pickup_missed")) == ([PickupState.COLLECTED], 0)


def test_nothing_is_counted_while_the_question_is_out(engine: Engine, courier: Courier, refund: Refund) -> None:
    ends = visits(refund)[-1].slot_to
    assert ends is not None
    pass_time(ends + GRACE - clock.now())
    [out] = engine.begin(refund).calls
    assert isinstance(out, ParcelOut) and out.act is ParcelAct.TRACK
    engine.begin(refund)
    assert len(visits(refund)) == 1


def test_missed_too_often_a_person_looks(engine: Engine, courier: Courier, refund: Refund) -> None:
    for _ in range(3):
        until_after_the_slot(engine, courier, refund, late=GRACE)
    assert state(refund) == RefundState.IN_REVIEW
    assert courier.booked == 3
    assert all(v.state != PickupState.BOOKED for v in visits(refund))
