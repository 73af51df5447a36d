"""Where two things meet: goods that leave while their money does, a cancel on its way to the courier, units apart."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from orders.errors import Conflict
from orders.models import Order, PaymentShare
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Incident, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, Inspected, approve, cancel_refund, close, inspect, receive, reject, retry
from refunds.states import Goods
from tests.factories import SHOP, request, ship
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import messages
from tests.integration.engine.places import send
from tests.integration.engine.returns import (
    AGENT,
    FINANCE,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    leave,
    pass_time,
    state,
    target,
    work,
)
from tests.sizes import size
from workers.ports import Movement, Refused, Reply

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def cases(refund: Refund) -> list[str]:
    return list(Incident.objects.filter(refund=refund, closed_at=None).values_list("kind", flat=True))


def ended(refund: Refund) -> dict[str, tuple[str, str]]:
    """Every case there was, by kind: who has closed it, and with what note; nothing is open any more."""
    assert cases(refund) == []
    return {case.kind: (case.closed_by, case.note) for case in Incident.objects.filter(refund=refund)}


def conditions(refund: Refund) -> set[str]:
    return {c["type"] for c in fresh(refund).conditions}


def together(*acts: Callable[[], object]) -> list[object]:
    """Each on a connection of its own, begun in the same moment; what they return, or the problem they raise."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            start.wait(timeout=10)
            return act()
        except Conflict as problem:
            return problem
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def cancel(refund: Refund) -> Refund:
    return cancel_refund(target(refund), actor=SHOP)


def test_what_left_before_the_claim_is_not_paid(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    leave(order, ("A", 1))
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route) == ("in_review", "intercept")
    assert GatewayRefund.objects.get(refund=refund).attempt == 0


def test_an_approval_of_what_has_left_since_awaits_the_goods(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    leave(order, ("A", 1))
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == "awaiting_return"
    assert (courier.asked[0], GatewayRefund.objects.get(refund=refund).attempt) == ("intercept", 0)


@pytest.mark.parametrize("is_over", [False, True])
def test_what_left_after_the_claim_is_a_case_and_stopped(engine: Engine, courier: Courier, is_over: bool) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    [out] = engine.begin(refund).calls
    if is_over:
        engine.answer(out, accepted(out.movement))
        assert (state(refund), fresh(refund).next_reconcile_at) == ("refunded", None)
    leave(order, ("A", 1))
    assert fresh(refund).next_reconcile_at is not None
    if not is_over:
        engine.answer(out, accepted(out.movement))
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route) == ("refunded", "instant")
    assert cases(refund) == ["shipped_after_refund"] and "ShippedAfterRefund" in conditions(refund)
    assert courier.asked[0] == "intercept"
    # A person has closed the case: the same fact does not open it again.
    Incident.objects.filter(refund=refund).update(closed_at=refund.created_at)
    pass_time(timedelta(hours=2))
    work(engine, courier, refund)
    assert cases(refund) == []


@pytest.mark.sized
def test_never_both_a_parcel_and_the_money_by_silence(courier: Courier) -> None:
    for _ in range(size(200)):
        order = bought(1000)
        [refund] = request(order).refunds
        engine = Engine()
        together(lambda e=engine, r=refund: work(e, courier, r), lambda o=order: leave(o, ("A", 1)))
        work(engine, courier, refund)
        claimed = GatewayRefund.objects.get(refund=refund).attempt > 0
        assert (state(refund), "shipped_after_refund" in cases(refund)) == (
            ("refunded", True) if claimed else ("in_review", False)
        )


@pytest.mark.sized
def test_a_cancel_is_refused_or_nothing_is_sent(courier: Courier) -> None:
    for _ in range(size(200)):
        order = bought(1000)
        [refund] = request(order).refunds
        engine = Engine()
        _, said = together(lambda e=engine, r=refund: work(e, courier, r), lambda r=refund: cancel(r))
        work(engine, courier, refund)
        sent = GatewayRefund.objects.get(refund=refund).attempt
        assert (state(refund), sent, isinstance(said, Conflict)) in [("cancelled", 0, False), ("refunded", 1, True)]


def at_the_courier(engine: Engine, courier: Courier, order: Order) -> Refund:
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def test_a_cancel_is_a_wish_until_the_courier_confirms(engine: Engine, courier: Courier) -> None:
    refund = at_the_courier(engine, courier, bought(1000))
    assert cancel(refund).cancel_wanted_by and state(refund) == "awaiting_return"
    work(engine, courier, refund)
    assert (state(refund), Pickup.objects.get(refund=refund).state) == ("cancelled", "cancelled")


