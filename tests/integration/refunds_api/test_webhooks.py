"""The gateways' door: who may speak, what is kept, and that it works with Redis or the database away."""

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
from django.test import Client

from refunds.models import InboundWebhook
from tests.integration.refunds_api import rows
from workers import bootstrap
from workers.adapters.signing import sign
from workers.local.ports import free_port

ROOT = Path(__file__).parents[3]
SECRET = "whsec_c2VjcmV0IG9mIGEgc2FuZGJveCBmb3IgdGVzdHM="
ACCOUNTS = {"sandbox": {"adapter": "http", "base_url": "http://127.0.0.1:1", "secret": SECRET}}


@pytest.fixture
def case(channel) -> rows.Case:
    return rows.Case(channel)


@pytest.fixture(autouse=True)
def accounts(settings) -> Iterator[None]:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    bootstrap.gateway.cache_clear()
    yield
    bootstrap.gateway.cache_clear()


def an_event(number: str, **fields: Any) -> dict[str, Any]:
    refund = {
        "gateway_refund_id": "re_1",
        "number": number,
        "payment_reference": "pay-1",
        "status": "succeeded",
        "amount_minor": 500,
        "currency": "EUR",
        "failure_code": "",
    }
    return {"id": "evt_1", "type": "refund.updated", "refund": refund, "occurred_at": "2026-05-01T12:00:00Z"} | fields


def post(body: bytes, *, account: str = "sandbox", signed_by: str = SECRET) -> Any:
    headers = sign(signed_by, body, message_id="msg_1", now=time.time())
    client = Client(raise_request_exception=False)
    return client.post(f"/api/v1/webhooks/{account}", body, content_type="application/json", headers=headers)


def said(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode()


def test_a_signed_event_is_stored_for_its_refund(case) -> None:
    answer = post(said(an_event(case.movement.number)))
    assert (answer.status_code, answer.content) == (204, b"")
    assert InboundWebhook.objects.get().refund == case.refund


def test_copies_are_stored_once(case) -> None:
    for _ in range(3):
        assert post(said(an_event(case.movement.number))).status_code == 204
    assert InboundWebhook.objects.count() == 1


def test_a_kind_the_engine_has_no_use_for_is_taken_and_dropped(case) -> None:
    assert post(said(an_event(case.movement.number, type="customer.created"))).status_code == 204
    assert not InboundWebhook.objects.exists()


@pytest.mark.parametrize(
    ("body", "how", "status", "code"),
    [
        (said(an_event("RT-1-1")), {"signed_by": "whsec_" + "YWJj" * 8}, 401, "bad_signature"),
        (said(an_event("RT-1-1")), {"account": "nobody"}, 404, "account_not_found"),
        (b"", {}, 422, "bad_payload"),
        (b"{", {}, 422, "bad_payload"),
        (b"[]", {}, 422, "bad_payload"),
        (b"\xff\xfe", {}, 422, "bad_payload"),
        (b"[" * 100_000, {}, 422, "bad_payload"),
        (said({"type": "refund.updated"}), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", id=7)), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", occurred_at="yesterday")), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", id="evt\x00")), {}, 422, None),
        (said(an_event("RT-1-1\ud800")), {}, 422, None),
        (said(an_event("RT-1-1", id="e" * 300)), {}, 422, None),
        (b'{"x": "' + b"x" * 2**20 + b'"}', {}, 413, "too_large"),
    ],
)
def test_what_is_not_taken_is_a_problem_and_stores_nothing(body, how, status, code, case) -> None:
    answer = post(body, **how)
    assert answer.status_code == status
    problem = json.loads(answer.content)
    assert problem["code"] == (code or problem["code"])
    assert not InboundWebhook.objects.exists()


def test_an_unsigned_event_is_refused(case) -> None:
    body = said(an_event(case.movement.number))
    answer = Client().post("/api/v1/webhooks/sandbox", body, content_type="application/json")
    assert answer.status_code == 401


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


def send(url: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    headers = sign(SECRET, body, message_id="msg_1", now=time.time()) | {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/webhooks/sandbox", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


@pytest.mark.django_db(transaction=True)
def test_webhooks_are_taken_while_redis_is_down(case, web) -> None:
    url = web(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert send(url, said(an_event(case.movement.number)))[0] == 204
    assert InboundWebhook.objects.get().refund == case.refund


def test_the_gateway_is_told_to_send_again_while_the_database_is_down(web) -> None:
    url = web(DATABASE_URL=f"postgresql://refundry@127.0.0.1:{free_port()}/refundry")
    status, headers, body = send(url, said(an_event("RT-1-1")))
    assert (status, json.loads(body)["code"]) == (503, "unavailable")
    assert headers["Retry-After"]
