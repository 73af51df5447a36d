"""The carrier never reports, and the customer says that he has it (row 27): never stuck on its way out."""

from datetime import timedelta

import pytest

from orders.models import Order, Shipment
from orders.selectors.orders import order_page
from orders.services.lines import Sku
from refunds.models import Refund
from refunds.services.acts import Approval, Inspected, approve, confirm_arrival, inspect, receive
from refunds.services.requests import preview_refund
from refunds.states import RefundState
from tests.factories import request, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import incidents, messages
from tests.integration.engine.places import report, send
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
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


def silent(engine: Engine, courier: Courier, *, quantity: int = 1) -> tuple[Refund, Shipment]:
    order = bought(1000, quantity=quantity)
    parcel = send(order, f"way-{order.pk}", ("A", quantity))
    [refund] = request(order, ("A", 1)).refunds
    work(engine, courier, refund)
    assert fresh(refund).route == "intercept"
    return refund, parcel


def said(refund: Refund) -> list[str]:
    return list(refund.events.filter(kind__startswith="shipment.").order_by("seq").values_list("kind", flat=True))


def test_it_is_fetched_inspected_and_paid(engine: Engine, courier: Courier) -> None:
    refund, _ = silent(engine, courier)
    confirm_arrival(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert (fresh(refund).route, said(refund)) == ("pickup", ["shipment.arrival_confirmed"])
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert courier.asked == ["book"]
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    inspect(target(refund), [Inspected(Sku("A"), accepted=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED
    assert messages(refund) == ["received", "pickup_booked", "refunded"]
    assert incidents(refund) == []


def test_a_carrier_who_was_to_stop_it_is_followed_no_more_and_a_courier_comes(engine: Engine, courier: Courier) -> None:
    refund, _ = silent(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert courier.asked[0] == "intercept"
    confirm_arrival(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route, courier.booked) == ("awaiting_return", "pickup", 1)


def test_the_order_and_a_further_request_count_it_as_delivered(engine: Engine, courier: Courier) -> None:
    refund, parcel = silent(engine, courier, quantity=2)
    confirm_arrival(target(refund), actor=CUSTOMER)
    order = Order.objects.get(pk=refund.order_id)
    page = order_page(channel_id=order.channel_id, number=order.number)
    assert page.is_assumed_delivered(Shipment.objects.get(pk=parcel.pk))
    assert [part.route.value for part in preview_refund(wish(order)).parts] == ["pickup"]


def test_another_refund_of_the_parcel_goes_the_same_way(engine: Engine, courier: Courier) -> None:
    refund, _ = silent(engine, courier, quantity=2)
    [other] = request(refund.order, ("A", 1)).refunds
    work(engine, courier, other)
    confirm_arrival(target(refund), actor=CUSTOMER)
    work(engine, courier, refund, other)
    assert (fresh(refund).route, fresh(other).route) == ("pickup", "pickup")


@pytest.mark.parametrize("word", ["returning", "refused", "lost"])
def test_a_carriers_later_word_is_the_truth(engine: Engine, courier: Courier, word: str) -> None:
    refund, parcel = silent(engine, courier)
    confirm_arrival(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    pass_time(timedelta(hours=1))
    report(parcel, word)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route) == ("in_review", "intercept")
    assert Shipment.objects.get(pk=parcel.pk).delivery_known_at is None


def test_a_carrier_who_confirms_it_much_later_tells_nothing_new(engine: Engine, courier: Courier) -> None:
    refund, parcel = silent(engine, courier)
    confirm_arrival(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    heard = Shipment.objects.get(pk=parcel.pk).delivery_known_at
    pass_time(timedelta(hours=1))
    report(parcel, "delivered")
    work(engine, courier, refund)
    after = Shipment.objects.get(pk=parcel.pk)
    assert (after.state, after.delivery_known_at) == ("delivered", heard)
    assert (fresh(refund).route, incidents(refund)) == ("pickup", [])
