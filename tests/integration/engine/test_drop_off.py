"""Goods that the customer hands in with a label: nobody comes, posted is what the carrier has seen."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Conflict
from refunds.models import Notification, Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve, drop_off, rebook_pickup
from refunds.services.parcel_calls import ParcelAnswer, ParcelOut
from refunds.states import WayBack
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    Courier,
    bought,
    fact,
    fresh,
    in_force,
    pass_time,
    state,
    target,
    work,
)
from workers.ports import Booked, ParcelsFound, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
LABEL = "https://labels.example/"


@dataclass
class Branch(Courier):
    """Makes labels for what is handed in."""

    drop_offs: list[bool] = field(default_factory=list)

    def _book(self, out: ParcelOut) -> ParcelAnswer:
        assert out.pickup is not None
        self.drop_offs.append(out.pickup.drop_off)
        done = super()._book(out)
        if not out.pickup.drop_off or not isinstance(done, Booked):
            return done
        return Booked(replace(done.fact, slot=None, label_url=f"{LABEL}{done.fact.waybill}"))


@pytest.fixture
def courier() -> Branch:
    return Branch()


def approved(engine: Engine, courier: Courier, **wanted: object) -> Refund:
    order = bought(1000)
    ship(order, "delivered")
    [refund] = request(order, **wanted).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return fresh(refund)


def pickups(refund: Refund) -> list[Pickup]:
    return list(Pickup.objects.filter(refund=refund).order_by("id"))


def told(refund: Refund, channel: str = "email") -> list[str]:
    found = Notification.objects.filter(refund=refund, channel=channel).order_by("event_seq")
    return list(found.values_list("template", flat=True))


def kinds(refund: Refund) -> Iterable[str]:
    return RefundEvent.objects.filter(refund=refund).values_list("kind", flat=True)


def test_who_asked_for_a_label_gets_one_and_nobody_comes(engine: Engine, courier: Branch) -> None:
    refund = approved(engine, courier, way_back=WayBack.DROP_OFF)
    [parcel] = pickups(refund)
    assert (parcel.drop_off, parcel.label_url, parcel.slot_from) == (True, f"{LABEL}{parcel.waybill}", None)
    assert (courier.drop_offs, told(refund), told(refund, "sms")) == (
        [True],
        ["received", "label_ready"],
        ["label_ready"],
    )
    assert "pickup.labelled" in kinds(refund) and "pickup.booked" not in kinds(refund)


def test_the_policy_says_it_where_nobody_else_does(engine: Engine, courier: Branch) -> None:
    in_force(way_back="drop_off")
    assert [p.drop_off for p in pickups(approved(engine, courier))] == [True]
    assert [p.drop_off for p in pickups(approved(engine, courier, way_back=WayBack.PICKUP))] == [False]


def test_posted_is_what_the_carrier_has_seen(engine: Engine, courier: Branch) -> None:
    refund = approved(engine, courier, way_back=WayBack.DROP_OFF)
    for status, home in ((ParcelStatus.IN_TRANSIT, "awaiting_return"), (ParcelStatus.RECEIVED, "inspecting")):
        courier.answers[ParcelAct.TRACK] = lambda out, status=status: ParcelsFound((fact("", out.waybill, status),))
        pass_time(timedelta(days=1))
        work(engine, courier, refund)
        assert (pickups(refund)[0].state, state(refund)) == (status, home)
    assert told(refund) == ["received", "label_ready"]


def test_who_does_not_post_in_time_is_reminded_and_his_label_is_cancelled(engine: Engine, courier: Branch) -> None:
    refund = approved(engine, courier, way_back=WayBack.DROP_OFF)
    assert refund.deadline
    for at in (refund.deadline - timedelta(days=2), refund.deadline + timedelta(hours=1)):
        pass_time(at - clock.now())
        work(engine, courier, refund)
    assert (state(refund), [p.state for p in pickups(refund)]) == ("expired", ["cancelled"])
    assert told(refund) == ["received", "label_ready", "reminder", "expired"]


def test_the_customer_takes_a_label_instead_of_the_visit_and_back(engine: Engine, courier: Branch) -> None:
    refund = approved(engine, courier)
    before = refund.deadline
    drop_off(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert [(p.drop_off, p.state) for p in pickups(refund)] == [(False, "cancelled"), (True, "booked")]
    assert (fresh(refund).deadline, fresh(refund).way_back) == (before, "drop_off")
    with pytest.raises(Conflict, match="label"):
        drop_off(target(refund), actor=CUSTOMER)
    slot = {"slot_from": clock.now() + timedelta(days=1), "slot_to": clock.now() + timedelta(days=2)}
    rebook_pickup(target(refund), **slot, actor=CUSTOMER)
    work(engine, courier, refund)
    assert [p.state for p in pickups(refund)] == ["cancelled", "cancelled", "booked"]
    assert told(refund) == ["received", "pickup_booked", "label_ready", "pickup_booked"]
