"""With Redis away nothing is refused; with the database away everybody is told to send again."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection, connections

from refunds.models import InboundWebhook, Refund
from refunds.services import requests
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.gateways import ACCOUNTS, SECRET, an_event, said
from tests.waiting import eventually
from workers.adapters.signing import sign
from workers.local.ports import free_port

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def web(tmp_path) -> Iterator[Callable[..., str]]:
    """Starts the product's web process on the test database, with other addresses where told; its URL."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**environment: str) -> str:
        database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{settings.DATABASES['default']['NAME']}")
        given = {"DATABASE_URL": urlunsplit(database), "GATEWAY_ACCOUNTS": json.dumps(ACCOUNTS)} | environment
        port = free_port()
        argv = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--log-level", "error"]
        started.append(subprocess.Popen(argv, cwd=ROOT, env=os.environ | given))
        url = f"http://127.0.0.1:{port}"
        wait_until_alive(f"{url}/healthz")
        return url

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=20)


def wait_until_alive(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            assert time.monotonic() < deadline, "the web process does not answer"
            time.sleep(0.05)


def send(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
    request = urllib.request.Request(url, data=body, headers=headers | {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"null"), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), dict(error.headers)


def webhook(url: str, number: str) -> tuple[int, Any, dict[str, str]]:
    body = said(an_event(number))
    return send(f"{url}/api/v1/webhooks/sandbox", body, sign(SECRET, body, message_id="msg_1", now=time.time()))


def request(url: str, number: str, key: str) -> tuple[int, Any, dict[str, str]]:
    return send(f"{url}/api/v1/orders/{number}/refunds", b'{"lines": "all"}', {"Authorization": f"Bearer {key}"})


def test_requests_and_webhooks_are_taken_while_redis_is_down(channel, shop, order, web) -> None:
    url, case = web(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0"), rows.Case(channel)
    assert webhook(url, case.movement.number)[0] == 204
    assert InboundWebhook.objects.get().refund == case.refund
    assert request(url, order.number, shop.key)[0] == 202
    assert Refund.objects.filter(order=order, next_reconcile_at__isnull=False).exists()


def test_everybody_is_told_to_send_again_while_the_database_is_down(shop, web) -> None:
    url = web(DATABASE_URL=f"postgresql://refundry@127.0.0.1:{free_port()}/refundry")
    for status, problem, headers in (webhook(url, "RT-1-1"), request(url, "SO-1", shop.key)):
        assert (status, problem["code"]) == (503, "unavailable")
        assert headers["Retry-After"]


def test_who_cannot_have_the_order_in_time_is_told_to_send_again(shop, order, fingerprint) -> None:
    before = fingerprint()
    holder = connections["default"].copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT id FROM orders_order WHERE id = %s FOR NO KEY UPDATE", [order.pk])
            answer = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}, Idempotency_Key="click-1")
    finally:
        holder.close()
    assert (answer.status, answer.code) == (503, "busy")
    assert answer.headers["Retry-After"]
    assert fingerprint() == before
    assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}, Idempotency_Key="click-1").status == 202


def test_who_was_frozen_until_the_database_took_his_locks_is_told_to_send_again(
    shop: Any, order: Any, fingerprint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, lock = fingerprint(), requests.lock_orders_numbered

    def frozen(names: Any, *, wait_ms: int) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            [pid] = cursor.fetchone()
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '1ms'")
        watcher = connection.copy()
        try:
            eventually(lambda: _lives(watcher, pid), lambda lives: not lives)
        finally:
            watcher.close()
        return lock(names, wait_ms=wait_ms)

    with monkeypatch.context() as patched:
        patched.setattr(requests, "lock_orders_numbered", frozen)
        answer = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}, Idempotency_Key="click-1")
    assert (answer.status, answer.code) == (503, "busy")
    connection.close()
    assert fingerprint() == before
    assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}, Idempotency_Key="click-1").status == 202


def _lives(watcher: Any, pid: int) -> bool:
    with watcher.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid])
        return cursor.fetchone() is not None
