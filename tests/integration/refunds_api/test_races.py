"""Two clients at once, over a live server: one of them gets the money, the other is told what is left."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from orders.models import PaymentShare
from orders.roles import Role
from refunds.models import GatewayRefund, Refund
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5


@pytest.fixture
def together(live_server) -> Callable[..., list[tuple[int, Any]]]:
    """Posts several requests in the same moment; their (status, body) in the given order."""

    def post(caller: Caller, *calls: tuple[str, Any, dict[str, str]]) -> list[tuple[int, Any]]:
        start = threading.Barrier(len(calls))

        def one(call: tuple[str, Any, dict[str, str]]) -> tuple[int, Any]:
            path, body, headers = call
            request = urllib.request.Request(
                f"{live_server.url}/api/v1{path}",
                data=json.dumps(body).encode(),
                headers={"Authorization": f"Bearer {caller.key}", "Content-Type": "application/json"} | headers,
            )
            start.wait(timeout=10)
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return response.status, json.load(response)
            except urllib.error.HTTPError as error:
                return error.code, json.load(error)

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(one, calls))

    return post


def test_two_clients_at_once_for_the_same_money(shop, channel, together) -> None:
    for _ in range(ROUNDS):
        order = rows.a_paid_order(channel)
        call = (f"/orders/{order.number}/refunds", {"lines": [{"sku": "MUG-1", "quantity": 2}]}, {})
        answers = together(shop, call, call)
        assert sorted(status for status, _ in answers) == [202, 409]
        refusal = next(body for status, body in answers if status == 409)
        assert refusal["code"] == "units_not_left" and refusal["left"] == 0
        share = PaymentShare.objects.get(order=order)
        assert (share.reserved_minor, GatewayRefund.objects.filter(share=share).count()) == (1000, 1)


def test_two_clients_at_once_for_a_part_each_share_what_is_there(shop, channel, together) -> None:
    order = rows.a_paid_order(channel, quantity=3)
    call = (f"/orders/{order.number}/refunds", {"lines": [{"sku": "MUG-1", "quantity": 2}]}, {})
    answers = together(shop, call, call)
    assert sorted(status for status, _ in answers) == [202, 409]
    assert next(body for status, body in answers if status == 409)["left"] == 1


@pytest.mark.parametrize("asked", [1000, 600, 800])
def test_two_clients_at_once_for_the_same_free_amount(caller, channel, together, asked: int) -> None:
    order = rows.a_paid_order(channel)
    path = f"/orders/{order.number}/refunds"
    call = (path, {"amount_minor": asked}, {})
    answers = together(caller(Role.SUPERVISOR), call, call)
    assert sorted(status for status, _ in answers) == [202, 409]
    refusal = next(body for status, body in answers if status == 409)
    assert (refusal["code"], refusal["left_minor"]) == ("more_than_left", 1000 - asked)
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.free_minor) == (asked, 1000 - asked)


def test_two_clients_at_once_for_one_overpayment(shop, channel, together) -> None:
    order = rows.a_paid_order(channel)
    PaymentShare.objects.filter(order=order).update(captured_minor=1700)
    call = (f"/orders/{order.number}/refunds", {"overpaid": True}, {})
    answers = together(shop, call, call)
    assert sorted(status for status, _ in answers) == [202, 409]
    assert PaymentShare.objects.get(order=order).reserved_minor == 700


def test_one_idempotency_key_twice_at_once_does_one_refund(shop, channel, together) -> None:
    for number in range(ROUNDS):
        order = rows.a_paid_order(channel)
        click = {"Idempotency-Key": f"click-{number}"}
        call = (f"/orders/{order.number}/refunds", {"lines": [{"sku": "MUG-1", "quantity": 1}]}, click)
        first, second = together(shop, call, call)
        assert {first[0], second[0]} <= {202, 409} and 202 in (first[0], second[0])
        for status, body in (first, second):
            assert status == 202 or body["code"] == "idempotency_key_in_use"
        (again,) = together(shop, call)
        assert again[0] == 202
        assert Refund.objects.filter(order=order).count() == 1
        assert again[1]["request"] in [body.get("request") for _, body in (first, second)]


def test_batches_at_once_over_the_same_orders_give_each_unit_once(shop, channel, together) -> None:
    """Whatever the order of their items is: neither waits for the other in a circle."""
    for _ in range(ROUNDS):
        orders = [rows.a_paid_order(channel) for _ in range(10)]
        items = [{"order": order.number, "lines": "all"} for order in orders]
        answers = together(shop, *[("/refunds:batch", {"refunds": asked}, {}) for asked in (items, items[::-1]) * 2])
        assert {status for status, _ in answers} == {200}
        results = [result["status"] for _, body in answers for result in body["results"]]
        assert (results.count(202), results.count(409)) == (10, 30)
        shares = PaymentShare.objects.filter(order__in=orders).values_list("reserved_minor", flat=True)
        assert list(shares) == [1000] * 10


def test_one_idempotency_key_twice_at_once_does_one_batch(shop, channel, together) -> None:
    order = rows.a_paid_order(channel)
    body = {"refunds": [{"order": order.number, "lines": [{"sku": "MUG-1", "quantity": 1}]}]}
    call = ("/refunds:batch", body, {"Idempotency-Key": "night-1"})
    answers = together(shop, call, call)
    assert {status for status, _ in answers} <= {200, 409} and 200 in (status for status, _ in answers)
    (again,) = together(shop, call)
    assert again in answers and Refund.objects.filter(order=order).count() == 1


def test_cancelling_twice_at_once_releases_the_money_once(shop, channel, together) -> None:
    order = rows.a_paid_order(channel)
    made = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"})
    number = made.body["refunds"][0]["metadata"]["number"]
    call = (f"/refunds/{number}/cancel", {}, {})
    answers = together(shop, call, call)
    assert sorted(status for status, _ in answers) == [200, 409]
    share = PaymentShare.objects.get(order=order)
    assert (share.reserved_minor, share.refunded_minor) == (0, 0)


@pytest.mark.parametrize("other", ["approve", "reject"])
def test_of_two_agents_at_once_one_decides(other, channel, together) -> None:
    agent = Caller(channel, role=Role.SUPPORT)
    for _ in range(ROUNDS):
        refund = returns.in_review()
        body = {"reason": "Worn."} if other == "reject" else {}
        answers = together(
            agent, (f"/refunds/{refund.number}/approve", {}, {}), (f"/refunds/{refund.number}/{other}", body, {})
        )
        assert sorted(status for status, _ in answers) == [200, 409]
        won = next(body for status, body in answers if status == 200)
        lost = next(body for status, body in answers if status == 409)
        assert (lost["code"], lost["state"]) == ("wrong_state", won["status"]["state"])
        assert Refund.objects.get(pk=refund.pk).state == won["status"]["state"]
        share = PaymentShare.objects.get(order=refund.order)
        assert share.reserved_minor == (0 if won["status"]["state"] == "rejected" else 3000)


def test_cancelled_and_approved_at_once_it_is_one_after_the_other(channel, together) -> None:
    agent = Caller(channel, role=Role.SUPERVISOR)
    for _ in range(ROUNDS):
        number = returns.in_review().number
        approved, cancelled = together(
            agent, (f"/refunds/{number}/approve", {}, {}), (f"/refunds/{number}/cancel", {}, {})
        )
        assert cancelled[0] == 200 and approved[0] in (200, 409)
        assert Refund.objects.get(number=number).state == "cancelled"
