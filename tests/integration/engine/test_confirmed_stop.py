"""Policy `stop_shipment: confirm`: the money of unshipped units waits until somebody has said that they stay."""

from datetime import timedelta

import pytest

from orders.errors import Conflict
from orders.models import Order, OrderLine, Shipment, ShipmentLine
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Refund, RefundEvent
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Approval, approve, cancel_refund, confirm_stop, hold, receive, resume
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages, sums
from tests.integration.engine.places import report
from tests.integration.engine.returns import (
    AGENT,
    SHOP,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    in_force,
    leave,
    live,
    pass_time,
    state,
    target,
    work,
)
from tests.integration.engine.threads import together
from tests.sizes import size

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books", "confirmed")]

SUPERVISOR = Actor("principal:5", Role.SUPERVISOR)
IN_TIME, TOO_LATE = timedelta(hours=23), timedelta(hours=24, seconds=1)


@pytest.fixture
def confirmed() -> None:
    in_force(stop_shipment="confirm")


@pytest.fixture
def courier() -> Courier:
    return Courier()


def asked(engine: Engine, courier: Courier, *, of: int = 1) -> tuple[Order, Refund]:
    """All of an order of so many mugs, none of which has left."""
    order = bought(1000, quantity=of)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    return order, refund


def runs_out(engine: Engine, courier: Courier, *refunds: Refund, after: timedelta = TOO_LATE) -> None:
    """The pass that counts units as left is followed by another at once."""
    pass_time(after)
    work(engine, courier, *refunds)
    work(engine, courier, *refunds)


def shown(refund: Refund) -> str:
    [stopped] = [c for c in fresh(refund).conditions if c["type"] == "ShipmentStopped"] or [None]
    return f"{stopped['status']} {stopped['reason']}" if stopped else ""


def sent(refund: Refund) -> int:
    return GatewayRefund.objects.get(refund=refund).attempt


def code(result: object) -> str:
    assert isinstance(result, Conflict), result
    return result.code


def refused(refund: Refund, *, stopped: bool = True) -> str:
    with pytest.raises(Conflict) as problem:
        confirm_stop(target(refund), stopped=stopped, actor=WAREHOUSE)
    return problem.value.code


def events(refund: Refund, kind: str) -> list[str]:
    return list(RefundEvent.objects.filter(refund=refund, kind=kind).order_by("seq").values_list("role", flat=True))


def test_its_money_waits_and_everybody_sees_for_what(engine: Engine, courier: Courier) -> None:
    order, refund = asked(engine, courier)
    pass_time(IN_TIME)
    work(engine, courier, refund)
    assert (state(refund), shown(refund), sent(refund)) == ("requested", "Unknown AwaitingConfirmation", 0)
    assert fresh(refund).deadline is not None and sums(order) == (1000, 0)
    assert len(events(refund, "shipment.stop_requested")) == 1
    offered = [actor.role for actor in (SHOP, WAREHOUSE, AGENT) if "confirm_stop" in allowed_actions(refund, actor)]
    assert offered == ["shop", "warehouse"]
    assert messages(refund) == ["received"]


@pytest.mark.parametrize("actor", [SHOP, WAREHOUSE, SUPERVISOR], ids=lambda actor: actor.role)
def test_stopped_its_money_goes(engine: Engine, courier: Courier, actor: Actor) -> None:
    order, refund = asked(engine, courier)
    confirm_stop(target(refund), stopped=True, actor=actor)
    assert refused(refund) == "stop_not_awaited"
    work(engine, courier, refund)
    assert (state(refund), shown(refund), sums(order)) == ("refunded", "True Confirmed", (0, 1000))
    assert events(refund, "shipment.stopped") == [actor.role]
    assert refused(refund, stopped=False) == "stop_not_awaited"
    assert Order.objects.get(pk=order.pk).state == "cancelled"


