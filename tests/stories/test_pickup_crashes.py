"""Whatever is killed, frozen or emptied while a courier is being booked: he is booked once, and the goods are fetched.

What the courier was asked tells that nobody guessed: a booking that may have been made is looked up before another one.
"""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
import urllib3

from tests.processes import Stack
from tests.sizes import size
from tests.stories.courier import UNTOLD, Courier, in_review, words
from tests.stories.shop import Answer, Shop
from tests.stories.traps import FREEZE, Trap
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("crashes"), pytest.mark.sized]

FULLY = pytest.mark.soak
#: Where a process ends, and whether the courier is asked then what became of it.
KILLED = [
    pytest.param("locked", False, marks=FULLY),
    ("claimed", True),
    pytest.param("sending", True, marks=FULLY),
    ("writing", True),
    ("answered", True),
    ("recorded", False),
    ("finishing", False),
]
#: Where a process freezes, and how often the courier is asked to come until it has woken up again.
FROZEN = [
    ("locked", 1),
    pytest.param("sending", 1, marks=FULLY),
    pytest.param("writing", 2, marks=FULLY),
    pytest.param("answered", 1, marks=FULLY),
]
ROUNDS = range(size(10))


@pytest.mark.parametrize("round", ROUNDS)
@pytest.mark.parametrize(("point", "asks"), KILLED)
def test_killed_pool_process(fragile_stack: Stack, fragile_shop: Shop, point: str, asks: bool, round: int):
    courier = _to_be_booked(fragile_shop)
    trap = Trap(fragile_stack, point, courier.first_pickup)
    courier.road.agent("approve")
    trap.springs()
    _is_booked_once(courier, asks=asks)


def test_killed_with_a_booking_in_its_hands_that_the_courier_tells(fragile_stack: Stack, fragile_shop: Shop):
    courier = _to_be_booked(fragile_shop, "succeed")
    trap = Trap(fragile_stack, "answered", courier.first_pickup)
    courier.road.agent("approve")
    trap.springs()
    courier.road.booked()
    eventually(courier.questions)
    _is_booked_once(courier, asks=True)


@FULLY
@pytest.mark.parametrize("round", range(size(5)))
def test_killed_worker_and_all_its_pool(fragile_stack: Stack, fragile_shop: Shop, round: int):
    courier = _to_be_booked(fragile_shop)
    trap = Trap(fragile_stack, "answered", courier.first_pickup, whole=True)
    courier.road.agent("approve")
    trap.springs()
    fragile_stack.kill("worker")
    fragile_stack.restart("worker")
    _is_booked_once(courier, asks=True)


@pytest.mark.parametrize("round", ROUNDS)
@pytest.mark.parametrize(("point", "sends"), FROZEN)
def test_frozen_pool_process(fragile_stack: Stack, fragile_shop: Shop, point: str, sends: int, round: int):
    """Others go on meanwhile. In the very act of sending nothing but the idempotency key helps."""
    courier, another = _to_be_booked(fragile_shop), _to_be_booked(fragile_shop)
    trap = Trap(fragile_stack, point, courier.first_pickup, does=FREEZE)
    courier.road.agent("approve")
    trap.springs()
    another.road.agent("approve")
    another.road.booked()
    courier.road.booked()
    trap.wake()
    eventually(courier.sends, lambda calls: len(calls) == sends)
    _is_booked_once(courier, asks=point != "locked", sends=sends)


def test_valkey_emptied_in_the_middle(fragile_stack: Stack, fragile_shop: Shop):
    couriers = [_to_be_booked(fragile_shop, UNTOLD | {"delay_ms": 800}) for _ in range(size(50))]
    for courier in couriers:
        courier.road.agent("approve")
    eventually(couriers[0].sends)
    with redis.Redis.from_url(fragile_stack.redis_url) as client:
        client.flushall()
    for courier in couriers:
        _is_booked_once(courier)


def test_what_is_done_and_told_while_valkey_is_down(fragile_stack: Stack, fragile_shop: Shop):
    """Nobody is due to ask about the parcel: only the sweep, over the stored webhook, comes back to it."""
    told, approved = _to_be_booked(fragile_shop), _to_be_booked(fragile_shop)
    told.road.agent("approve")
    waybill = told.road.booked()["waybill"]
    fragile_stack.kill("valkey")
    try:
        approved.road.agent("approve")
        told.tells("received", waybill=waybill)
        eventually(lambda: words(fragile_shop, waybill, applied=False) == 1)
    finally:
        fragile_stack.restart("valkey")
    told.road.case.becomes("inspecting")
    assert told.questions() == []
    _is_booked_once(approved)


@pytest.mark.parametrize("round", range(size(10)))
def test_a_killed_web_process_and_agents_that_repeat(fragile_stack: Stack, fragile_shop: Shop, round: int):
    couriers = [_to_be_booked(fragile_shop) for _ in range(4)]
    with ThreadPoolExecutor(len(couriers)) as pool:
        answers = pool.map(_approve_until_answered, couriers)
        os.kill(fragile_stack.pids("web")[1], signal.SIGKILL)
        assert {answer.status for answer in answers} == {200}
    for courier in couriers:
        _is_booked_once(courier)


def _to_be_booked(shop: Shop, *book: Any) -> Courier:
    """An approval away from being asked to come."""
    courier = Courier(in_review(shop))
    courier.answers(book=list(book) or [UNTOLD])
    return courier


def _approve_until_answered(courier: Courier) -> Answer:
    case = courier.road.case

    def ask() -> Answer | None:
        try:
            answer = case.order.shop.send("POST", f"/refunds/{case.number}/approve", {}, key="click", role="support")
        except urllib3.exceptions.HTTPError:
            return None
        return None if answer.status == 409 and answer.body["code"] == "idempotency_key_in_use" else answer

    return eventually(ask)


def _is_booked_once(courier: Courier, *, asks: bool | None = None, sends: int = 1) -> None:
    """`asks`: whether he had to be asked what became of it; None: either. Then the goods go on their way."""
    road = courier.road
    pickup = road.booked()
    [booking] = road.bookings()
    assert (booking["waybill"], booking["status"]) == (pickup["waybill"], "booked")
    assert [send["idempotency_key"] for send in courier.sends()] == [pickup["number"]] * sends
    assert asks is None or bool(courier.questions()) == asks
    eventually(road.case.told, lambda told: told == ["email: pickup_booked", "email: received", "sms: pickup_booked"])
    courier.tells("received")
    road.case.becomes("inspecting")
    assert road.incidents() == []
