"""What was rejected is asked for again: by another agent's decision, and so often."""

import pytest

from orders.errors import Conflict, Forbidden
from orders.models import Order
from orders.roles import Actor, Role
from refunds.models import Refund
from refunds.services.acts import Approval, approve, reject
from refunds.services.requests import request_refunds
from refunds.states import RefundState
from tests.factories import SHOP, request, ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, CUSTOMER, Courier, bought, state, target, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
COLLEAGUE = Actor("principal:8", Role.SUPPORT)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def rejected(engine: Engine, courier: Courier, *, by: Actor = AGENT, order: Order | None = None) -> Refund:
    order = order or shipped()
    [refund] = request(order, actor=CUSTOMER).refunds
    work(engine, courier, refund)
    reject(target(refund), reason="Worn.", actor=by)
    work(engine, courier, refund)
    return refund


def shipped() -> Order:
    order = bought(1000, quantity=2)
    ship(order, "delivered")
    return order


def test_whoever_rejected_it_does_not_decide_again(engine: Engine, courier: Courier) -> None:
    before = rejected(engine, courier)
    [again] = request(before.order, actor=CUSTOMER).refunds
    work(engine, courier, again)
    with pytest.raises(Forbidden) as refused:
        approve(target(again), Approval(), actor=AGENT)
    assert refused.value.code == "decided_before"
    approve(target(again), Approval(), actor=COLLEAGUE)
    assert state(again) == RefundState.AWAITING_RETURN


def test_a_customer_asks_three_times_and_the_shop_as_often_as_it_likes(engine: Engine, courier: Courier) -> None:
    order = shipped()
    numbers = [rejected(engine, courier, order=order, by=by).number for by in (AGENT, COLLEAGUE, AGENT)]
    [refused] = request_refunds([wish(order, actor=CUSTOMER)])
    assert isinstance(refused, Conflict)
    assert (refused.code, refused.extra["refunds"]) == ("asked_too_often", numbers)
    [again] = request(order, actor=SHOP).refunds
    assert again.state == RefundState.REQUESTED
