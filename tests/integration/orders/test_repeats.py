"""A repeated POST does its work once, and two clients at once do not do it twice."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.http import HttpResponse

from orders.locks import lock_orders
from orders.models import IdempotencyRecord, Order, OrderLine, Payment, Shipment
from orders.roles import Role
from orders.services import held
from refunds.models import LedgerEntry
from tests.integration.orders.conftest import ORDER, Api, MakeApi

ONE_MUG = {"lines": [{"sku": "MUG", "quantity": 1}]}


def at_once(calls: list[Callable[[], HttpResponse]]) -> list[HttpResponse]:
    """Answers of calls that begin together, each on its own connection."""
    ready, answers = threading.Barrier(len(calls)), []

    def run(call: Callable[[], HttpResponse]) -> None:
        ready.wait(10)
        answers.append(call())
        connections.close_all()

    threads = [threading.Thread(target=run, args=[call]) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(answers) == len(calls)
    return answers


@pytest.mark.django_db
class TestOneAfterTheOther:
    @pytest.fixture(autouse=True)
    def placed(self, shop: Api) -> None:
        assert shop("PUT", "orders/1", ORDER).status_code == 201

    def test_the_same_key_and_body_give_the_same_answer(self, shop: Api) -> None:
        first = shop("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")
        again = shop("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")
        assert (first.status_code, first.content) == (again.status_code, again.content)
        assert "Idempotent-Replay" not in first.headers
        assert again.headers["Idempotent-Replay"] == "true"
        assert OrderLine.objects.get(line_id="MUG").shipped == 1

    def test_another_body_under_the_key_is_refused(self, shop: Api) -> None:
        shop("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")
        for body in (ONE_MUG | {"carrier": "DHL"}, None):
            other = shop("POST", "orders/1/shipments", body, Idempotency_Key="k")
            assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
        assert Shipment.objects.count() == 1

    def test_a_key_belongs_to_its_principal_and_address(self, shop: Api, api_of: MakeApi) -> None:
        shop("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")
        other = api_of(Role.WAREHOUSE)("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")
        link = shop("POST", "orders/1/links", {"purpose": "order"}, Idempotency_Key="k")
        assert (other.status_code, link.status_code) == (201, 201)
        assert OrderLine.objects.get(line_id="MUG").shipped == 2

    def test_a_refused_request_is_judged_anew(self, shop: Api) -> None:
        too_many = {"lines": [{"sku": "MUG", "quantity": 3}]}
        assert shop("POST", "orders/1/shipments", too_many, Idempotency_Key="k").status_code == 409
        assert not IdempotencyRecord.objects.exists()
        shop("PUT", "orders/1", ORDER | {"lines": [ORDER["lines"][0] | {"quantity": 3}]})
        assert shop("POST", "orders/1/shipments", too_many, Idempotency_Key="k").status_code == 201


@pytest.fixture
def committed(transactional_db: None, api_of: MakeApi) -> Iterator[Api]:
    yield api_of(Role.SHOP)


def test_two_clients_put_the_same_new_order_at_once(committed: Api) -> None:
    answers = at_once([lambda: committed("PUT", "orders/1", ORDER)] * 4)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert (Order.objects.count(), Payment.objects.count(), LedgerEntry.objects.count()) == (1, 1, 1)
    assert Order.objects.get().resource_version == 1


def test_the_same_key_at_once_does_the_work_once(committed: Api) -> None:
    committed("PUT", "orders/1", ORDER)
    answers = at_once([lambda: committed("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")] * 4)
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert {a.json()["code"] for a in answers if a.status_code == 409} <= {"idempotency_key_in_use"}
    assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert Shipment.objects.count() == 1


def test_orders_that_share_two_payments_crosswise_do_not_deadlock(committed: Api) -> None:
    def body(*references: str) -> dict[str, Any]:
        shared = {"gateway": "sandbox", "captured_minor": 100, "shared_total_minor": 2000}
        return ORDER | {"payments": [shared | {"reference": reference} for reference in references]}

    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "b")]
    calls = [lambda n=n, p=p: committed("PUT", f"orders/{n}", body(*p)) for n, p in enumerate(pairs)]
    assert [answer.status_code for answer in at_once(calls)] == [201] * 4
    assert sum(Payment.objects.values_list("allocated_minor", flat=True)) == 800


def test_an_order_that_stays_locked_answers_503_and_when_to_come_again(
    committed: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "WEB_WAIT_MS", 50)
    committed("PUT", "orders/1", ORDER)
    order_id = Order.objects.get().pk
    with transaction.atomic():
        lock_orders([order_id])
        [answer] = at_once([lambda: committed("POST", "orders/1/shipments", ONE_MUG)])
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "busy", "1")
    assert not Shipment.objects.exists()


def test_a_key_in_use_is_told_so(committed: Api) -> None:
    committed("PUT", "orders/1", ORDER)
    order_id = Order.objects.get().pk
    with transaction.atomic():
        lock_orders([order_id])
        running = threading.Thread(
            target=lambda: (
                committed("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k"),
                connections.close_all(),
            )
        )
        running.start()
        wait_for_advisory_lock()
        [second] = at_once([lambda: committed("POST", "orders/1/shipments", ONE_MUG, Idempotency_Key="k")])
    running.join(10)
    assert (second.status_code, second.json()["code"]) == (409, "idempotency_key_in_use")
    assert Shipment.objects.count() == 1


def wait_for_advisory_lock() -> None:
    with connection.cursor() as cursor:
        for _ in range(100):
            cursor.execute(
                "SELECT count(*), pg_sleep(0.02) FROM pg_locks WHERE locktype = 'advisory' AND database = "
                "(SELECT oid FROM pg_database WHERE datname = current_database())"
            )
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody took the key")
