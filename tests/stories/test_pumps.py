"""Pumps come and go: those that are killed are missed as soon as their registrations lapse."""

import os
import signal
import time

import pytest
import redis

from tests.processes import SHORT_TIMES, Stack
from tests.stories.shop import Shop
from tests.waiting import eventually
from workers.workqueue import WorkQueue

pytestmark = pytest.mark.xdist_group("crashes")

LEASE_SECONDS = float(SHORT_TIMES["LEASE_SECONDS"])
PUMPS = 2
#: The scheduler looks every second whether anybody comes; the rest is for a machine with other things to do.
SLACK_SECONDS = 5.0


def test_killed_pumps_are_replaced_within_their_lease(fragile_stack: Stack, fragile_shop: Shop):
    order = fragile_shop.place_order()
    _lose_every_pump(fragile_stack)
    lost_at = time.monotonic()
    case = order.request_refund()
    eventually(order.sends)
    assert time.monotonic() < lost_at + LEASE_SECONDS + SLACK_SECONDS
    case.comes_to_rest("refunded")


def _lose_every_pump(stack: Stack) -> None:
    """Whatever runs is killed; as many as may run at once are registered then, and wait for the bell, and are dead."""
    for pid in stack.pids("worker")[1:]:
        os.kill(pid, signal.SIGKILL)
    with redis.Redis.from_url(stack.redis_url) as client:
        queue = WorkQueue(client, [], lease_seconds=LEASE_SECONDS, most_pumps=PUMPS)
        for n in range(PUMPS):
            queue.get(f"dead {n}", 0, stay=True)
        assert not queue.get("one more", 0).registered
