"""Refunds by hand before, during and after ours, with everybody at work at once: the books end as the gateway's do."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread

import pytest
from django.db import connection

from orders import clock
from orders.models import Order
from refunds.models import GatewayScan, Orphan, Refund
from refunds.services.requests import request_refunds
from tests.factories import wish
from tests.integration.adapters.peers import http
from tests.integration.engine.returns import bought
from tests.integration.engine.threads import together
from tests.integration.orphans.world import World, payment_of, perform, record, sums
from tests.sizes import size
from workers.contract import Reconciler
from workers.room import Room
from workers.workqueue import Lease

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

MOODS = ["succeed", "succeed", "pending_then_succeed", "pending_then_fail", "timeout_after_success", "error_500"]


@pytest.mark.sized
def test_whoever_comes_first_each_movement_counts_once(sandbox_url: str, world: World) -> None:
    """Controller checks 72 and 74 (TestSyncOrphanPod, TestGetNewFinshedPods), with several workers at orphans."""
    orders = [bought(1000) for _ in range(size(100))]
    for order in orders:
        world.script(order, {"behaviour": random.choice(MOODS), "settle_ms": 50})
    with at_work(sandbox_url):
        together(partial(_ask, orders), partial(_pay_back, world, orders), partial(_scan_now, len(orders)))
    for _ in range(4):
        world.scan()
        world.later()
    for order in orders:
        assert sums(order).get("refunded", 0) == _gone(world, order), payment_of(order)
        assert sums(order).get("reserved", 0) == 0 or sums(order)["excess"] > 0
    adopted = Orphan.objects.filter(state="adopted", payment_reference__in=map(payment_of, orders))
    assert adopted.count() == len(orders)


def _ask(orders: list[Order]) -> None:
    for order in orders:
        request_refunds([wish(order)])


def _pay_back(world: World, orders: list[Order]) -> None:
    for order in random.sample(orders, len(orders)):
        world.make(order, 400)


def _scan_now(times: int) -> None:
    for _ in range(times):
        GatewayScan.objects.update(next_scan_at=clock.now())


@contextmanager
def at_work(sandbox_url: str) -> Iterator[None]:
    """Two of each reconciler, over everything there is, until the block ends."""
    done = Event()
    workers = [World(sandbox_url) for _ in range(2)]
    jobs = [partial(_work, done, w.refunds, _every_refund) for w in workers]
    jobs += [partial(_work, done, w.orphans, lambda w=w: w.orphans.due(100)) for w in workers]
    jobs += [partial(_work, done, w.listings, lambda w=w: w.listings.due(100)) for w in workers]
    threads = [Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join(30)


def _work(done: Event, reconciler: Reconciler, keys: Callable[[], list[str]]) -> None:
    try:
        while not done.wait(0.02):
            leases = [Lease(reconciler.queue, key, "token") for key in keys()]
            begun = reconciler.begin(leases, Room(64, lambda: 64))
            for call in begun.calls:
                record(reconciler, [perform(reconciler, call)])
    finally:
        connection.close()


def _every_refund() -> list[str]:
    return [str(pk) for pk in Refund.objects.values_list("pk", flat=True)]


def _gone(world: World, order: Order) -> int:
    """By the gateway's own books."""
    refunds = http("GET", f"{world.url}/gateway/ledger?reference={payment_of(order)}")["refunds"]
    return sum(refund["amount_minor"] for refund in refunds if refund["status"] == "succeeded")
