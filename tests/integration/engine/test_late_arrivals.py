"""Goods that arrive for a refund that had ended without them: reviewed again (arrow y), or a case for a person."""

from datetime import timedelta
from itertools import count

import pytest

from orders import clock
from orders.errors import Conflict
from orders.models import Order, OrderLine, PaymentShare
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Incident, LedgerEntry, Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.services.acts import (
    Approval,
    Inspected,
    Parcel,
    approve,
    cancel_refund,
    close,
    inspect,
    receive,
    reject,
    ship_back,
)
from refunds.services.docket import Docket
from refunds.services.parcel_inbox import store_parcel_events
from refunds.states import Goods
from tests.factories import SHOP, request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    FINANCE,
    WAREHOUSE,
    Courier,
    bought,
    fact,
    fresh,
    live,
    pass_time,
    state,
    target,
    work,
)
from workers.ports import CourierEvent, ParcelsFound, ParcelStatus, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
DAYS = timedelta(days=1)
_events = count(1)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def approved(engine: Engine, courier: Courier, order: Order, **asked: object) -> Refund:
    ship(order)
    [refund] = request(order, **asked).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def cancelled(engine: Engine, courier: Courier, order: Order) -> Refund:
    """By a wish that the courier has confirmed."""
    refund = approved(engine, courier, order)
    cancel_refund(target(refund), actor=SHOP)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).next_reconcile_at) == ("cancelled", None)
    return refund


def say(engine: Engine, courier: Courier, refund: Refund, *statuses: ParcelStatus) -> None:
    """The courier's webhooks about his pickup."""
    pickup = Pickup.objects.get(refund=refund)
    for status in statuses:
        event = CourierEvent(f"e{next(_events)}", "parcel.updated", fact(pickup.number, pickup.waybill, status))
        store_parcel_events(pickup.account, [event])
        work(engine, courier, refund)


def cases(refund: Refund) -> list[str]:
    return list(Incident.objects.filter(refund=refund).order_by("id").values_list("kind", flat=True))


def told(refund: Refund) -> list[str]:
    return list(fresh(refund).notifications.filter(channel="email").order_by("id").values_list("template", flat=True))


def condition(refund: Refund, kind: str) -> str:
    return next(c["status"] for c in fresh(refund).conditions if c["type"] == kind)


def figures(order: Order) -> tuple[int, int]:
    """Units held, and money reserved."""
    return OrderLine.objects.get(order=order).held, PaymentShare.objects.get(order=order).reserved_minor


@pytest.mark.parametrize("by", ["the warehouse", "the courier"])
def test_goods_that_come_after_a_cancel_are_reviewed_inspected_and_paid(
    engine: Engine, courier: Courier, by: str
) -> None:
    order = bought(1000, quantity=2)
    refund = cancelled(engine, courier, order)
    before = told(refund)
    pass_time(20 * DAYS)
    if by == "the warehouse":
        assert receive(target(refund), actor=WAREHOUSE).state == "in_review"
        work(engine, courier, refund)
    else:
        say(engine, courier, refund, ParcelStatus.COLLECTED, ParcelStatus.RECEIVED)
    again = fresh(refund)
    assert (again.state, condition(refund, "GoodsReceived"), figures(order)) == ("in_review", "True", (2, 2000))
    assert again.deadline is not None and again.deadline > again.updated_at + DAYS
    assert (again.approved_at, again.finished_at, told(refund), cases(refund)) == (None, None, before, [])
    assert not RefundEvent.objects.filter(refund=refund, kind="refund.cancel_dropped").exists()
    approve(target(refund), Approval(), actor=AGENT)
    booked = courier.booked
    work(engine, courier, refund)
    assert (state(refund), courier.booked) == ("inspecting", booked)
    inspect(target(refund), [Inspected(Sku("A"), accepted=2)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), PaymentShare.objects.get(order=order).refunded_minor) == ("refunded", 2000)


