"""What couriers and carriers say of parcels: too late, ahead of time, or of a waybill nobody knew yet."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from django.db import transaction

from orders import clock
from orders.models import Shipment
from refunds.models import InboundWebhook, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.selectors.due import refunds_with_unapplied_webhooks
from refunds.services.acts import Approval, Parcel, approve, ship_back
from refunds.services.parcel_calls import ParcelOut, ParcelTold
from refunds.services.parcel_inbox import store_parcel_events
from refunds.states import Goods
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    Courier,
    booked,
    bought,
    fact,
    fresh,
    only_call,
    pass_time,
    state,
    target,
    work,
)
from workers.ports import Booked, CourierEvent, ParcelFact, ParcelsFound, ParcelStatus, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

_events = count(1)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def test_a_carrier_who_will_not_stop_a_parcel_has_it_fetched_once_it_is_delivered(
    engine: Engine, courier: Courier
) -> None:
    courier.answers[ParcelAct.INTERCEPT] = lambda out: Refused("too_late")
    order = bought(1000)
    ship(order, "shipped")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), courier.asked) == ("awaiting_return", ["intercept"])
    assert refund.events.filter(kind="intercept.refused", data__reason="too_late").exists()
    parcel = Shipment.objects.get(order=order)
    assert (parcel.state, parcel.call) == ("shipped", "idle")
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.DELIVERED),))
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    assert (fresh(refund).route, courier.asked) == ("pickup", ["intercept", "track", "book"])
    assert fresh(refund).approved_by == AGENT.reference


def ahead(by: timedelta, *, number: str = "", status: ParcelStatus) -> Callable[[ParcelOut], ParcelFact]:
    """A word of a carrier whose clock is ahead."""
    return lambda out: replace(fact(number and out.subject, out.waybill or "W1", status), occurred_at=clock.now() + by)


def test_a_courier_whose_clock_is_ahead_is_still_heard_later_when_he_is_asked(engine: Engine, courier: Courier) -> None:
    order, year = bought(1000), timedelta(days=365)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    early = ahead(year, number="ours", status=ParcelStatus.BOOKED)
    courier.answers[ParcelAct.BOOK] = lambda out: Booked(early(out))
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    for status in (ParcelStatus.COLLECTED, ParcelStatus.IN_TRANSIT, ParcelStatus.RECEIVED):
        pass_time(timedelta(hours=2))
        word = ahead(year if status is ParcelStatus.COLLECTED else timedelta(0), status=status)
        courier.answers[ParcelAct.TRACK] = lambda out, word=word: ParcelsFound((word(out),))
        work(engine, courier, refund)
    assert (state(refund), Pickup.objects.get(refund=refund).state) == ("inspecting", "received")


def say(waybill: str, *statuses: ParcelStatus, number: str = "", account: str = "courier") -> None:
    """The courier's webhooks, by one hour apart, taken at the door."""
    now, n = clock.now(), len(statuses)
    said = [
        ParcelFact(number, waybill, status, now - timedelta(hours=n - i), None) for i, status in enumerate(statuses)
    ]
    with transaction.atomic():
        store_parcel_events(account, [CourierEvent(f"e{next(_events)}", "parcel.updated", fact) for fact in said])


def kept() -> int:
    """Words that nobody has applied."""
    return InboundWebhook.objects.filter(applied_at=None).count()


def awaiting(engine: Engine, courier: Courier, **wanted: object) -> Refund:
    order = bought(1000)
    ship(order)
    [refund] = request(order, **wanted).refunds
    work(engine, courier, refund)
    return approve(target(refund), Approval(), actor=AGENT)


def test_what_was_said_of_a_waybill_before_it_was_known_counts_once_it_is(engine: Engine, courier: Courier) -> None:
    refund = awaiting(engine, courier)
    out = only_call(engine, refund, ParcelAct.BOOK)
    say("W1", ParcelStatus.COLLECTED, ParcelStatus.RECEIVED)
    say("W2", ParcelStatus.COLLECTED)
    engine.begin(refund)
    assert (kept(), refunds_with_unapplied_webhooks(10)) == (3, [])
    early = replace(booked(out, "W1").fact, occurred_at=clock.now() - timedelta(days=1))
    engine.record([ParcelTold(out, Booked(early))])
    assert (Pickup.objects.get(refund=refund).state, state(refund)) == ("received", "inspecting")
    assert (kept(), refunds_with_unapplied_webhooks(10)) == (1, [])


def test_a_word_that_makes_the_waybill_known_brings_the_earlier_ones(engine: Engine, courier: Courier) -> None:
    refund = awaiting(engine, courier)
    out = only_call(engine, refund, ParcelAct.BOOK)
    say("W1", ParcelStatus.BOOKED, ParcelStatus.COLLECTED)
    early = ParcelFact(out.subject, "W1", ParcelStatus.BOOKED, clock.now() - timedelta(days=1), None)
    with transaction.atomic():
        store_parcel_events("courier", [CourierEvent("ours", "parcel.updated", early)])
    engine.begin(refund)
    assert (Pickup.objects.get(refund=refund).state, kept()) == ("collected", 0)


def test_what_was_said_of_a_parcel_before_the_customer_named_it_counts(engine: Engine, courier: Courier) -> None:
    refund = awaiting(engine, courier, goods=Goods.ALREADY_SENT)
    say("X1", ParcelStatus.RECEIVED)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    Pickup.objects.update(fact_at=clock.now() - timedelta(days=1))
    work(engine, courier, refund)
    assert (state(refund), kept()) == ("inspecting", 0)


@pytest.mark.parametrize("why_not", ["another courier's", "of a number used before"])
def test_what_is_not_of_this_parcel_is_not_taken_for_it(engine: Engine, courier: Courier, why_not: str) -> None:
    refund = awaiting(engine, courier)
    out = only_call(engine, refund, ParcelAct.BOOK)
    say("W1", ParcelStatus.RECEIVED, account="another" if why_not == "another courier's" else "courier")
    if why_not == "of a number used before":
        InboundWebhook.objects.update(received_at=clock.now() - timedelta(days=31))
    engine.record([ParcelTold(out, booked(out, "W1"))])
    engine.begin(refund)
    assert (Pickup.objects.get(refund=refund).state, kept()) == ("booked", 1)
