"""What has been shipped goes to customer service, and what has been received is fetched: pass by pass."""

import pytest

from orders.models import OrderLine, PaymentShare, Shipment
from orders.services.lines import Sku
from refunds.models import Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, Inspected, approve, inspect, receive
from refunds.services.reconcile import ParcelTold
from refunds.states import RefundState
from tests.factories import make_order, request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, WAREHOUSE, booked, only_call, state, target
from workers.ports import ParcelsFound, Unknown

pytestmark = pytest.mark.django_db(transaction=True)


def test_delivered_goods_are_reviewed_fetched_inspected_and_paid(engine: Engine) -> None:
    order = make_order(1000, quantity=3)
    ship(order)
    [refund] = request(order).refunds
    engine.begin(refund)
    assert (state(refund), refund.route) == (RefundState.IN_REVIEW, "pickup")
    approve(target(refund), Approval(), actor=AGENT)
    out = only_call(engine, refund, ParcelAct.BOOK)
    assert out.pickup is not None and out.pickup.number == f"{refund.number}-P1"
    engine.record([ParcelTold(out, booked(out, in_days=-1))])
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


def test_the_courier_is_asked_to_fetch_all_boxes(engine: Engine) -> None:
    order = make_order(1000)
    ship(order)
    [refund] = request(order, boxes=2).refunds
    engine.begin(refund)
    approve(target(refund), Approval(), actor=AGENT)
    out = only_call(engine, refund, ParcelAct.BOOK)
    assert out.pickup is not None and out.pickup.parcels == 2


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
