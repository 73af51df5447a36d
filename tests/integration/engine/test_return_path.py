"""What has been shipped goes to customer service, and what has been received is fetched: pass by pass."""

from datetime import UTC, datetime, timedelta

import pytest

from orders.models import Channel, OrderLine, PaymentShare, Shipment
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, Inspected, Target, approve, inspect, receive
from refunds.services.reconcile import ParcelOut, ParcelTold
from refunds.states import RefundState
from tests.factories import make_order, request, ship
from tests.integration.engine.conftest import Engine
from workers.ports import Booked, ParcelFact, ParcelsFound, ParcelStatus, Slot, Unknown

pytestmark = pytest.mark.django_db(transaction=True)
AGENT = Actor("principal:2", Role.SUPPORT)
WAREHOUSE = Actor("principal:3", Role.WAREHOUSE)


def target(refund: Refund) -> Target:
    return Target(refund.number, [Channel.objects.get(is_default=True).pk])


def booked(out: ParcelOut, waybill: str = "W1") -> Booked:
    start = datetime.now(UTC) + timedelta(days=1)
    return Booked(fact(out.subject, waybill, ParcelStatus.BOOKED, Slot(start, start + timedelta(hours=4))))


def fact(number: str, waybill: str, status: ParcelStatus, slot: Slot | None = None) -> ParcelFact:
    return ParcelFact(number, waybill, status, datetime.now(UTC), slot)


def only_call(engine: Engine, refund: Refund, act: ParcelAct) -> ParcelOut:
    """The one call the engine makes next about the refund."""
    for _ in range(3):
        calls = engine.begin(refund).calls
        if calls:
            [out] = calls
            assert isinstance(out, ParcelOut) and out.act is act
            return out
    raise AssertionError(f"no {act}")


def state(refund: Refund) -> str:
    return Refund.objects.get(pk=refund.pk).state


def test_delivered_goods_are_reviewed_fetched_inspected_and_paid(engine: Engine) -> None:
    order = make_order(1000, quantity=3)
    ship(order)
    [refund] = request(order).refunds
    engine.begin(refund)
    assert (state(refund), refund.route) == (RefundState.IN_REVIEW, "pickup")
    approve(target(refund), Approval(), actor=AGENT)
    out = only_call(engine, refund, ParcelAct.BOOK)
    assert out.pickup is not None and out.pickup.number == f"{refund.number}-P1"
    engine.record([ParcelTold(out, booked(out))])
    assert Pickup.objects.get(refund=refund).state == "booked"
    receive(target(refund), actor=WAREHOUSE)
    engine.begin(refund)
    assert state(refund) == RefundState.INSPECTING
    inspect(target(refund), [Inspected(Sku("A"), accepted=2, damaged=1)], actor=WAREHOUSE)
    engine.run(refund)
    refund = Refund.objects.get(pk=refund.pk)
    assert (refund.state, refund.amount_minor) == (RefundState.REFUNDED, 2000)
    share = PaymentShare.objects.get(order=order)
    assert (share.refunded_minor, share.reserved_minor) == (2000, 0)
    line = OrderLine.objects.get(order=order)
    assert (line.refunded, line.held, line.refunded_minor) == (2, 0, 2000)
    told = list(
        Notification.objects.filter(refund=refund, channel="email").order_by("id").values_list("template", flat=True)
    )
    assert told == ["received", "pickup_booked", "parcel_checked", "refunded"]


def test_goods_on_their_way_are_intercepted_and_paid_when_they_are_back(engine: Engine) -> None:
    order = make_order(1000)
    shipment = ship(order, "shipped")
    [refund] = request(order).refunds
    engine.begin(refund)
    approve(target(refund), Approval(), actor=AGENT)
    out = only_call(engine, refund, ParcelAct.INTERCEPT)
    assert out.intercept is not None and out.intercept.tracking_number == shipment.tracking_number
    Shipment.objects.filter(pk=shipment.pk).update(state="returned", call="idle")
    engine.run(refund)
    assert state(refund) == RefundState.REFUNDED


def test_a_booking_nobody_answered_is_found_by_asking(engine: Engine) -> None:
    order = make_order(1000)
    ship(order)
    [refund] = request(order).refunds
    engine.begin(refund)
    approve(target(refund), Approval(), actor=AGENT)
    out = only_call(engine, refund, ParcelAct.BOOK)
    engine.record([ParcelTold(out, Unknown("time-out"))])
    out = only_call(engine, refund, ParcelAct.FIND)
    engine.record([ParcelTold(out, ParcelsFound((booked(out).fact,)))])
    pickup = Pickup.objects.get(refund=refund)
    assert (pickup.state, pickup.waybill, pickup.call) == ("booked", "W1", "idle")
