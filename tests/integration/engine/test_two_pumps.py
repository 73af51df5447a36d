"""A test that cheats gives one key, under one lease, to two pumps: the rows decide, and the gateway is called once."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import redis
from django.db import connection

from orders.models import PaymentShare
from refunds.models import Refund
from tests.integration.adapters.conftest import Sandbox, parcels, receiver, sandbox
from tests.integration.engine.money import asked_for, standing, sums
from tests.sizes import size
from tests.waiting import eventually
from workers.bootstrap import courier
from workers.contract import Begun
from workers.controller import Controller, Host, Limits
from workers.reconcilers.refunds import RefundReconciler
from workers.room import Room
from workers.workqueue import Lease, QueueSpec, Taken, WorkQueue

__all__ = ["parcels", "receiver", "sandbox"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

LIMITS = Limits(pump_seconds=8, linger_seconds=0, hard_limit_seconds=12)


class Forged(WorkQueue):
    """Hands out, once, a lease that somebody has."""

    lease: Lease | None = None

    def get(self, pump: str, n: Any, *, held: int = 0, stay: bool = False, told: bool = False) -> Taken:
        taken = super().get(pump, 0, held=held, stay=stay)
        lease, self.lease = self.lease, None
        return replace(taken, leases=[lease] if lease else [], left={})


class Reconciler(RefundReconciler):
    """Begins when it may."""

    may_begin: Callable[[], object]

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        if wait_ms is None:
            self.may_begin()
        return super().begin(leases, room, wait_ms=wait_ms)


class Pumps:
    """Each is a runtime of its own, with its own database connection, and is given the same lease of the refund."""

    def __init__(self, client: redis.Redis, sandbox: Sandbox, refund: Refund) -> None:
        self._client = client
        self._sandbox = sandbox
        self._prefix = f"{{test}}:{refund.id}"
        queue = self._queue()
        queue.add("refunds", [str(refund.id)])
        [self._lease] = WorkQueue.get(queue, "the one that has it", 1).leases

    def start(self, may_begin: Callable[[], object] = lambda: None) -> threading.Thread:
        thread = threading.Thread(target=self._run, args=[may_begin])
        thread.start()
        return thread

    def _run(self, may_begin: Callable[[], object]) -> None:
        queue = self._queue()
        queue.lease = self._lease
        reconciler = Reconciler(lambda account: self._sandbox.gateway, courier, is_courier=lambda account: False)
        reconciler.may_begin = may_begin
        try:
            Controller(queue, [reconciler], Host(lambda: None, lambda: False), limits=LIMITS).run()
        finally:
            connection.close()

    def _queue(self) -> Forged:
        return Forged(self._client, [QueueSpec("refunds")], prefix=self._prefix, most_pumps=10)


@pytest.mark.sized
def test_both_beginning_at_once_make_one_call(redis_client: redis.Redis, sandbox: Sandbox) -> None:
    for _ in range(size(50)):
        refund = asked_for()
        pumps, barrier = Pumps(redis_client, sandbox, refund), threading.Barrier(2)
        _join(*[pumps.start(lambda barrier=barrier: barrier.wait(10)) for _ in range(2)])
        _is_refunded_by_one_call(sandbox, refund)


def test_the_second_one_beginning_while_the_call_is_out_makes_none(redis_client: redis.Redis, sandbox: Sandbox) -> None:
    refund = asked_for()
    sandbox.script(_reference(refund), {"behaviour": "succeed", "delay_ms": 700})
    pumps = Pumps(redis_client, sandbox, refund)
    first = pumps.start()
    eventually(lambda: _sends(sandbox, refund))
    _join(first, pumps.start())
    _is_refunded_by_one_call(sandbox, refund)


def test_the_second_one_beginning_when_all_is_done_makes_none(redis_client: redis.Redis, sandbox: Sandbox) -> None:
    """Controller check 40; upstream: TestDelayedJobUpdateEvent, TestSyncJobComplete."""
    refund = asked_for()
    pumps = Pumps(redis_client, sandbox, refund)
    _join(pumps.start())
    _join(pumps.start())
    _is_refunded_by_one_call(sandbox, refund)


def _join(*threads: threading.Thread) -> None:
    for thread in threads:
        thread.join(15)
        assert not thread.is_alive()


def _reference(refund: Refund) -> str:
    return PaymentShare.objects.get(order=refund.order_id).payment.reference


def _sends(sandbox: Sandbox, refund: Refund) -> list[object]:
    return [call for call in sandbox.ledger(_reference(refund))["calls"] if call["method"] == "POST"]


def _is_refunded_by_one_call(sandbox: Sandbox, refund: Refund) -> None:
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))
    assert len(_sends(sandbox, refund)) == 1
