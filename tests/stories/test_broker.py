"""Celery's messages carry nothing: they may be purged, and they may come again and again."""

import signal

import pytest
from celery import Celery

from tests.processes import Stack
from tests.stories.shop import Case, Shop

pytestmark = pytest.mark.xdist_group("crashes")

COPIES = 30


def test_a_purged_queue_and_a_message_that_comes_thirty_times(fragile_stack: Stack, fragile_shop: Shop):
    with Celery(broker=fragile_stack.redis_url, set_as_current=False) as celery:
        fragile_stack.send("worker", signal.SIGSTOP)
        try:
            purged = [fragile_shop.place_order().request_refund() for _ in range(3)]
            celery.control.purge()
        finally:
            fragile_stack.send("worker", signal.SIGCONT)
        for _ in range(COPIES):
            celery.send_task("workers.tasks.pump", task_id="the same message", ignore_result=True)
        repeated = [fragile_shop.place_order().request_refund() for _ in range(3)]
    for case in purged + repeated:
        _is_refunded_once(case)


def _is_refunded_once(case: Case) -> None:
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == len(case.order.gateway_refunds()) == 1
    assert (len(case.messages("email")), len(case.messages("sms"))) == (1, 1)
