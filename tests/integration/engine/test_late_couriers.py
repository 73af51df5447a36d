"""While a courier is at fault the customer's clock stands still: he loses nothing of his time, and nothing expires."""

from datetime import datetime, timedelta

import pytest

from orders import clock
from refunds.models import Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, booked, bought, fresh, pass_time, state, target, work
from workers.ports import ParcelFact, ParcelsFound, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
#: What was left of the customer's fourteen days when the courier failed.
LEFT = timedelta(hours=1)


@pytest.mark.parametrize("failure", [ParcelStatus.MISSED, ParcelStatus.CANCELLED])
def test_what_was_left_when_a_visit_failed_is_left_when_the_next_one_begins(failure: ParcelStatus) -> None:
    engine, courier = Engine(), Courier()
    refund = awaiting_a_visit_on_the_last_day(engine, courier)
    failed_at = heard_when_time_is_up(refund)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound(
        (ParcelFact("", out.waybill, failure, failed_at, None),)
    )
    work(engine, courier, refund)
    del courier.answers[ParcelAct.TRACK]
    deadline, visit = fresh(refund).deadline, Pickup.objects.filter(refund=refund).latest("id")
    assert (state(refund), visit.state, courier.booked) == ("awaiting_return", "booked", 1)
    assert deadline is not None and visit.slot_from is not None
    assert LEFT <= deadline - visit.slot_from < LEFT + timedelta(days=1)
    assert (deadline.hour, deadline.minute) == (0, 0)
    pass_time(deadline - clock.now() - timedelta(minutes=1))
    work(engine, courier, refund)
    assert state(refund) == "awaiting_return"


def awaiting_a_visit_on_the_last_day(engine: Engine, courier: Courier) -> Refund:
    order = bought(1000)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    courier.answers[ParcelAct.BOOK] = lambda out: booked(out, in_days=13.8)
    work(engine, courier, refund)
    del courier.answers[ParcelAct.BOOK]
    return refund


def heard_when_time_is_up(refund: Refund) -> datetime:
    """When the visit fails: an hour before the deadline; nobody hears of it before that is over."""
    deadline = fresh(refund).deadline
    assert deadline is not None
    pass_time(deadline - clock.now() - LEFT)
    failed_at = clock.now()
    pass_time(2 * LEFT)
    return failed_at
