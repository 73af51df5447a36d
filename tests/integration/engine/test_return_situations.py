"""What people meet with goods that come back, each from what they bring to where it ends: situations 29, 31, 33, 34 and
37, every book right."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Forbidden
from orders.models import Order, PaymentShare
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import EvidencePhoto, GatewayRefund, Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.selectors.desk import case_file
from refunds.services.acts import (
    Approval,
    Inspected,
    Parcel,
    approve,
    contest,
    give_evidence,
    inspect,
    receive,
    reject,
    ship_back,
)
from refunds.services.parcel_inbox import store_parcel_events
from refunds.services.reconcile import ParcelOut
from refunds.states import Goods, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    WAREHOUSE,
    Courier,
    bought,
    fact,
    fresh,
    pass_time,
    state,
    target,
    work,
)
from tests.pictures import photo
from workers.ports import CourierEvent, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
COLLEAGUE = Actor("principal:8", Role.SUPPORT)
A = Sku("A")


@pytest.fixture
def courier() -> Courier:
    return Courier()


def delivered(*prices: int, **fields: int) -> Order:
    order = bought(*prices, **fields)
    ship(order, "delivered")
    return order


def approved(engine: Engine, courier: Courier, order: Order, **asked: object) -> Refund:
    [refund] = request(order, **asked).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def found(engine: Engine, courier: Courier, refund: Refund, **units: int) -> None:
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(A, **units)], actor=WAREHOUSE)
    work(engine, courier, refund)


def disposed(*refunds: Refund) -> list[tuple[str, int]]:
    events = RefundEvent.objects.filter(refund__in=refunds, kind="goods.disposed").order_by("id")
    return [(e.data["disposition"], line["quantity"]) for e in events for line in e.data["lines"]]


def paid(order: Order) -> tuple[int, int]:
    share = PaymentShare.objects.get(order=order)
    return share.reserved_minor, share.refunded_minor


def test_29_who_has_posted_it_already_says_with_what_and_is_paid_once_it_is_here(
    engine: Engine, courier: Courier
) -> None:
    refund = approved(engine, courier, delivered(1000), goods=Goods.ALREADY_SENT)
    assert state(refund) == RefundState.AWAITING_RETURN
    ship_back(target(refund), Parcel("post", "HOME-1"), actor=CUSTOMER)
    work(engine, courier, refund)
    home = ParcelStatus.RECEIVED
    store_parcel_events("", [CourierEvent("here", "parcel.updated", fact("", "HOME-1", home))])
    work(engine, courier, refund)
    if state(refund) == RefundState.AWAITING_RETURN:
        receive(target(refund), actor=WAREHOUSE)
        work(engine, courier, refund)
    assert state(refund) == RefundState.INSPECTING
    inspect(target(refund), [Inspected(A, accepted=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), paid(refund.order), courier.booked) == (RefundState.REFUNDED, (0, 1000), 0)
    assert messages(refund) == ["received", "approved", "refunded"]


def test_31_one_return_in_two_boxes_is_looked_at_box_by_box_and_paid_once(engine: Engine, courier: Courier) -> None:
    wanted: list[int] = []

    def books(out: ParcelOut) -> object:
        assert out.pickup
        wanted.append(out.pickup.parcels)
        return courier._book(out)

    courier.answers[ParcelAct.BOOK] = books  # type: ignore[assignment]
    refund = approved(engine, courier, delivered(1000, quantity=5), boxes=2)
    assert wanted == [2]
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(A, accepted=3)], more=True, actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), paid(refund.order)) == (RefundState.INSPECTING, (5000, 0))
    inspect(target(refund), [Inspected(A, accepted=2)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), paid(refund.order)) == (RefundState.REFUNDED, (0, 5000))
    assert GatewayRefund.objects.get().amount_minor == 5000
    assert messages(refund) == ["received", "pickup_booked", "refunded"]


@pytest.mark.parametrize("collected", [True, False])
def test_33_lost_after_it_was_collected_is_paid_in_full_and_before_that_fetched_anew(
    engine: Engine, courier: Courier, collected: bool
) -> None:
    order = delivered(1000, quantity=2, shipping_minor=300, captured=(2300,))
    refund = approved(engine, courier, order)
    pickup = Pickup.objects.get(refund=refund)
    words = [ParcelStatus.COLLECTED] * collected + [ParcelStatus.LOST]
    for word in words:
        pass_time(timedelta(hours=1))
        event = CourierEvent(f"{word}-{pickup.pk}", "parcel.updated", fact(pickup.number, pickup.waybill, word))
        store_parcel_events(pickup.account, [event])
        work(engine, courier, refund)
    claims = refund.events.filter(kind="carrier.claim_due").count()
    then = (state(refund), paid(order), claims, courier.booked)
    assert then == (("refunded", (0, 2300), 1, 1) if collected else ("awaiting_return", (2300, 0), 0, 2))


def test_34_a_wrong_item_and_an_empty_box_and_the_customer_disagrees(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier, delivered(1000, quantity=3))
    found(engine, courier, refund, accepted=1, wrong_item=1, missing=1)
    assert (state(refund), paid(refund.order)) == (RefundState.REFUNDED, (0, 1000))
    until = fresh(refund).contest_until
    assert until and timedelta(days=7) <= until - clock.now() <= timedelta(days=8)

    contest(target(refund), note="All three were in it.", actor=CUSTOMER)
    [rest] = Refund.objects.filter(contest_of=refund)
    work(engine, courier, refund, rest)
    give_evidence(target(rest), [photo()], actor=CUSTOMER)
    assert (state(rest), paid(refund.order)) == (RefundState.IN_REVIEW, (2000, 1000))
    assert EvidencePhoto.objects.filter(refund=rest).count() == 1
    pass_time(timedelta(days=20))
    work(engine, courier, refund, rest)
    assert disposed(refund, rest) == [("restock", 1)], "what is contested stays here"

    judge = Actor(fresh(rest).rejected_by, Role.SUPERVISOR)
    with pytest.raises(Forbidden) as refused:
        approve(target(rest), Approval(), actor=judge)
    assert refused.value.code == "decided_before"
    reject(target(rest), reason="The seal was whole.", actor=COLLEAGUE)
    work(engine, courier, refund, rest)
    assert (state(rest), paid(refund.order)) == (RefundState.REJECTED, (0, 1000))
    assert disposed(refund, rest) == [("restock", 1), ("send_back", 1)], "what is missing is not sent back"


def test_37_the_old_case_is_beside_the_new_one(engine: Engine, courier: Courier) -> None:
    order = delivered(1000, quantity=2)
    [before] = request(order, ("A", 1), actor=CUSTOMER).refunds
    work(engine, courier, before)
    reject(target(before), reason="Worn.", actor=AGENT)
    [again] = request(order, ("A", 1), actor=CUSTOMER).refunds
    work(engine, courier, before, again)
    file = case_file(again.number, channels=[order.channel_id], has_left=str)
    assert [(one.number, one.state) for one in file.siblings] == [(before.number, "rejected")]
