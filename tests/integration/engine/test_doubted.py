"""A parcel that is not what was announced: whatever the policy says, nothing is paid for it by itself."""

from datetime import timedelta

import pytest

from orders.errors import Conflict
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


def test_said_again_it_is_refused_and_something_else_is_a_case_of_its_own(refund: Refund) -> None:
    with pytest.raises(Conflict) as refused:
        doubt_parcel(target(refund), what="weight_differs", note="Stones.", actor=AGENT)
    assert refused.value.code == "doubted_already"
    doubt_parcel(target(refund), what="wrong_parcel", note="Another label.", actor=AGENT)
    notes = Incident.objects.filter(refund=refund).order_by("id").values_list("kind", "data__note")
    assert list(notes) == [("weight_differs", "Bricks."), ("wrong_parcel", "Another label.")]
    assert messages(refund).count("parcel_doubted") == 1


def test_who_has_it_in_hand_can_say_so_while_it_is_reviewed(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    with pytest.raises(Conflict) as refused:
        doubt_parcel(target(refund), what="wrong_parcel", note="Not ours.", actor=WAREHOUSE)
    assert refused.value.code == "no_parcel_yet"
    receive(target(refund), actor=WAREHOUSE)
    doubt_parcel(target(refund), what="wrong_parcel", note="Not ours.", actor=WAREHOUSE)
    assert (state(refund), says(refund)) == ("in_review", [])
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == "inspecting"
    pass_time(timedelta(days=30))
    work(engine, courier, refund)
    assert (state(refund), len(says(refund))) == ("inspecting", 1)


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