def test_goods_that_come_after_their_time_are_reviewed(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    refund = approved(engine, courier, order, goods=Goods.ALREADY_SENT)
    docket = Docket([order.pk], now=clock.now())
    docket.open_cases([refund.pk])
    docket.follow(docket.refunds[refund.pk], "expire")
    docket.write()
    assert receive(target(refund), actor=WAREHOUSE).state == "in_review"
    assert (figures(order), cases(refund)) == ((1, 1000), [])


def test_a_collection_that_was_called_off_is_written_on_its_pickup_and_followed(
    engine: Engine, courier: Courier
) -> None:
    refund = cancelled(engine, courier, bought(1000))
    say(engine, courier, refund, ParcelStatus.COLLECTED)
    assert (state(refund), Pickup.objects.get(refund=refund).state) == ("cancelled", "collected")
    # No word comes of it: the courier is asked, until he says where it is.
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.RECEIVED),))
    live(engine, courier, refund, until=["in_review"], limit=2 * DAYS)
    assert not RefundEvent.objects.filter(refund=refund, kind="refund.cancel_dropped").exists()


def test_a_parcel_that_never_arrives_is_not_followed_for_ever(engine: Engine, courier: Courier) -> None:
    refund = cancelled(engine, courier, bought(1000))
    say(engine, courier, refund, ParcelStatus.COLLECTED)
    for _ in range(40):
        at = fresh(refund).next_reconcile_at
        if at is None:
            break
        pass_time(DAYS)
        work(engine, courier, refund)
    assert (state(refund), fresh(refund).next_reconcile_at, "track" in courier.asked) == ("cancelled", None, True)


def test_goods_whose_units_are_in_another_refund_are_a_case_once(engine: Engine, courier: Courier) -> None:
    order = bought(1000, quantity=2)
    refund = cancelled(engine, courier, order)
    [other] = request(order, ("A", 1)).refunds
    say(engine, courier, refund, ParcelStatus.RECEIVED, ParcelStatus.RECEIVED)
    assert (state(refund), condition(refund, "GoodsReceived"), cases(refund)) == (
        "cancelled",
        "True",
        ["goods_arrived"],
    )
    assert (figures(order), state(other)) == ((1, 1000), "requested")
    Incident.objects.update(closed_at=fresh(refund).updated_at)
    work(engine, courier, refund)
    with pytest.raises(Conflict) as refused:
        receive(target(refund), actor=WAREHOUSE)
    assert (refused.value.code, cases(refund), told(refund)[-1]) == ("goods_received", ["goods_arrived"], "cancelled")


def test_goods_whose_money_is_taken_are_a_case(engine: Engine, courier: Courier) -> None:
    order = bought(1000, 1000)
    refund = approved(engine, courier, order)
    cancel_refund(target(refund), actor=SHOP)
    work(engine, courier, refund)
    share, now = PaymentShare.objects.get(order=order), fresh(refund).updated_at
    PaymentShare.objects.filter(pk=share.pk).update(captured_minor=1500)
    LedgerEntry.objects.create(share=share, kind="correction", amount_minor=500, occurred_at=now, recorded_at=now)
    assert receive(target(refund), actor=WAREHOUSE).state == "cancelled"
    assert cases(refund) == ["goods_arrived"]


def test_what_the_shop_has_lowered_meanwhile_is_given_at_its_price(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    refund = cancelled(engine, courier, order)
    OrderLine.objects.filter(order=order).update(unit_price_minor=800, list_minor=800)
    receive(target(refund), actor=WAREHOUSE)
    assert (fresh(refund).amount_minor, figures(order)) == (800, (1, 800))
    assert list(GatewayRefund.objects.filter(refund=refund).order_by("id").values_list("state", "amount_minor")) == [
        ("cancelled", 1000),
        ("intended", 800),
    ]


def test_goods_of_a_refund_that_finance_has_closed_are_a_case(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier, bought(1000))
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))
    Pickup.objects.update(retry_at=None)
    work(engine, courier, refund)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.LOST),))
    Pickup.objects.update(retry_at=None)
    work(engine, courier, refund, reply=lambda movement: Refused("declined"))
    close(target(refund), note="paid in cash", actor=FINANCE)
    say(engine, courier, refund, ParcelStatus.RECEIVED)
    assert (state(refund), cases(refund)[-1]) == ("cancelled", "goods_arrived")


def test_goods_of_a_rejected_refund_are_a_case(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier, bought(1000), goods=Goods.ALREADY_SENT)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    work(engine, courier, refund)
    reject(target(refund), reason="It never came.", actor=AGENT)
    say(engine, courier, refund, ParcelStatus.RECEIVED)
    assert (state(refund), cases(refund)) == ("rejected", ["goods_arrived"])