def test_goods_already_collected_drop_the_wish_and_it_is_said(engine: Engine, courier: Courier) -> None:
    courier.answers[ParcelAct.CANCEL] = lambda out: Refused("already_collected")
    refund = at_the_courier(engine, courier, bought(1000))
    cancel(refund)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).cancel_wanted_by) == ("awaiting_return", "")
    assert refund.events.filter(kind="refund.cancel_dropped").exists()
    with pytest.raises(Conflict) as refused:
        cancel(refund)
    assert refused.value.code == "already_collected"
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    assert state(refund) == "inspecting"


def test_three_are_announced_and_two_received(engine: Engine, courier: Courier) -> None:
    order = bought(8999, quantity=3)
    refund = at_the_courier(engine, courier, order)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), accepted=2, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).amount_minor) == ("refunded", 17998)
    assert PaymentShare.objects.get(order=order).refunded_minor == 17998


def test_an_agent_lets_the_goods_stay(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(goods=Goods.KEEP), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), courier.asked) == ("refunded", [])


def test_a_line_without_a_price_closes_without_a_gateway(engine: Engine, courier: Courier) -> None:
    order = bought(0)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    assert (state(refund), GatewayRefund.objects.filter(refund=refund).count()) == ("refunded", 0)


def declined(movement: Movement) -> Reply:
    return Refused("declined", "by the bank")


def test_a_failed_refund_is_tried_again_under_its_number_or_closed(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    work(engine, courier, refund, reply=declined)
    assert (state(refund), cases(refund)) == ("failed", ["refund_failed"])
    number = GatewayRefund.objects.get(refund=refund).number
    retry(target(refund), actor=FINANCE)
    work(engine, courier, refund, reply=declined)
    assert (state(refund), GatewayRefund.objects.get(refund=refund).number) == ("failed", number)
    close(target(refund), note="paid in cash", actor=FINANCE)
    assert ended(refund) == {"refund_failed": (FINANCE.reference, "paid in cash")}
    work(engine, courier, refund)
    share = PaymentShare.objects.get(order=order)
    assert (state(refund), share.reserved_minor, share.refunded_minor) == ("cancelled", 0, 0)


def test_a_case_about_money_ends_when_the_money_arrives_after_all(engine: Engine, courier: Courier) -> None:
    [refund] = request(bought(1000)).refunds
    work(engine, courier, refund, reply=declined)
    retry(target(refund), actor=FINANCE)
    assert cases(refund) == ["refund_failed"]
    work(engine, courier, refund)
    assert (state(refund), ended(refund)) == ("refunded", {"refund_failed": ("system", "The refund is refunded.")})


def test_a_case_about_money_ends_with_a_cancel(engine: Engine, courier: Courier) -> None:
    [refund] = request(bought(1000)).refunds
    work(engine, courier, refund, reply=declined)
    retry(target(refund), actor=FINANCE)
    cancel(refund)
    assert (state(refund), ended(refund)["refund_failed"][0]) == ("cancelled", SHOP.reference)


def test_what_is_closed_in_part_stays_so_and_frees_the_rest(engine: Engine, courier: Courier) -> None:
    order = bought(1000, captured=(600, 400))
    [refund] = request(order).refunds
    work(engine, courier, refund, reply=lambda m: accepted(m) if m.number.endswith("-1") else declined(m))
    assert state(refund) == "failed"
    close(target(refund), note="the card is gone", actor=FINANCE)
    work(engine, courier, refund)
    assert (state(refund), messages(refund)[-2:]) == ("partially_refunded", ["failed", "closed_in_part"])
    assert sorted(s.free_minor for s in PaymentShare.objects.filter(order=order)) == [0, 400]
    assert (fresh(refund).amount_minor, Order.objects.get().refund_state) == (600, "partially_refunded")


def test_a_rejection_leaves_the_order_as_it_was_before(engine: Engine, courier: Courier) -> None:
    order = bought(1000, 500, quantity=2, shipping_minor=300, captured=(2000, 1300))
    send(order, "T-1", ("A", 2), ("B", 2), delivered=True)
    before = figures(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    assert figures(order) != before
    reject(target(refund), reason="Worn.", actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), figures(order)) == ("rejected", before)
    [anew] = request(order).refunds
    assert anew.amount_minor == 3300


def figures(order: Order) -> list[object]:
    """What an order shows and counts, but for its version."""
    order = Order.objects.get(pk=order.pk)
    shipping = (order.shipping_refunded_minor, order.shipping_tax_refunded_minor)
    counts = ("shipped", "delivered", "held", "withheld", "refunded", "refunded_minor", "refunded_tax_minor")
    sums = ("captured_minor", "reserved_minor", "refunded_minor", "excess_minor")
    lines = list(order.lines.order_by("id").values_list(*counts))
    return [
        order.state,
        order.refund_state,
        shipping,
        lines,
        list(PaymentShare.objects.filter(order=order).values(*sums)),
    ]
