"""What is offered about goods on their way home is what would be done, whether booked, posted, corrected or seen."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Conflict
from refunds.actions import Action
from refunds.models import Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Approval, Parcel, approve, rebook_pickup, ship_back
from refunds.services.parcel_inbox import store_parcel_events
from refunds.states import Goods
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, CUSTOMER, Courier, bought, fact, fresh, target, work
from workers.ports import CourierEvent, ParcelsFound, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
WAY_HOME = (Action.CANCEL, Action.SHIP_BACK, Action.REBOOK_PICKUP, Action.DROP_OFF)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def approved(engine: Engine, courier: Courier, *, where: str = "delivered", goods: Goods = Goods.RETURN) -> Refund:
    order = bought(1000, quantity=2)
    ship(order, where)
    [refund] = request(order, goods=goods).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def offered(refund: Refund) -> list[str]:
    """Checked against what the services say of a posted parcel and another visit."""
    allowed = [action for action in allowed_actions(fresh(refund), CUSTOMER) if action in WAY_HOME]
    days = [clock.now() + timedelta(days=n) for n in (1, 2)]
    doors = {
        Action.SHIP_BACK: lambda: ship_back(target(refund), Parcel("post", "X9"), actor=CUSTOMER),
        Action.REBOOK_PICKUP: lambda: rebook_pickup(target(refund), slot_from=days[0], slot_to=days[1], actor=CUSTOMER),
    }
    for action in set(doors) - set(allowed):
        with pytest.raises(Conflict):
            doors[action]()
    return [str(action) for action in allowed]


def seen_by_carrier(engine: Engine, courier: Courier, refund: Refund, waybill: str) -> None:
    event = CourierEvent("e1", "parcel.updated", fact("", waybill, ParcelStatus.IN_TRANSIT))
    store_parcel_events("sandbox-courier", [event])
    work(engine, courier, refund)


def test_a_booked_courier_may_come_at_another_time_or_not_at_all(engine: Engine, courier: Courier) -> None:
    assert offered(approved(engine, courier)) == ["cancel", "ship_back", "rebook_pickup", "drop_off"]


def test_what_a_courier_has_is_neither_posted_nor_fetched_again(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))
    Pickup.objects.update(retry_at=None)
    work(engine, courier, refund)
    assert offered(refund) == []


def test_what_is_stopped_on_its_way_is_neither_fetched_nor_sent_back(engine: Engine, courier: Courier) -> None:
    assert offered(approved(engine, courier, where="shipped")) == []


@pytest.mark.parametrize("where", ["delivered", "shipped"])
def test_of_what_the_customer_has_sent_himself_he_may_say_how(engine: Engine, courier: Courier, where: str) -> None:
    refund = approved(engine, courier, where=where, goods=Goods.ALREADY_SENT)
    assert offered(refund) == (["cancel", "ship_back"] if where == "delivered" else ["ship_back"])
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    days = [clock.now() + timedelta(days=n) for n in (1, 2)]
    with pytest.raises(Conflict) as refused:
        rebook_pickup(target(refund), slot_from=days[0], slot_to=days[1], actor=CUSTOMER)
    assert refused.value.code == "not_fetched"


def test_a_mistyped_parcel_is_corrected_until_a_carrier_has_it(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    assert offered(refund) == ["ship_back"]
    ship_back(target(refund), Parcel("parcels inc", "X2"), actor=CUSTOMER)
    pickup = Pickup.objects.get(refund=refund, account="")
    assert (pickup.carrier, pickup.waybill, pickup.state) == ("parcels inc", "X2", "in_transit")
    assert RefundEvent.objects.get(refund=refund, kind="pickup.corrected").data["tracking_number"] == "X2"
    seen_by_carrier(engine, courier, refund, "X1")
    assert offered(refund) == ["ship_back"]


def test_what_a_carrier_has_seen_stays(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    version = fresh(refund).resource_version
    seen_by_carrier(engine, courier, refund, "X1")
    assert (offered(refund), fresh(refund).resource_version > version) == ([], True)
    assert ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER).pk == refund.pk
