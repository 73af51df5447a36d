"""What is found in what came back: at once or box by box, before the money goes or after, and what becomes of it."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Conflict, Invalid
from orders.models import PaymentShare
from orders.services.lines import Sku
from refunds.models import Incident, Notification, Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, Inspected, approve, contest, inspect, receive, reject
from refunds.states import Disposition, PickupState, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    WAREHOUSE,
    Courier,
    bought,
    fact,
    fresh,
    in_force,
    pass_time,
    state,
    target,
    work,
)
from workers.ports import ParcelsFound, ParcelStatus

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
A = Sku("A")


@pytest.fixture
def courier() -> Courier:
    return Courier()


def awaited(engine: Engine, courier: Courier, *, quantity: int = 3) -> Refund:
    order = bought(1000, quantity=quantity)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def here(engine: Engine, courier: Courier, **facts: int) -> Refund:
    refund = awaited(engine, courier, **facts)
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    return refund


def disposed(*refunds: Refund) -> list[tuple[str, int]]:
    events = RefundEvent.objects.filter(refund__in=refunds, kind="goods.disposed").order_by("id")
    return [(e.data["disposition"], line["quantity"]) for e in events for line in e.data["lines"]]


def test_three_announced_two_arrive_one_of_them_damaged(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=1, damaged=1, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).amount_minor) == (RefundState.REFUNDED, 1000)
    assert PaymentShare.objects.get().refunded_minor == 1000
    mails = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    assert [mail.template for mail in mails] == ["received", "pickup_booked", "parcel_checked", "refunded"]


def test_box_by_box(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=1)], more=True, actor=WAREHOUSE)
    work(engine, courier, refund)
    assert state(refund) == RefundState.INSPECTING
    with pytest.raises(Invalid) as refused:
        inspect(target(refund), [Inspected(A, accepted=3)], actor=WAREHOUSE)
    assert refused.value.errors[0].code == "units_do_not_add_up"
    with pytest.raises(Invalid):
        inspect(target(refund), [Inspected(A, accepted=1)], actor=WAREHOUSE)
    inspect(target(refund), [Inspected(A, accepted=1, wrong_item=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).amount_minor) == (RefundState.REFUNDED, 2000)


def test_a_later_box_without_an_accepted_unit_says_nothing_of_those_before(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    box = Inspected(A, accepted=2, disposition=Disposition.REFURBISH)
    inspect(target(refund), [box], more=True, actor=WAREHOUSE)
    inspect(target(refund), [Inspected(A, damaged=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert disposed(refund) == [("refurbish", 2)]


def test_each_box_says_where_its_own_accepted_units_go(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier, quantity=6)
    for accepted, disposition in ((1, Disposition.REFURBISH), (2, Disposition.RESTOCK), (1, Disposition.REFURBISH)):
        box = Inspected(A, accepted=accepted, disposition=disposition)
        inspect(target(refund), [box], more=True, actor=WAREHOUSE)
    assert disposed(refund) == [], "nothing is told before all that was announced is accounted for"
    inspect(target(refund), [Inspected(A, accepted=1, missing=1, disposition=Disposition.WRITE_OFF)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert disposed(refund) == [("restock", 2), ("refurbish", 2), ("write_off", 1)]


def test_the_accepted_go_where_the_warehouse_says_and_once(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=3, disposition=Disposition.REFURBISH)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert disposed(refund) == [("refurbish", 3)]
    with pytest.raises(Conflict):
        inspect(target(refund), [Inspected(A, accepted=3)], actor=WAREHOUSE)
    assert disposed(refund) == [("refurbish", 3)]


def test_the_refused_are_held_while_they_can_be_contested(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=1, damaged=1, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert disposed(refund) == [("restock", 1)]
    until = fresh(refund).contest_until
    assert until is not None
    pass_time(until - clock.now() + timedelta(seconds=1))
    work(engine, courier, refund)
    assert disposed(refund) == [("restock", 1), ("send_back", 1)]


def test_contested_and_paid_after_all_they_stay_here(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=2, damaged=1)], actor=WAREHOUSE)
    contest(target(refund), note="It was whole.", actor=CUSTOMER)
    [rest] = Refund.objects.filter(contest_of=refund)
    work(engine, courier, refund, rest)
    approve(target(rest), Approval(), actor=AGENT)
    work(engine, courier, refund, rest)
    assert disposed(refund, rest) == [("restock", 2), ("write_off", 1)]


def test_contested_in_vain_they_go_back(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, accepted=2, damaged=1)], actor=WAREHOUSE)
    contest(target(refund), note="It was whole.", actor=CUSTOMER)
    [rest] = Refund.objects.filter(contest_of=refund)
    work(engine, courier, refund, rest)
    reject(target(rest), reason="It was not.", actor=AGENT)
    pass_time(timedelta(days=30))
    work(engine, courier, refund, rest)
    assert disposed(refund, rest) == [("restock", 2), ("send_back", 1)]


def test_without_a_contest_the_refused_go_back_at_once(engine: Engine, courier: Courier) -> None:
    in_force(contest_attempts=0)
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, wrong_item=3)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REJECTED and disposed(refund) == [("send_back", 3)]


def scanned(courier: Courier) -> None:
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))


def test_money_at_the_first_scan_and_a_shortage_is_a_case(engine: Engine, courier: Courier) -> None:
    in_force(pay_on="collection")
    refund = awaited(engine, courier)
    scanned(courier)
    pass_time(timedelta(days=1, hours=2))
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED and PaymentShare.objects.get().refunded_minor == 3000
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(A, accepted=2, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED and PaymentShare.objects.get().refunded_minor == 3000
    assert [incident.kind for incident in Incident.objects.filter(refund=refund)] == ["return_short"]
    assert disposed(refund) == [("restock", 2)]


def test_a_parcel_paid_at_the_first_scan_is_followed_home(engine: Engine, courier: Courier) -> None:
    in_force(pay_on="collection")
    refund = awaited(engine, courier)
    scanned(courier)
    pass_time(timedelta(days=1, hours=2))
    work(engine, courier, refund)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.RECEIVED),))
    pass_time(timedelta(days=1))
    work(engine, courier, refund)
    assert fresh(refund).received_at is not None
    assert Pickup.objects.get(refund=refund).state == PickupState.RECEIVED


def test_money_on_receipt(engine: Engine, courier: Courier) -> None:
    in_force(pay_on="receipt")
    refund = here(engine, courier)
    assert state(refund) == RefundState.REFUNDED
    inspect(target(refund), [Inspected(A, accepted=3)], actor=WAREHOUSE)
    assert not Incident.objects.exists() and disposed(refund) == [("restock", 3)]


def overdue(engine: Engine, courier: Courier, refund: Refund) -> None:
    pass_time(timedelta(days=30))
    work(engine, courier, refund)


def test_a_box_that_never_comes_leaves_what_was_found_in_the_others_as_it_is(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    found = Inspected(A, accepted=1, damaged=1, disposition=Disposition.WRITE_OFF)
    inspect(target(refund), [found], more=True, actor=WAREHOUSE)
    overdue(engine, courier, refund)
    assert (state(refund), fresh(refund).amount_minor) == (RefundState.REFUNDED, 2000)
    assert PaymentShare.objects.get().refunded_minor == 2000
    assert Notification.objects.filter(refund=refund, template="parcel_checked", channel="email").count() == 1
    assert disposed(refund)[0] == ("write_off", 1)


def test_nothing_is_paid_where_all_of_it_was_found_to_be_wrong(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    inspect(target(refund), [Inspected(A, damaged=2, missing=1)], more=True, actor=WAREHOUSE)
    overdue(engine, courier, refund)
    assert (state(refund), PaymentShare.objects.get().refunded_minor) == (RefundState.REJECTED, 0)
    assert Notification.objects.filter(refund=refund, template="rejected", channel="email").count() == 1


def test_where_nobody_looked_at_all_everything_counts_as_accepted(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    overdue(engine, courier, refund)
    assert (state(refund), PaymentShare.objects.get().refunded_minor) == (RefundState.REFUNDED, 3000)


def test_a_box_in_which_nothing_was_found_is_none(engine: Engine, courier: Courier) -> None:
    refund = here(engine, courier)
    with pytest.raises(Invalid) as refused:
        inspect(target(refund), [Inspected(A)], more=True, actor=WAREHOUSE)
    assert refused.value.code == "nothing_found"
    assert not RefundEvent.objects.filter(kind="refund.box_inspected").exists()
