"""Missed twice, then lost: the customer is paid, told each time once, and the courier owes the shop."""

from dataclasses import replace
from datetime import timedelta

import pytest

from orders import clock
from refunds.models import Notification, Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve
from refunds.services.parcel_inbox import store_parcel_events
from refunds.states import RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, bought, fact, pass_time, state, target, work
from workers.ports import CourierEvent, ParcelsFound, ParcelStatus

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


def say(engine: Engine, courier: Courier, refund: Refund, status: ParcelStatus) -> None:
    """The courier's webhook about the visit that counts, and another copy of it."""
    pass_time(timedelta(hours=1))
    pickup = Pickup.objects.filter(refund=refund).latest("id")
    word = CourierEvent(f"{status}-{clock.now()}", "parcel.updated", fact(pickup.number, pickup.waybill, status))
    for _ in range(2):
        store_parcel_events(pickup.account, [word])
        work(engine, courier, refund)


def told(refund: Refund) -> list[str]:
    found = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    return list(found.values_list("template", flat=True))


def claims(refund: Refund) -> list[dict]:
    return [e.data for e in RefundEvent.objects.filter(refund=refund, kind="carrier.claim_due")]


def test_missed_twice_then_lost(engine: Engine, courier: Courier, refund: Refund) -> None:
    for status in (ParcelStatus.MISSED, ParcelStatus.MISSED, ParcelStatus.COLLECTED, ParcelStatus.LOST):
        say(engine, courier, refund, status)
    assert (state(refund), courier.booked) == (RefundState.REFUNDED, 3)
    missed = ["pickup_booked", "pickup_missed"]
    assert told(refund) == ["received", *missed, *missed, "pickup_booked", "refunded"]
    [claim] = claims(refund)
    assert (claim["amount_minor"], claim["currency"]) == (1000, "EUR")
    assert claim["waybill"] == Pickup.objects.get(refund=refund).waybill


def test_a_claim_is_told_once_however_often_the_courier_says_it(
    engine: Engine, courier: Courier, refund: Refund
) -> None:
    say(engine, courier, refund, ParcelStatus.COLLECTED)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.LOST),))
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    say(engine, courier, refund, ParcelStatus.LOST)
    assert len(claims(refund)) == 1


def test_what_was_lost_before_anybody_had_it_is_nobody_s_debt(engine: Engine, courier: Courier, refund: Refund) -> None:
    say(engine, courier, refund, ParcelStatus.LOST)
    assert (state(refund), claims(refund), courier.booked) == (RefundState.AWAITING_RETURN, [], 2)
    assert told(refund) == ["received", "pickup_booked", "pickup_booked"]
    for _ in range(2):
        say(engine, courier, refund, ParcelStatus.LOST)
    assert (state(refund), claims(refund), courier.booked) == (RefundState.IN_REVIEW, [], 3)


@pytest.mark.parametrize("ahead", [timedelta(hours=2), timedelta(milliseconds=2)])
def test_lost_that_is_heard_before_collected_is_paid_and_nobody_comes_again(
    engine: Engine, courier: Courier, refund: Refund, ahead: timedelta
) -> None:
    """Webhooks overtake each other: by the carrier's clock he had it, and lost it."""
    first = Pickup.objects.get(refund=refund)
    lost_at = clock.now()
    words = [(ParcelStatus.LOST, lost_at), (ParcelStatus.COLLECTED, lost_at - ahead)]
    for status, at in words:
        word = replace(fact(first.number, first.waybill, status), occurred_at=at)
        store_parcel_events(first.account, [CourierEvent(f"{status}", "parcel.updated", word)])
        work(engine, courier, refund)
    assert (state(refund), len(claims(refund))) == (RefundState.REFUNDED, 1)
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    again = list(Pickup.objects.filter(refund=refund).exclude(pk=first.pk))
    assert [visit.state for visit in again] == ["cancelled"]
    assert told(refund)[-1] == "refunded"


def test_a_list_that_ends_with_lost_says_before_that_he_had_it(
    engine: Engine, courier: Courier, refund: Refund
) -> None:
    now = clock.now()
    history = [(ParcelStatus.COLLECTED, timedelta(hours=1)), (ParcelStatus.LOST, timedelta(hours=2))]
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound(
        tuple(replace(fact("", out.waybill, status), occurred_at=now + later) for status, later in history)
    )
    pass_time(timedelta(hours=3))
    work(engine, courier, refund)
    assert (state(refund), len(claims(refund)), courier.booked) == (RefundState.REFUNDED, 1, 1)
