"""Every waiting state ends, by the sweep alone: no queue, no person, no courier's webhook."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from orders import clock
from orders.models import PaymentShare
from orders.services.lines import Sku
from refunds.models import Incident, Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import (
    Approval,
    Inspected,
    Parcel,
    Target,
    approve,
    hold,
    inspect,
    receive,
    reject,
    resume,
    retry,
    ship_back,
)
from refunds.services.parcel_inbox import store_parcel_events
from refunds.services.reconcile import ParcelOut
from refunds.states import Goods
from tests.factories import request, ship
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
from workers.ports import Booked, CourierEvent, NotSent, ParcelsFound, ParcelStatus, Refused, Unknown

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
DAYS = timedelta(days=1)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def at_no_time(out: ParcelOut) -> Booked:
    """A courier who comes when he likes: no visit of his is ever over."""
    return Booked(fact(out.subject, "W1", ParcelStatus.BOOKED))


def approved(engine: Engine, courier: Courier, *, where: str = "delivered", **how) -> Refund:
    order = bought(1000, quantity=2)
    ship(order, where)
    [refund] = request(order, **how).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == "awaiting_return"
    return refund


def cases(refund: Refund) -> list[str]:
    return list(Incident.objects.filter(refund=refund, closed_at=None).order_by("id").values_list("kind", flat=True))


def told(refund: Refund) -> list[str]:
    rows = Notification.objects.filter(refund=refund, channel="email").order_by("id")
    return list(rows.values_list("template", flat=True))


def test_a_review_nobody_ends_becomes_a_case(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    for _ in range(12):
        at = fresh(refund).next_reconcile_at
        assert at is not None
        pass_time(timedelta(hours=6))
        work(engine, courier, refund)
    assert (state(refund), cases(refund)) == ("in_review", ["review_overdue"])


def test_goods_sent_back_already_that_never_arrive_are_looked_into_by_a_person(
    engine: Engine, courier: Courier
) -> None:
    refund = approved(engine, courier, goods=Goods.ALREADY_SENT)
    live(engine, courier, refund, until=["in_review"], limit=15 * DAYS)
    assert (told(refund), cases(refund)) == (["received", "approved"], ["return_failed"])


def test_a_courier_who_never_comes_and_never_says_so(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    live(engine, courier, refund, until=["in_review"], limit=17 * DAYS)
    work(engine, courier, refund)
    assert cases(refund) == ["return_failed"]
    assert courier.booked == 3
    assert "booked" not in Pickup.objects.filter(refund=refund).values_list("state", flat=True)
    assert told(refund).count("pickup_missed") == 3


def test_no_courier_to_be_had(engine: Engine, courier: Courier) -> None:
    courier.answers[ParcelAct.BOOK] = lambda out: Refused("none_available")
    refund = approved(engine, courier)
    live(engine, courier, refund, until=["in_review"], limit=3 * DAYS)
    keys = Pickup.objects.get(refund=refund).key_no
    assert (cases(refund), keys > 2) == (["return_failed"], True)
    asked = len(courier.asked)
    # Once nobody is wanted, nobody is asked any more and nothing spins.
    for _ in range(3):
        pass_time(timedelta(hours=6))
        work(engine, courier, refund)
    assert len(courier.asked) == asked


def test_a_courier_who_answers_nothing(engine: Engine, courier: Courier) -> None:
    for act in ParcelAct:
        courier.answers[act] = lambda out: Unknown("time-out")
    refund = approved(engine, courier)
    live(engine, courier, refund, until=["in_review"], limit=17 * DAYS)
    assert (cases(refund), Pickup.objects.get(refund=refund).call) == (["return_failed"], "unknown")
    assert courier.asked.count("book") == 1


def test_goods_under_way_that_never_arrive(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.COLLECTED),))
    live(engine, courier, refund, until=["in_review"], limit=20 * DAYS)
    assert cases(refund) == ["return_failed"]


@pytest.mark.parametrize(("before", "ends"), [((), "in_review"), ((ParcelStatus.IN_TRANSIT,), "refunded")])
def test_a_posted_parcel_is_paid_when_it_is_lost_only_after_the_carrier_has_had_it(
    engine: Engine, courier: Courier, before: tuple[ParcelStatus, ...], ends: str
) -> None:
    refund = approved(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    events = [
        CourierEvent(f"e{n}", "parcel.updated", fact("", "X1", status))
        for n, status in enumerate((*before, ParcelStatus.LOST))
    ]
    store_parcel_events("courier", events)
    work(engine, courier, refund)
    assert state(refund) == ends


def test_a_parcel_the_customer_posted_that_never_arrives(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    live(engine, courier, refund, until=["in_review"], limit=15 * DAYS)
    assert cases(refund) == ["return_failed"]


def test_an_intercept_of_which_nobody_hears(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier, where="shipped")
    live(engine, courier, refund, until=["in_review"], limit=15 * DAYS)
    assert cases(refund) == ["return_failed"]


def test_a_parcel_that_is_not_stopped_and_never_arrives_becomes_a_case(engine: Engine, courier: Courier) -> None:
    courier.answers[ParcelAct.INTERCEPT] = lambda out: Refused("too_late")
    refund = approved(engine, courier, where="shipped")
    live(engine, courier, refund, until=["in_review"], limit=15 * DAYS)
    assert (cases(refund), courier.asked.count("intercept"), "track" in courier.asked) == (["return_failed"], 1, True)


def test_an_inspection_nobody_makes_pays(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    receive(target(refund), actor=WAREHOUSE)
    live(engine, courier, refund, until=["refunded"], limit=8 * DAYS)
    assert PaymentShare.objects.get(order=refund.order_id).refunded_minor == 2000


def test_money_no_gateway_takes_is_given_up_and_tried_again(engine: Engine, courier: Courier) -> None:
    [refund] = request(bought(1000)).refunds
    work(engine, courier, refund, reply=lambda movement: NotSent("connection refused"))
    pass_time(3 * DAYS - timedelta(hours=1))
    work(engine, courier, refund, reply=lambda movement: NotSent("connection refused"))
    assert (state(refund), cases(refund)) == ("refunding", [])
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    assert (state(refund), cases(refund), told(refund)[-1]) == ("failed", ["refund_failed"], "failed")
    assert PaymentShare.objects.get(order=refund.order_id).reserved_minor == 0
    retry(target(refund), actor=FINANCE)
    work(engine, courier, refund)
    assert (state(refund), PaymentShare.objects.get(order=refund.order_id).refunded_minor) == ("refunded", 1000)


def test_what_an_inspection_let_through_has_all_the_time_to_be_paid(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    pass_time(7 * DAYS - timedelta(hours=1))
    inspect(target(refund), [Inspected(Sku("A"), accepted=2)], actor=WAREHOUSE)
    work(engine, courier, refund, reply=lambda movement: NotSent("connection refused"))
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    assert state(refund) == "refunded"


def test_a_missed_visit_is_booked_again_however_late_it_was(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    pass_time(5 * DAYS)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.MISSED),))
    work(engine, courier, refund)
    pickup = Pickup.objects.get(refund=refund)
    assert (state(refund), pickup.missed, courier.booked) == ("awaiting_return", 1, 2)
    live(engine, courier, refund, until=["in_review"], limit=3 * DAYS)
    assert (Pickup.objects.get(refund=refund).missed, told(refund).count("pickup_missed")) == (3, 3)


def test_a_hold_keeps_the_courier_and_moves_the_deadline(engine: Engine, courier: Courier) -> None:
    """Controller check 44; upstream: TestControllerSyncJob "resuming a suspended job", TestSyncJobPastDeadline."""
    courier.answers[ParcelAct.BOOK] = at_no_time
    refund = approved(engine, courier)
    before = fresh(refund).deadline
    hold(target(refund), until=None, actor=AGENT)
    work(engine, courier, refund)
    held = fresh(refund)
    assert Pickup.objects.get(refund=refund).state == "booked"
    assert before is not None and held.held_from is not None and held.held_until is not None
    assert held.deadline == before
    pass_time(held.held_until - clock.now() + timedelta(hours=1))
    work(engine, courier, refund)
    assert fresh(refund).deadline == before + (held.held_until - held.held_from)
    live(engine, courier, refund, until=["in_review"], limit=50 * DAYS)
    assert "cancel" not in courier.asked[: courier.asked.index("track") + 1]
    kinds = list(refund.events.order_by("seq").values_list("kind", flat=True))
    assert kinds.index("refund.resumed") < kinds.index("refund.in_review", kinds.index("refund.held"))


def test_a_hold_that_ends_early_moves_the_deadline_by_as_long_as_it_lasted(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    before = fresh(refund).deadline
    hold(target(refund), until=None, actor=AGENT)
    began_at = fresh(refund).held_from
    pass_time(2 * DAYS)
    resume(target(refund), actor=AGENT)
    ended_at = refund.events.get(kind="refund.resumed").occurred_at
    assert before is not None and began_at is not None
    after = fresh(refund).deadline
    assert after is not None and (after.hour, after.minute) == (0, 0)
    assert timedelta(0) <= after - (before + (ended_at - began_at)) < DAYS
    assert ended_at - began_at >= 2 * DAYS


def test_nothing_is_judged_before_its_deadline_and_all_is_at_it(engine: Engine, courier: Courier) -> None:
    """Controller check 27; upstream: TestPastDeadlineJobFinished."""
    courier.answers[ParcelAct.BOOK] = at_no_time
    refund = approved(engine, courier)
    deadline = fresh(refund).deadline
    assert deadline is not None
    # What a slow machine may need until then.
    pass_time(deadline - clock.now() - timedelta(minutes=1))
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).deadline) == ("awaiting_return", deadline)
    pass_time(deadline - clock.now())
    work(engine, courier, refund)
    assert (state(refund), cases(refund)) == ("in_review", ["return_failed"])


@pytest.mark.parametrize(
    ("decide", "kinds"),
    [
        (lambda on: approve(on, Approval(goods=Goods.KEEP), actor=AGENT), ["refund.resumed", "refund.refunding"]),
        (lambda on: reject(on, reason="Worn.", actor=AGENT), ["refund.resumed", "refund.rejected"]),
    ],
)
def test_what_an_agent_decides_on_hold_ends_the_hold(
    engine: Engine, courier: Courier, decide: Callable[[Target], Refund], kinds: list[str]
) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    hold(target(refund), until=None, actor=AGENT)
    decide(target(refund))
    events = list(refund.events.order_by("seq").values_list("kind", flat=True))
    assert [events[events.index("refund.held") + 1], events[-1]] == kinds
    work(engine, courier, refund)
    assert (fresh(refund).held_until, state(refund) in ("refunded", "rejected")) == (None, True)


def test_goods_received_on_hold_are_inspected_and_the_money_waits_for_it(engine: Engine, courier: Courier) -> None:
    refund = approved(engine, courier)
    hold(target(refund), until=None, actor=AGENT)
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, ParcelStatus.RECEIVED),))
    pass_time(2 * DAYS)
    work(engine, courier, refund)
    assert state(refund) == "inspecting"
    inspect(target(refund), [Inspected(Sku("A"), accepted=2)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).held_until is None) == ("refunding", False)
    resume(target(refund), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == "refunded"
