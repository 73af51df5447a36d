"""The wake-up after a commit: quick, harmless, and sparing with Celery messages."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.integration.workers.reconcilers import wait_until
from workers.wake import ANSWER_SECONDS, CONNECT_SECONDS, Waker
from workers.workqueue import Band, WorkQueue


class Messages:
    """Counts pump messages."""

    def __init__(self) -> None:
        self.sent = 0

    def __call__(self) -> None:
        self.sent += 1


def waker_to(port: int, messages: Messages) -> Waker:
    client = redis.Redis(
        port=port,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return Waker(WorkQueue(client, []), messages)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_keys_reach_their_band_and_a_pump_is_sent_for(queue: WorkQueue) -> None:
    messages = Messages()
    waker = Waker(queue, messages)
    assert waker.wake("refunds", ["1"]) is True
    assert waker.wake("refunds", ["2"], band=Band.LOW) is True
    wait_until(lambda: messages.sent == 1)
    stats = queue.stats().queues["refunds"]
    assert (stats.high, stats.low) == (1, 1)


def test_no_message_is_sent_while_a_pump_listens(queue: WorkQueue) -> None:
    messages = Messages()
    queue.get("pump", 1, stay=True)
    Waker(queue, messages).wake("refunds", ["1"])
    assert queue.bell().wait(5)
    assert messages.sent == 0


def test_a_broker_that_hangs_holds_nobody_up(queue: WorkQueue) -> None:
    release = threading.Event()
    started = time.monotonic()
    assert Waker(queue, lambda: release.wait(5)).wake("refunds", ["1"]) is True
    assert time.monotonic() - started < 0.2
    release.set()


def test_redis_that_is_down_costs_nothing(closed_port: int) -> None:
    messages = Messages()
    waker = waker_to(closed_port, messages)
    started = time.monotonic()
    assert [waker.wake("refunds", ["1"]) for _ in range(50)] == [False] * 50
    assert time.monotonic() - started < 0.3
    assert messages.sent == 0


def test_redis_that_is_silent_costs_a_tenth_of_a_second_once(silent_port: int) -> None:
    waker = waker_to(silent_port, Messages())
    started = time.monotonic()
    assert [waker.wake("refunds", ["1"]) for _ in range(50)] == [False] * 50
    assert time.monotonic() - started < 0.3


def test_redis_is_tried_again_after_a_second(closed_port: int, queue: WorkQueue) -> None:
    waker = Waker(queue, Messages())
    healthy, waker._queue = waker._queue, WorkQueue(redis.Redis(port=closed_port), [])
    assert waker.wake("refunds", ["1"]) is False
    waker._queue = healthy
    assert waker.wake("refunds", ["1"]) is False, "skipped"
    wait_until(lambda: waker.wake("refunds", ["1"]), seconds=3)
