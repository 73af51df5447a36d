"""Orders and refunds in stock are the product's own, whole: worked off, they stand the benchmark's proof."""

import pytest

from benchmarks.passes import run_through
from benchmarks.proof import prove
from benchmarks.stock import stored_orders, stored_refunds
from orders.errors import Problem
from orders.models import Payment
from refunds.models import Refund

pytestmark = pytest.mark.django_db(transaction=True)


def test_stored_refunds_can_be_worked_off() -> None:
    numbers = stored_orders(5)
    stored_refunds(numbers, batch=2)
    ids = list(Refund.objects.filter(order__number__in=numbers).values_list("id", flat=True))
    assert len(ids) == 5
    run_through(ids, batch=3)
    prove(ids)


def test_orders_are_new_each_time_and_paid_at_the_account() -> None:
    assert not {*stored_orders(2)} & {*stored_orders(2, account="sandbox-2")}
    assert list(Payment.objects.order_by("id").values_list("account", flat=True)) == ["sandbox"] * 2 + ["sandbox-2"] * 2


def test_what_is_refused_is_told() -> None:
    numbers = stored_orders(1)
    stored_refunds(numbers)
    with pytest.raises(Problem):
        stored_refunds(numbers)
