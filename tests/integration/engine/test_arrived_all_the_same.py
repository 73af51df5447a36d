"""Goods that arrive after their money has gone out: somebody is told, once, whichever way the carrier's word comes."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from orders import clock
from orders.models import Shipment
from refunds.models import Incident, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve
from refunds.services.parcel_inbox import store_parcel_events
from refunds.states import Goods
from tests.factories import request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import incidents
from tests.integration.engine.places import report, send
from tests.integration.engine.returns import (
    AGENT,
    Courier,
    bought,
    fact,
    fresh,
    pass_time,
    state,
    target,
    work,
)
from workers.ports import CourierEvent, ParcelFact, ParcelsFound, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
TOLD = ["refund.delivered_after_refund"]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def trail(refund: Refund) -> list[str]:
    return list(refund.events.filter(kind="refund.delivered_after_refund").values_list("kind", flat=True))


def is_shown(refund: Refund) -> bool:
    return "DeliveredAfterRefund" in {c["type"] for c in fresh(refund).conditions}


def paid(engine: Engine, courier: Courier, *, goods: Goods, told: str) -> tuple[Refund, Shipment]:
    """Sent, asked for, approved, paid; `told`: what the carrier says of the parcel before that."""
    order = bought(1000)
    parcel = send(order, f"way-{order.pk}", ("A", 1))
    [refund] = request(order, goods=goods).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    if told:
        report(parcel, told)
    work(engine, courier, refund)
    return refund, parcel


def by_rest(refund: Refund, parcel: Shipment) -> None:
    report(parcel, "delivered")


def by_webhook(refund: Refund, parcel: Shipment) -> None:
    said = CourierEvent(
        event_id=f"event-{parcel.pk}",
        kind="parcel.updated",
        fact=fact("", parcel.tracking_number, ParcelStatus.DELIVERED),
    )
    store_parcel_events("sandbox-courier", [said])


@pytest.mark.parametrize(("goods", "told"), [(Goods.RETURN, "lost"), (Goods.NOT_RECEIVED, "")])
@pytest.mark.parametrize("tell", [by_rest, by_webhook])
def test_it_is_a_case_once(
    engine: Engine, courier: Courier, goods: Goods, told: str, tell: Callable[[Refund, Shipment], None]
) -> None:
    refund, parcel = paid(engine, courier, goods=goods, told=told)
    assert (state(refund), fresh(refund).next_reconcile_at, incidents(refund)) == ("refunded", None, [])
    tell(refund, parcel)
    assert fresh(refund).next_reconcile_at is not None
    work(engine, courier, refund)
    assert (state(refund), incidents(refund), trail(refund)) == ("refunded", ["delivered_after_refund"], TOLD)
    assert is_shown(refund) and fresh(refund).next_reconcile_at is None
    # A person has closed the case: the same fact does not open it again.
    Incident.objects.filter(refund=refund).update(closed_at=clock.now())
    work(engine, courier, refund)
    assert (incidents(refund), trail(refund)) == ([], TOLD)


def test_it_is_a_case_when_the_carrier_is_asked_for_another_refund(engine: Engine, courier: Courier) -> None:
    """Nobody asks about a parcel whose refunds have all ended."""
    order = bought(1000, quantity=2)
    send(order, f"way-{order.pk}", ("A", 2))
    [refund] = request(order, ("A", 1), goods=Goods.NOT_RECEIVED).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    [other] = request(order, ("A", 1)).refunds
    work(engine, courier, other)
    approve(target(other), Approval(), actor=AGENT)
    work(engine, courier, other)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.DELIVERED),))
    pass_time(timedelta(hours=7))
    work(engine, courier, other)
    work(engine, courier, refund)
    assert (state(refund), incidents(refund), trail(refund)) == ("refunded", ["delivered_after_refund"], TOLD)


def test_a_late_word_of_an_earlier_day_is_one_too(engine: Engine, courier: Courier) -> None:
    refund, parcel = paid(engine, courier, goods=Goods.NOT_RECEIVED, told="")
    early = ParcelFact("", parcel.tracking_number, ParcelStatus.DELIVERED, clock.now() - timedelta(hours=3))
    store_parcel_events("sandbox-courier", [CourierEvent(f"late-{parcel.pk}", "parcel.updated", early)])
    work(engine, courier, refund)
    assert incidents(refund) == ["delivered_after_refund"]


@pytest.mark.parametrize(
    ("goods", "told"),
    [(Goods.NOT_RECEIVED, "delivered"), (Goods.KEEP, ""), (Goods.KEEP, "delivered")],
    ids=["known when it was approved", "he keeps them", "he keeps what he has"],
)
def test_it_is_none_where_it_was_known_or_meant(engine: Engine, courier: Courier, goods: Goods, told: str) -> None:
    refund, parcel = paid(engine, courier, goods=goods, told=told)
    if not told:
        report(parcel, "delivered")
    work(engine, courier, refund)
    assert (state(refund), incidents(refund), trail(refund), is_shown(refund)) == ("refunded", [], [], False)
