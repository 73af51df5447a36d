"""What couriers and carriers say of parcels: too late, ahead of time, or of a waybill nobody knew yet."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from django.db import transaction

from orders import clock
from orders.models import Shipment
from refunds.models import InboundWebhook, Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.selectors.due import refunds_with_unapplied_webhooks
from refunds.services.acts import Approval, Parcel, approve, ship_back
from refunds.services.parcel_calls import ParcelOut, ParcelTold
from refunds.services.parcel_facts import ONLY_OUTWARD
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

#: Ids that sort the other way round than what was said.
_events = count(10**6, -1)


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
    assert Notification.objects.filter(refund=refund).latest("id").template == "not_stopped"
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


def awaited_in_one_parcel(engine: Engine, courier: Courier, *, orders: int) -> list[Refund]:
    """Two refunds of goods sent back already, of one order or of two."""
    bought_ = [bought(1000, quantity=2) for _ in range(orders)]
    for order in bought_:
        ship(order)
    asked = [request(bought_[n % orders], ("A", 1), goods=Goods.ALREADY_SENT).refunds[0] for n in range(2)]
    work(engine, courier, *asked)
    for refund in asked:
        approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, *asked)
    return asked


#: The carrier says that the parcel has arrived when so many of the two refunds have been announced to be in it.
@pytest.mark.parametrize("announced_before", [0, 1, 2])
@pytest.mark.parametrize("looks_between", [True, False])
@pytest.mark.parametrize("orders", [1, 2])
def test_a_parcel_with_the_goods_of_two_refunds_arrives_for_both(
    engine: Engine, courier: Courier, orders: int, looks_between: bool, announced_before: int
) -> None:
    both = awaited_in_one_parcel(engine, courier, orders=orders)
    for refund in both[:announced_before]:
        ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    say("X1", ParcelStatus.IN_TRANSIT, ParcelStatus.RECEIVED)
    for refund in both[announced_before:]:
        ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
        if looks_between:
            work(engine, courier, refund)
    for refund in both:
        work(engine, courier, refund)
    assert ([state(refund) for refund in both], kept()) == (["inspecting", "inspecting"], 0)
    assert [pickup.state for pickup in Pickup.objects.filter(collected_at__isnull=False)] == ["received", "received"]


def test_a_word_sent_twice_about_a_shared_parcel_counts_once(engine: Engine, courier: Courier) -> None:
    both = awaited_in_one_parcel(engine, courier, orders=2)
    for refund in both:
        ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    word = CourierEvent("same", "parcel.updated", fact("", "X1", ParcelStatus.RECEIVED))
    for _ in range(2):
        with transaction.atomic():
            store_parcel_events("courier", [word])
    assert InboundWebhook.objects.count() == 2


#: What the carrier says in turn of a number that came with the goods and goes back with them.
TWICE_USED = [
    # the words                                  of the parcel out   and home
    ((ParcelStatus.IN_TRANSIT,), "shipped", "in_transit"),
    ((ParcelStatus.DELIVERED, ParcelStatus.IN_TRANSIT), "delivered", "in_transit"),
    ((ParcelStatus.DELIVERED, ParcelStatus.RECEIVED), "delivered", "received"),
    ((ParcelStatus.DELIVERED, ParcelStatus.COLLECTED, ParcelStatus.LOST), "delivered", "lost"),
    ((ParcelStatus.REFUSED, ParcelStatus.RETURNING), "returning", "in_transit"),
    ((ParcelStatus.RETURNED,), "returned", "in_transit"),
    ((ParcelStatus.LOST,), "lost", "in_transit"),
]


@pytest.mark.parametrize(("words", "out", "home"), TWICE_USED)
def test_a_number_of_both_ways_is_heard_on_the_right_one(
    engine: Engine, courier: Courier, words: tuple[ParcelStatus, ...], out: str, home: str
) -> None:
    order = bought(1000)
    number = ship(order, "shipped").tracking_number
    [refund] = request(order, goods=Goods.ALREADY_SENT).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    Shipment.objects.update(fact_at=clock.now() - timedelta(days=1), call="idle", attempt=1)
    ship_back(target(refund), Parcel("c", number), actor=CUSTOMER)
    say(number, *words)
    work(engine, courier, refund)
    assert (Shipment.objects.get().state, Pickup.objects.get().state) == (out, home)
    assert (Pickup.objects.get().collected_at is None) == (words[-1] in ONLY_OUTWARD or words == (ParcelStatus.LOST,))
