"""Another time for the courier: the time he comes anyway changes nothing, and a visit is not weeks long."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from orders import clock
from orders.errors import Invalid
from refunds.models import Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve, rebook_pickup
from refunds.services.reconcile import ParcelOut, ParcelTold
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages
from tests.integration.engine.returns import AGENT, CUSTOMER, Courier, bought, target, work
from tests.integration.engine.threads import together

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


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


def _slot(days: int) -> dict[str, datetime]:
    starts_at = clock.now() + timedelta(days=days)
    return {"slot_from": starts_at, "slot_to": starts_at + timedelta(hours=4)}


def _call(engine: Engine, courier: Courier, refund: Refund) -> None:
    """What is due of the courier, once."""
    outs = [out for out in engine.begin(refund).calls if isinstance(out, ParcelOut)]
    engine.record([ParcelTold(out, courier.answer(out)) for out in outs])


def test_the_time_he_comes_anyway_changes_nothing(engine: Engine, courier: Courier, refund: Refund) -> None:
    visit = Pickup.objects.get(refund=refund)
    assert visit.slot_from and visit.slot_to
    before = messages(refund), refund.events.count(), courier.booked
    for _ in range(2):
        rebook_pickup(target(refund), slot_from=visit.slot_from, slot_to=visit.slot_to, actor=CUSTOMER)
        work(engine, courier, refund)
    assert (messages(refund), refund.events.count(), courier.booked) == before
    assert list(Pickup.objects.filter(refund=refund).values_list("state", "unwanted")) == [("booked", False)]


def test_said_again_before_he_has_answered_it_is_one_visit(refund: Refund) -> None:
    slot = {"slot_from": clock.now() + timedelta(days=3), "slot_to": clock.now() + timedelta(days=3, hours=4)}
    for _ in range(2):
        rebook_pickup(target(refund), **slot, actor=CUSTOMER)
    assert refund.events.filter(kind="pickup.rebooked").count() == 1
    assert Pickup.objects.filter(refund=refund, unwanted=False).count() == 1


@pytest.mark.parametrize("is_out", [False, True], ids=["nobody was asked yet", "the courier is being asked"])
def test_two_who_choose_other_times_at_once_get_one_visit(
    engine: Engine, courier: Courier, refund: Refund, is_out: bool
) -> None:
    told, first, second = messages(refund), _slot(3), _slot(5)
    if is_out:
        rebook_pickup(target(refund), **first, actor=CUSTOMER)
        _call(engine, courier, refund)
        [booking] = engine.begin(refund).calls
        assert booking.act == ParcelAct.BOOK
        rebook_pickup(target(refund), **second, actor=AGENT)
        engine.record([ParcelTold(booking, courier.answer(booking))])
    else:
        acts = [partial(rebook_pickup, target(refund), **slot, actor=CUSTOMER) for slot in (first, second)]
        together(*acts)
    work(engine, courier, refund)
    visits = Pickup.objects.filter(refund=refund).order_by("id")
    assert [visit.state for visit in visits] == ["cancelled", "cancelled", "booked"]
    assert not visits[2].unwanted and visits[0].unwanted and visits[1].unwanted
    assert messages(refund) == [*told, "pickup_booked"]
    assert courier.asked.count("book") - courier.asked.count("cancel") == 1


@pytest.mark.parametrize("longer", [timedelta(days=2, seconds=1), timedelta(days=79)])
def test_a_visit_is_no_longer_than_two_days(refund: Refund, longer: timedelta) -> None:
    begins = clock.now() + timedelta(days=1)
    with pytest.raises(Invalid) as refused:
        rebook_pickup(target(refund), slot_from=begins, slot_to=begins + longer, actor=CUSTOMER)
    assert refused.value.errors[0].field == "slot" and Pickup.objects.filter(refund=refund).count() == 1
