"""A limit that nobody stated here is found when the gateway refuses: failed with its code, and there are ways out."""

import pytest

from orders.models import Order, Payment, PaymentShare
from orders.roles import Actor, Role
from refunds.actions import Action
from refunds.models import GatewayRefund
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.refunds import refund_anywhere
from tests.factories import request
from tests.integration.adapters.conftest import Sandbox, parcels, receiver, sandbox
from tests.integration.adapters.peers import budget
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import bought, fresh

__all__ = ["parcels", "receiver", "sandbox"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def reference_of(order: Order) -> str:
    return Payment.objects.get(shares__order=order).reference


def test_what_the_gateway_refuses_at_the_call_fails_and_can_be_retried(engine: Engine, sandbox: Sandbox) -> None:
    order = bought(500, 700)
    sandbox.script(reference_of(order), limits={"partial": False}, captured_minor=1200)
    [refund] = request(order, ("A", 1)).refunds
    [out] = engine.begin(refund).calls
    engine.answer(out, sandbox.gateway.refund(out.movement, budget=budget()))
    assert fresh(refund).state == "failed"
    assert GatewayRefund.objects.get(refund=refund).failure_code == "no_partial_refunds"
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.refunded_minor) == (0, 0)
    open_ways = set(allowed_actions(refund_anywhere(refund.number), Actor("principal:9", Role.FINANCE)))
    assert {Action.RETRY, Action.CLOSE} <= open_ways
