"""The Celery doorways, with a real worker where one is needed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis

from tests.integration.workers.reconcilers import wait_until
from workers import bootstrap, tasks
from workers.wake import send_pump, wake

WORKER = ["-m", "celery", "--app", "config", "worker", "--concurrency", "2", "--without-gossip", "--without-mingle"]


def messages(client: redis.Redis) -> int:
    """Celery messages waiting in the broker."""
    return client.llen("celery")


@pytest.fixture
def worker(redis_client: redis.Redis) -> Iterator[subprocess.Popen[bytes]]:
    # It has no database to read that from.
    bootstrap.workqueue().declare_paused(list)
    environment = {**os.environ, "LINGER_SECONDS": "30", "PUMP_SECONDS": "40"}
    command = [sys.executable, *WORKER, "--loglevel", "WARNING"]
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_many_wake_ups_of_an_idle_system_send_one_message(redis_client: redis.Redis) -> None:
    for n in range(20):
        wake("refunds", [str(n)])
    wait_until(lambda: messages(redis_client) == 1)
    assert bootstrap.workqueue().stats().queues["refunds"].high == 20


def test_top_up_sends_a_message_only_when_there_is_work(redis_client: redis.Redis) -> None:
    """Controller check 25; no upstream test."""
    tasks.top_up()
    assert messages(redis_client) == 0
    bootstrap.workqueue().add("refunds", ["1"])
    redis_client.delete("{refundry}::waking")
    tasks.top_up()
    assert messages(redis_client) == 1


def test_messages_carry_no_key_and_no_delay(redis_client: redis.Redis) -> None:
    wake("refunds", ["secret-key"])
    wait_until(lambda: messages(redis_client) == 1)
    (message,) = redis_client.lrange("celery", 0, -1)
    assert b"secret-key" not in message
    assert b'"eta": null' in message


def test_a_message_brings_a_pump_and_repeated_ones_change_nothing(
    worker: subprocess.Popen[bytes], redis_client: redis.Redis
) -> None:
    for _ in range(5):
        send_pump()
    queue = bootstrap.workqueue()
    wait_until(lambda: queue.stats().listening == 2, seconds=30)
    assert queue.stats().pumps == 2


def test_worker_that_is_told_to_stop_ends_its_lingering_pumps_at_once(
    worker: subprocess.Popen[bytes], redis_client: redis.Redis
) -> None:
    """Controller check 28; upstream: TestBasic, TestGetFromPriorityQueueIsUnblockedOnShutdown,
    TestPriorityQueueDoesNotDeadlockOnShutdownWhileHandingOutItems."""
    send_pump()
    queue = bootstrap.workqueue()
    wait_until(lambda: queue.stats().listening == 1, seconds=30)
    worker.terminate()
    wait_until(lambda: queue.stats().pumps == 0, seconds=3)
    started = time.monotonic()
    worker.wait(10)
    assert time.monotonic() - started < 10
