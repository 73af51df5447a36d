"""Orders in stock are whole: asked back and worked off, they stand the benchmark's proof."""

import pytest

from benchmarks.passes import run_through
from benchmarks.proof import prove
from benchmarks.seeds import waiting_seed
from benchmarks.stock import stored_orders
from orders.models import Order, Payment
from tests.factories import request

pytestmark = pytest.mark.django_db(transaction=True)


def test_stored_orders_can_be_asked_back() -> None:
    orders = Order.objects.filter(number__in=stored_orders(5))
    ids = [refund.id for order in orders for refund in request(order).refunds]
    assert len(ids) == 5
    run_through(ids, batch=3)
    prove(ids)


def test_orders_are_new_each_time() -> None:
    assert not {*stored_orders(2)} & {*stored_orders(2)}


def test_a_seed_is_paid_at_its_account_by_its_customer(settings) -> None:
    settings.GATEWAY_ACCOUNTS = {"sandbox-2": settings.GATEWAY_ACCOUNTS["sandbox"]}
    refund_id = waiting_seed(account="sandbox-2", customer_email="customer@mailed.example").refund_id
    assert Payment.objects.get().account == "sandbox-2"
    assert Order.objects.get(refunds=refund_id).customer_email == "customer@mailed.example"
