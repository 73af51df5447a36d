"""Every pair of writers on few orders at once: nobody ever waits for somebody who waits for him."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from itertools import combinations_with_replacement

import pytest
from django.db import connection, transaction

from orders.errors import Problem
from orders.locks import LockNotHad
from orders.models import Order
from orders.services.facts import CustomerFact, LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from orders.services.shipments import ShipmentFacts, add_shipment
from refunds.models import Refund
from refunds.services.acts import cancel_refund
from refunds.services.requests import request_refunds
from refunds.services.wakes import order_changed
from tests.factories import SHOP, make_order, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import Courier, work
from tests.sizes import size

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sized]
ROUNDS = size(60)


def intake(orders: list[Order]) -> None:
    request_refunds([wish(order, ("A", 1)) for order in random.sample(orders, len(orders))])


def shipping(orders: list[Order]) -> None:
    for order in orders:
        with refusals(), transaction.atomic():
            add_shipment(ShipmentFacts(order.number, None, "c", "T"), channel_id=order.channel_id, actor=SHOP)
            order_changed([order.pk])


def cancel(orders: list[Order]) -> None:
    for refund in Refund.objects.filter(order__in=orders):
        with refusals():
            cancel_refund(number=refund.number, channels=[orders[0].channel_id], actor=SHOP)


def reconcile(orders: list[Order]) -> None:
    """T1, the calls and T2, for all at once."""
    refunds = list(Refund.objects.filter(order__in=orders).order_by("?"))
    if refunds:
        work(Engine(), Courier(), *refunds)


def touch(orders: list[Order]) -> None:
    for order in random.sample(orders, len(orders)):
        with refusals(), transaction.atomic():
            order_changed([order.pk])


def put(orders: list[Order]) -> None:
    """The shop states its orders again, each time with one more unit and another customer."""
    for order in orders:
        with refusals(), transaction.atomic():
            put_order(stated(order), channel_id=order.channel_id, actor=SHOP)
            order_changed([order.pk])


def stated(order: Order) -> OrderFacts:
    line = order.lines.get()
    share = order.shares.select_related("payment").get()
    payment = PaymentFact(share.payment.account, share.payment.reference, share.captured_minor + 100)
    more = LineFact(line.sku, line.name, line.quantity + 1, unit_price_minor=100)
    return OrderFacts(
        order.number, order.currency, (more,), (payment,), customer=CustomerFact(name=f"{random.random()}")
    )


WRITERS: tuple[Callable[[list[Order]], None], ...] = (intake, shipping, cancel, reconcile, touch, put)
PAIRS = list(combinations_with_replacement(WRITERS, 2))


def refusals() -> AbstractContextManager[None]:
    """A conflict, or a lock not had in time, is an answer; a deadlock is none."""
    return suppress(Problem, LockNotHad)


def deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(w.__name__ for w in pair))
def test_no_pair_of_writers_deadlocks(pair: tuple[Callable[[list[Order]], None], ...]) -> None:
    before = deadlocks()
    orders = [make_order(100, quantity=2 * ROUNDS + 2) for _ in range(3)]
    intake(orders)

    def write(writer: Callable[[list[Order]], None]) -> None:
        try:
            for _ in range(ROUNDS):
                writer(orders)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=2) as pool:
        for done in [pool.submit(write, writer) for writer in pair]:
            done.result()
    assert deadlocks() == before


def test_each_writer_alone_does_its_work() -> None:
    """Else the pairs above would prove nothing."""
    orders = [make_order(100, quantity=3) for _ in range(2)]
    put(orders)
    assert [order.lines.get().quantity for order in orders] == [4, 4]
    intake(orders)
    cancel(orders)
    assert set(Refund.objects.values_list("state", flat=True)) == {"cancelled"}
    intake(orders)
    reconcile(orders)
    assert Refund.objects.filter(state="refunded").count() == 2
    shipping(orders)
    assert [order.shipments.count() for order in orders] == [1, 1]
