"""A parcel that is not what was announced: whatever the policy says, nothing is paid for it by itself."""

from datetime import timedelta

import pytest

from orders.services.lines import Sku
from refunds.models import Incident, Refund
from refunds.services.acts import Approval, Inspected, approve, close_incident, doubt_parcel, inspect, receive
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages
from tests.integration.engine.returns import (
    AGENT,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    pass_time,
    state,
    target,
    work,
)

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
    receive(target(refund), actor=WAREHOUSE)
    doubt_parcel(target(refund), what="weight_differs", note="Bricks.", actor=WAREHOUSE)
    work(engine, courier, refund)
    return fresh(refund)


def says(refund: Refund) -> list[str]:
    return [c["reason"] for c in fresh(refund).conditions if c["type"] == "ParcelAsAnnounced"]


def test_the_customer_is_told_once(engine: Engine, courier: Courier, refund: Refund) -> None:
    work(engine, courier, refund)
    assert messages(refund) == ["received", "pickup_booked", "parcel_doubted"]


def test_overdue_it_is_not_paid_until_somebody_says_so(engine: Engine, courier: Courier, refund: Refund) -> None:
    assert says(refund) == ["WeightDiffers"]
    pass_time(timedelta(days=30))
    work(engine, courier, refund)
    assert state(refund) == "inspecting"
    incident = Incident.objects.get(kind="weight_differs")
    close_incident(incident.pk, channels=[refund.order.channel_id], note="The scales were wrong.", actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), says(refund)) == ("inspecting", [])
    pass_time(timedelta(days=30))
    work(engine, courier, refund)
    assert state(refund) == "refunded"


def test_what_somebody_finds_in_it_decides_and_ends_the_case(engine: Engine, courier: Courier, refund: Refund) -> None:
    inspect(target(refund), [Inspected(Sku("A"), accepted=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), Incident.objects.filter(closed_at=None).count()) == ("refunded", 0)
