"""What a verdict on a return leaves for the customer's message: approved, or why not."""

import pytest

from orders.services.lines import Sku
from refunds.models import Notification, Refund
from refunds.services.acts import Approval, Inspected, approve, inspect, receive, reject
from refunds.states import Goods
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, WAREHOUSE, bought, fresh, in_force, pass_time, target
from tests.integration.engine.test_return_ends import DAYS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def asked_back(engine: Engine, *, goods: Goods = Goods.RETURN) -> Refund:
    order = bought(1000)
    ship(order)
    [refund] = request(order, goods=goods).refunds
    engine.begin(refund)
    return refund


def told(refund: Refund) -> list[str]:
    rows = Notification.objects.filter(refund=refund, channel="email").order_by("id")
    return list(rows.values_list("template", flat=True))


def verdict(refund: Refund) -> tuple[str, str, str]:
    refund = fresh(refund)
    return refund.state, refund.rejection_code, refund.rejection


def test_an_approval_of_goods_that_were_sent_already_is_told(engine: Engine) -> None:
    refund = asked_back(engine, goods=Goods.ALREADY_SENT)
    approve(target(refund), Approval(), actor=AGENT)
    assert (fresh(refund).state, told(refund)) == ("awaiting_return", ["received", "approved"])


def test_so_is_one_by_the_policy(engine: Engine) -> None:
    in_force(approve_returns=True)
    refund = asked_back(engine, goods=Goods.ALREADY_SENT)
    assert (fresh(refund).state, told(refund)) == ("awaiting_return", ["approved"])


def test_an_agent_rejects_in_words(engine: Engine) -> None:
    refund = asked_back(engine)
    reject(target(refund), reason="Worn.", actor=AGENT)
    assert verdict(refund) == ("rejected", "in_words", "Worn.")


def test_goods_of_which_none_is_accepted_are_rejected_by_a_code(engine: Engine) -> None:
    refund = asked_back(engine)
    approve(target(refund), Approval(), actor=AGENT)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), damaged=1)], actor=WAREHOUSE)
    assert verdict(refund) == ("rejected", "nothing_accepted", "")


def test_a_review_nobody_ended_is_rejected_by_a_code(engine: Engine) -> None:
    in_force(review_outcome="reject")
    refund = asked_back(engine)
    pass_time(3 * DAYS)
    engine.begin(refund)
    assert (verdict(refund), told(refund)) == (("rejected", "not_reviewed", ""), ["received", "rejected"])