@pytest.mark.parametrize("actor", [SHOP, WAREHOUSE, SUPERVISOR], ids=lambda actor: actor.role)
def test_gone_without_a_scan_a_person_looks_and_no_carrier_is_called(
    engine: Engine, courier: Courier, actor: Actor
) -> None:
    order, refund = asked(engine, courier)
    confirm_stop(target(refund), stopped=False, actor=actor)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route, shown(refund)) == ("in_review", "intercept", "False HasLeft")
    assert (sent(refund), sums(order), courier.asked) == (0, (1000, 0), [])
    assert events(refund, "shipment.left") == [actor.role]
    parcel = Shipment.objects.get(order=order)
    assert (parcel.left, parcel.tracking_number, parcel.state) == (True, "", "shipped")
    assert refused(refund) == "stop_not_awaited"
    with pytest.raises(Conflict) as twice:
        leave(order, (Sku("A"), 1))
    assert twice.value.code == "not_shippable"

    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), courier.asked) == ("awaiting_return", [])
    report(parcel, "returned")
    work(engine, courier, refund)
    assert (state(refund), sums(order), courier.asked) == ("refunded", (0, 1000), [])


def test_a_parcel_nobody_can_stop_comes_back_to_the_person_or_is_received(engine: Engine, courier: Courier) -> None:
    refunds = [asked(engine, courier)[1] for _ in range(2)]
    for refund in refunds:
        confirm_stop(target(refund), stopped=False, actor=SHOP)
        work(engine, courier, refund)
        approve(target(refund), Approval(), actor=AGENT)
        work(engine, courier, refund)
    receive(target(refunds[0]), actor=WAREHOUSE)
    work(engine, courier, refunds[0])
    assert state(refunds[0]) == "inspecting"
    live(engine, courier, refunds[1], until=("in_review",), limit=timedelta(days=15))
    assert courier.asked == []


def test_of_a_line_exactly_the_held_units_have_left(engine: Engine, courier: Courier) -> None:
    order = bought(1000, 500, quantity=5)
    [other] = request(order, ("A", 1)).refunds
    [refund] = request(order, ("A", 2), ("B", 1)).refunds
    work(engine, courier, other, refund)
    confirm_stop(target(refund), stopped=False, actor=SHOP)
    work(engine, courier, other, refund)
    inside = ShipmentLine.objects.filter(shipment__order=order).order_by("order_line_id")
    assert list(inside.values_list("order_line__sku", "quantity")) == [("A", 2), ("B", 1)]
    line = OrderLine.objects.get(order=order, sku="A")
    assert (line.shipped, line.withheld, line.held) == (2, 1, 3)
    assert (state(refund), state(other), shown(other)) == ("in_review", "requested", "Unknown AwaitingConfirmation")


def test_unsaid_by_the_deadline_the_units_count_as_left_by_the_sweep_alone(engine: Engine, courier: Courier) -> None:
    order, refund = asked(engine, courier, of=2)
    live(engine, courier, refund, until=("in_review",), limit=timedelta(hours=30))
    assert (fresh(refund).route, shown(refund), sent(refund)) == ("intercept", "False NotConfirmed", 0)
    assert events(refund, "shipment.left") == ["system"]
    assert [one.quantity for one in ShipmentLine.objects.filter(shipment__order=order)] == [2]
    assert (refused(refund), courier.asked, sums(order)) == ("stop_not_awaited", [], (2000, 0))


def test_two_of_one_order_run_out_in_one_pass(engine: Engine, courier: Courier) -> None:
    order = bought(1000, quantity=3)
    refunds = [request(order, ("A", n)).refunds[0] for n in (1, 2)]
    work(engine, courier, *refunds)
    runs_out(engine, courier, *refunds)
    assert [state(r) for r in refunds] == ["in_review", "in_review"]
    assert sorted(one.quantity for one in ShipmentLine.objects.filter(shipment__order=order)) == [1, 2]


def test_on_hold_no_time_runs_out_and_the_rest_runs_after_it(engine: Engine, courier: Courier) -> None:
    _, refund = asked(engine, courier)
    hold(target(refund), until=None, actor=AGENT)
    pass_time(timedelta(days=3))
    work(engine, courier, refund)
    resume(target(refund), actor=AGENT)
    pass_time(IN_TIME)
    work(engine, courier, refund)
    assert state(refund) == "requested"
    runs_out(engine, courier, refund, after=timedelta(hours=2))
    assert (state(refund), shown(refund)) == ("in_review", "False NotConfirmed")


