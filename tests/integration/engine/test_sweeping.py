"""The sweep through the real runtime: what always raises takes its turn and no more."""

from datetime import timedelta

import pytest
import redis
from django.db import InterfaceError, OperationalError, connection

from orders import clock
from refunds.models import Refund
from tests.integration.engine.money import asked_for
from tests.integration.engine.returns import fresh, pass_time
from workers.adapters.unconfigured import UnconfiguredCourier, UnconfiguredGateway
from workers.controller import Controller, Host, Limits
from workers.reconcilers.refunds import RefundReconciler
from workers.workqueue import Band, QueueSpec, WorkQueue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]

PAGE, BAD = 5, 12


def test_syncs_that_always_raise_never_keep_the_sweep_from_the_others(redis_client: redis.Redis) -> None:
    """More of them than a page has, and all of them due before the rest; the next page goes on behind them."""
    reconciler = RefundReconciler(UnconfiguredGateway, UnconfiguredCourier, is_courier=lambda account: False)
    queue = WorkQueue(redis_client, [QueueSpec("refunds")])
    controller = _controller(queue, reconciler)
    bad = [asked_for() for _ in range(BAD)]
    Refund.objects.update(conditions=[{"no": "type"}], next_reconcile_at=clock.now())
    for _ in range(2):
        good = [asked_for() for _ in range(2)]
        pass_time(timedelta(minutes=11))
        for _ in range((BAD + len(good)) // PAGE + 1):
            queue.add("refunds", reconciler.due(PAGE), band=Band.LOW)
            controller.run()
        assert {fresh(refund).state for refund in good} == {"refunding"}
    assert {fresh(refund).state for refund in bad} == {"requested"}
    assert all(fresh(refund).failures for refund in bad)
    Refund.objects.filter(pk__in=[refund.pk for refund in bad]).update(conditions=[])


def _controller(queue: WorkQueue, reconciler: RefundReconciler) -> Controller:
    host = Host(
        send_pump=lambda: None,
        is_stopping=lambda: False,
        database_errors=(OperationalError, InterfaceError),
        reset_database=connection.close_if_unusable_or_obsolete,
    )
    limits = Limits(pump_seconds=5.0, linger_seconds=0.05, hard_limit_seconds=10.0)
    return Controller(queue, [reconciler], host, limits=limits)
