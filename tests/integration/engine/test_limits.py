"""Limits of a gateway account: told at preview and request with what else can be done, or waited for."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from orders import clock
from orders.errors import Conflict
from orders.models import Payment
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.services.requests import preview_refund, request_refunds
from refunds.services.targets import Given
from refunds.states import RefundTo
from tests.factories import request, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS
from tests.integration.engine.returns import bought, fresh
from workers import bootstrap
from workers.ports import Capabilities

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def limit(settings: Any):
    """States limits of the account "sandbox"."""

    def state(**limits: Any) -> None:
        settings.GATEWAY_ACCOUNTS = ACCOUNTS | {"sandbox": {"adapter": "http", "limits": limits}}

    return state


def refusal(order: Any, *lines: tuple[str, int], **fields: Any) -> Conflict:
    """The same at preview and at request."""
    [result] = request_refunds([wish(order, *lines, **fields)])
    assert isinstance(result, Conflict), result
    with pytest.raises(Conflict) as previewed:
        preview_refund(wish(order, *lines, **fields))
    assert (previewed.value.code, previewed.value.detail) == (result.code, result.detail)
    return result


def previewed(order: Any, *lines: tuple[str, int]) -> Given:
    [given] = preview_refund(wish(order, *lines)).payments
    return given


def test_a_part_of_a_payment_that_comes_back_as_a_whole_only(limit):
    limit(partial=False)
    order = bought(500, 700)
    problem = refusal(order, ("A", 1))
    assert problem.code == "no_partial_refunds"
    assert problem.extra["whole_minor"] == 1200
    assert problem.extra["alternatives"] == [{"amount_minor": 1200}, {"refund_to": "store_credit"}]
    assert request(order).refunds[0].amount_minor == 1200


def test_what_the_gateway_refuses_can_go_to_store_credit(limit):
    limit(partial=False, longest_days=1, currencies=["USD"])
    order = bought(500, 700)
    refund = request(order, ("A", 1), refund_to=RefundTo.STORE_CREDIT).refunds[0]
    assert GatewayRefund.objects.get(refund=refund).target == "store-credit"


def test_an_account_that_is_not_configured_any_more_is_told_instead_of_waited_for(settings):
    settings.GATEWAY_ACCOUNTS = {"store-credit": {"adapter": "store_credit"}}
    problem = refusal(order := bought(500))
    assert (problem.code, problem.extra["account"]) == ("account_not_configured", "sandbox")
    assert "no account of this name is configured" in problem.detail
    assert problem.extra["alternatives"] == [{"refund_to": "store_credit"}]
    assert request(order, refund_to=RefundTo.STORE_CREDIT).refunds[0].amount_minor == 500


def test_captured_money_beside_a_hold_is_asked_of_its_account(limit):
    limit(longest_days=1)
    order = bought(500)
    payment = Payment.objects.get(shares__order=order)
    payment.captured_at -= timedelta(days=2)
    payment.save()
    now = clock.now()
    share = order.shares.get()
    LedgerEntry.objects.create(share=share, kind="authorize", amount_minor=300, occurred_at=now, recorded_at=now)
    order.shares.update(authorized_minor=300)
    assert refusal(order).code == "payment_too_old"


def test_no_store_credit_is_offered_where_nobody_could_have_it(limit):
    limit(partial=False)
    order = bought(500, 700, customer_email="")
    assert refusal(order, ("A", 1)).extra["alternatives"] == [{"amount_minor": 1200}]


def test_situation_42_a_payment_older_than_the_gateway_allows(limit):
    limit(longest_days=365)
    order = bought(500)
    assert previewed(order).until == order.created_at + timedelta(days=365)
    Payment.objects.filter(shares__order=order).update(captured_at=clock.now() - timedelta(days=366))
    problem = refusal(order)
    assert (problem.code, problem.extra["limit_days"]) == ("payment_too_old", 365)
    assert problem.extra["alternatives"] == [{"refund_to": "store_credit"}]


def test_one_refund_more_than_the_gateway_makes_of_a_payment(limit):
    limit(most_refunds=1)
    order = bought(500, 700)
    request(order, ("A", 1))
    problem = refusal(order, ("B", 1))
    assert (problem.code, problem.extra["most_refunds"], problem.extra["earlier"]) == ("too_many_refunds", 1, 1)


def test_a_refund_that_failed_or_was_cancelled_is_not_counted(limit):
    limit(most_refunds=1)
    order = bought(500, 700)
    refund = request(order, ("A", 1)).refunds[0]
    GatewayRefund.objects.filter(refund=refund).update(state="failed")
    assert previewed(order, ("B", 1)).amount_minor == 700
    GatewayRefund.objects.filter(refund=refund).update(state="intended")


def test_less_than_the_least(limit):
    limit(minimum_minor={"EUR": 600})
    order = bought(500, 700)
    problem = refusal(order, ("A", 1))
    assert (problem.code, problem.extra["minimum_minor"]) == ("amount_below_minimum", 600)
    assert request(order, ("B", 1)).refunds[0].amount_minor == 700


def waiting(engine: Engine, limit: Any, seconds: int) -> tuple[Refund, Refund]:
    """Two refunds of one payment, the first of which was just sent."""
    limit(interval_seconds=seconds)
    engine.capabilities = replace(Capabilities(), limits=bootstrap.limits_of("sandbox"))
    order = bought(500, 700)
    first, second = (request(order, (sku, 1)).refunds[0] for sku in "AB")
    engine.run(first)
    return first, second


def test_the_interval_between_two_refunds_is_waited_for_and_said(engine, limit):
    first, second = waiting(engine, limit, 60)
    done = engine.begin(second)
    assert done.calls == []
    sent = GatewayRefund.objects.get(refund=first).sent_at
    assert 50 < (done.due_in[second.id] or 0) <= 60
    [moved] = [c for c in fresh(second).conditions if c["type"] == "MoneyMoved"]
    assert (moved["status"], moved["reason"]) == ("False", "WaitsForGateway")
    assert f"{sent + timedelta(seconds=60):%H:%M:%S}" in moved["message"]


def test_once_the_interval_is_over_it_is_sent(engine, limit):
    _, second = waiting(engine, limit, 60)
    GatewayRefund.objects.filter(state="succeeded").update(sent_at=clock.now() - timedelta(seconds=61))
    assert len(engine.begin(second).calls) == 1


def test_two_in_one_pass_are_sent_one_after_the_other(engine, limit):
    limit(interval_seconds=60)
    engine.capabilities = replace(Capabilities(), limits=bootstrap.limits_of("sandbox"))
    order = bought(500, 700)
    refunds = [request(order, (sku, 1)).refunds[0] for sku in "AB"]
    assert len(engine.begin(*refunds).calls) == 1


def test_the_preview_says_from_when_on_the_gateway_takes_it(engine, limit):
    limit(interval_seconds=60)
    engine.capabilities = replace(Capabilities(), limits=bootstrap.limits_of("sandbox"))
    order = bought(500, 700)
    engine.run(request(order, ("A", 1)).refunds[0])
    sent = GatewayRefund.objects.get().sent_at
    assert previewed(order, ("B", 1)).waits_until == sent + timedelta(seconds=60)