def test_what_the_shop_hands_over_meanwhile_ends_the_waiting(engine: Engine, courier: Courier) -> None:
    order, refund = asked(engine, courier, of=2)
    leave(order, (Sku("A"), 1))
    assert "confirm_stop" not in allowed_actions(fresh(refund), SHOP)
    assert (refused(refund), refused(refund, stopped=False)) == ("stop_not_awaited", "stop_not_awaited")
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route, shown(refund)) == ("in_review", "intercept", "False HasLeft")
    assert (sent(refund), Shipment.objects.filter(order=order).count()) == (0, 1)
    runs_out(engine, courier, refund)
    assert Shipment.objects.filter(order=order).count() == 1


def test_it_is_cancelled_as_ever_and_nothing_runs_out_any_more(engine: Engine, courier: Courier) -> None:
    order, refund = asked(engine, courier)
    cancel_refund(target(refund), actor=SHOP)
    work(engine, courier, refund)
    assert (state(refund), shown(refund), refused(refund)) == ("cancelled", "", "stop_not_awaited")
    runs_out(engine, courier, refund)
    assert (state(refund), sums(order), Shipment.objects.exists()) == ("cancelled", (0, 0), False)


def test_nobody_is_asked_about_what_does_not_leave_or_is_worth_nothing(engine: Engine, courier: Courier) -> None:
    delivered, free, digital = bought(1000), bought(0), bought(1000)
    ship(delivered)
    OrderLine.objects.filter(order=digital).update(fulfilment="digital")
    refunds = [request(order).refunds[0] for order in (delivered, free, digital)]
    work(engine, courier, *refunds)
    assert [state(r) for r in refunds] == ["in_review", "refunded", "in_review"]
    assert [shown(r) for r in refunds] == ["", "", ""]


def test_what_was_asked_under_the_old_policy_is_not_asked_about(engine: Engine, courier: Courier) -> None:
    in_force(stop_shipment="assume")
    _, refund = asked(engine, courier)
    assert (state(refund), shown(refund)) == ("refunded", "")


@pytest.mark.sized
def test_of_two_answers_at_once_one_counts(courier: Courier) -> None:
    for _ in range(size(40)):
        engine = Engine()
        order, refund = asked(engine, courier)
        said = together(
            lambda r=refund: confirm_stop(target(r), stopped=True, actor=SHOP),
            lambda r=refund: confirm_stop(target(r), stopped=False, actor=WAREHOUSE),
        )
        assert [code(one) for one in said if not isinstance(one, Refund)] == ["stop_not_awaited"]
        work(engine, courier, refund)
        left = isinstance(said[1], Refund)
        assert (state(refund), sent(refund)) == (("in_review", 0) if left else ("refunded", 1))
        assert Shipment.objects.filter(order=order).exists() is left


@pytest.mark.sized
def test_an_answer_in_the_last_moment_counts_or_is_refused(courier: Courier) -> None:
    for _ in range(size(40)):
        engine = Engine()
        order, refund = asked(engine, courier)
        pass_time(TOO_LATE)
        said, _ = together(
            lambda r=refund: confirm_stop(target(r), stopped=True, actor=SHOP),
            lambda e=engine, r=refund: work(e, courier, r),
        )
        work(engine, courier, refund)
        left = not isinstance(said, Refund)
        assert not left or code(said) == "stop_not_awaited"
        assert (state(refund), sent(refund)) == (("in_review", 0) if left else ("refunded", 1))
        assert Shipment.objects.filter(order=order).exists() is left


@pytest.mark.sized
@pytest.mark.parametrize("stopped", [True, False])
def test_an_answer_and_the_shops_own_word_leave_one_parcel(courier: Courier, stopped: bool) -> None:
    """The shop's word is a fact: after "stopped" it is not refused, and no money has gone for what has left."""
    for _ in range(size(40)):
        engine = Engine()
        order, refund = asked(engine, courier)
        said, left = together(
            lambda r=refund: confirm_stop(target(r), stopped=stopped, actor=WAREHOUSE),
            lambda o=order: leave(o, (Sku("A"), 1)),
        )
        refusals = [code(one) for one in (said, left) if isinstance(one, Conflict)]
        assert refusals in ([["stop_not_awaited"], []] if stopped else [["stop_not_awaited"], ["not_shippable"]])
        work(engine, courier, refund)
        assert (state(refund), fresh(refund).route, sent(refund)) == ("in_review", "intercept", 0)
        assert Shipment.objects.filter(order=order).count() == 1
