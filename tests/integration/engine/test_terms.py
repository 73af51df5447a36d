"""The policy's terms reach the amount: when it is asked for, and again when a parcel holds less than was announced."""

import pytest

from orders.models import OrderLine, PaymentShare
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Refund
from refunds.policy import FeeRule
from refunds.services.acts import Approval, Inspected, approve, inspect, receive
from refunds.services.requests import LineWish, preview_refund
from refunds.states import Goods, RefundState
from tests.factories import make_order, request, ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, WAREHOUSE, fresh, in_force, state, target

pytestmark = pytest.mark.django_db(transaction=True)

FEES = {"restocking_fee": FeeRule(100), "return_shipping_fee": FeeRule(0, {"EUR": 499})}


def inspected(engine: Engine, refund: Refund, *, accepted: int, missing: int) -> Refund:
    engine.begin(refund)
    approve(target(refund), Approval(), actor=AGENT)
    receive(target(refund), actor=WAREHOUSE)
    engine.begin(refund)
    assert state(refund) == RefundState.INSPECTING
    inspect(target(refund), [Inspected(Sku("A"), accepted=accepted, missing=missing)], actor=WAREHOUSE)
    return fresh(refund)


def test_fees_are_shown_before_they_are_taken_and_taken_of_what_came(engine: Engine) -> None:
    in_force(**FEES)
    order = make_order(1000, quantity=3)
    ship(order)
    assert preview_refund(wish(order, reason_code="changed_mind")).total_minor == 3000 - 300 - 499
    [refund] = request(order, reason_code="changed_mind").refunds
    assert (refund.amount_minor, refund.sheet["fees_minor"]) == (2201, 799)
    refund = inspected(engine, refund, accepted=2, missing=1)
    assert (refund.amount_minor, refund.sheet["fees_minor"]) == (2000 - 200 - 499, 699)
    assert OrderLine.objects.get(order=order).refunded_minor == 2000


def test_who_is_not_at_fault_pays_no_fee(engine: Engine) -> None:
    in_force(**FEES)
    order = make_order(1000, quantity=3)
    ship(order)
    [refund] = request(order, reason_code="damaged").refunds
    refund = inspected(engine, refund, accepted=2, missing=1)
    assert (refund.amount_minor, refund.sheet["fees_minor"]) == (2000, 0)


def test_goods_that_may_stay_are_paid_no_more_than_was_asked_for(engine: Engine) -> None:
    in_force(**FEES)
    ship(order := make_order(1000, quantity=3))
    [refund] = request(order, reason_code="changed_mind").refunds
    engine.begin(refund)
    OrderLine.objects.filter(order=order).update(unit_price_minor=2000, list_minor=6000)
    PaymentShare.objects.filter(order=order).update(captured_minor=6000)
    refund = approve(target(refund), Approval(goods=Goods.KEEP), actor=AGENT)
    assert (refund.amount_minor, refund.sheet["entries"][-1]["label"]) == (3000, "No more than was asked for")


@pytest.mark.parametrize(("lines", "amount_minor"), [(None, 3000), ([LineWish(Sku("A"), 2)], 2000)])
def test_goods_that_may_stay_cost_no_fee_for_their_way_back(
    engine: Engine, lines: list[LineWish] | None, amount_minor: int
) -> None:
    in_force(**FEES)
    ship(order := make_order(1000, quantity=3))
    [refund] = request(order, reason_code="changed_mind").refunds
    engine.begin(refund)
    refund = approve(target(refund), Approval(lines=lines, goods=Goods.KEEP), actor=AGENT)
    assert (refund.amount_minor, refund.sheet["fees_minor"]) == (amount_minor, 0)
    moving = GatewayRefund.objects.filter(refund=refund).exclude(state="cancelled")
    assert sum(moving.values_list("amount_minor", flat=True)) == amount_minor


def test_goods_that_may_stay_bring_no_more_than_is_free(engine: Engine) -> None:
    in_force(**FEES)
    ship(order := make_order(1000, quantity=3))
    [refund] = request(order, reason_code="changed_mind").refunds
    engine.begin(refund)
    PaymentShare.objects.filter(order=order).update(disputed_minor=700)
    refund = approve(target(refund), Approval(goods=Goods.KEEP), actor=AGENT)
    assert (refund.amount_minor, refund.sheet["fees_minor"]) == (2300, 0)


def test_a_deposit_that_a_cancelled_refund_had_settled_is_settled_anew(engine: Engine) -> None:
    order = make_order(1000, quantity=2, non_refundable_minor=300)
    ship(order)
    [first] = request(order, ("A", 1)).refunds
    [second] = request(order, ("A", 1)).refunds
    assert (first.amount_minor, second.amount_minor) == (850, 850)
    first = inspected(engine, first, accepted=0, missing=1)
    assert first.state == RefundState.REJECTED
    assert preview_refund(wish(order)).total_minor == 850
