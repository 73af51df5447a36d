"""RabbitMQ in Redis's place as Celery's broker, by its URL alone. The queue of keys stays in Redis."""

from collections.abc import Iterator

import pytest
import redis

from tests.consistency import violations
from tests.processes import Stack
from tests.stories.rabbitmq import RabbitMQ, running_rabbitmq
from tests.stories.road import Road, ship
from tests.stories.shop import Case, Shop

pytestmark = [pytest.mark.xdist_group("rabbitmq"), pytest.mark.soak]


@pytest.fixture(scope="module")
def rabbitmq() -> Iterator[RabbitMQ]:
    with running_rabbitmq() as running:
        yield running


@pytest.fixture(scope="module")
def shop(rabbitmq: RabbitMQ) -> Iterator[Shop]:
    with Stack(BROKER_URL=rabbitmq.url).running() as stack:
        yield Shop(stack)
        with stack.connect() as connection:
            assert violations(connection) == []


def test_refunds_of_both_roads_end(shop: Shop):
    instant = shop.place_order().request_refund()
    order = shop.place_order()
    ship(order).delivered()
    road = Road(order.request_refund())
    road.approved("pickup")
    road.fetched()
    road.inspected(accepted=1)
    _is_refunded_once(instant)
    _is_refunded_once(road.case)


def test_redis_holds_no_message(shop: Shop):
    with redis.Redis.from_url(shop.stack.redis_url, decode_responses=True) as client:
        assert [name for name in client.scan_iter() if not name.startswith("{refundry}:")] == []


def test_a_killed_worker_s_messages_and_keys_come_to_others(shop: Shop):
    slowly = {"behaviour": "succeed", "delay_ms": 800}
    cases = [shop.place_order(slowly).request_refund() for _ in range(20)]
    shop.stack.kill("worker")
    shop.stack.restart("worker")
    for case in cases:
        _is_refunded_once(case)


def test_what_is_asked_while_the_broker_is_gone_is_done_afterwards(shop: Shop, rabbitmq: RabbitMQ):
    rabbitmq.kill()
    case = shop.place_order().request_refund()
    rabbitmq.restart()
    _is_refunded_once(case)
    _is_refunded_once(shop.place_order().request_refund())


def _is_refunded_once(case: Case) -> None:
    case.comes_to_rest("refunded")
    assert len(case.order.sends()) == len(case.order.gateway_refunds()) == 1
