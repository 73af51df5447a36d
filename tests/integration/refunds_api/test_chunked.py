"""Bodies sent in chunks, to the server that really serves: never taken for empty."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from orders.models import Channel, Order, OrderLine, Shipment
from refunds.models import InboundWebhook
from tests.databases import database_url
from tests.integration.refunds_api import gateways, rows
from tests.integration.refunds_api.clients import Caller
from workers.adapters.signing import sign
from workers.local.ports import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("chunked")]
STARTS_WITHIN = 30


@pytest.fixture(scope="module")
def port(django_db_setup: None) -> Iterator[int]:
    """Where gunicorn serves the tests' database."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    environment = os.environ | {
        "DATABASE_URL": database_url(str(connection.settings_dict["NAME"])),
        "GATEWAY_ACCOUNTS": json.dumps(gateways.ACCOUNTS),
    }
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=STARTS_WITHIN)


def wait_for(port: int) -> None:
    until = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < until, "gunicorn does not start"
            time.sleep(0.05)


def post(port: int, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict]:
    caller = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    half = len(body) // 2
    caller.request(
        "POST",
        f"/api/v1/{path}",
        iter([body[:half], body[half:]]),
        {"Content-Type": "application/json"} | headers,
        encode_chunked=True,
    )
    answer = caller.getresponse()
    text = answer.read()
    caller.close()
    return answer.status, json.loads(text) if text else {}


def test_a_body_in_chunks_says_what_it_says(port: int, channel: Channel, order: Order) -> None:
    key = {"Authorization": f"Bearer {Caller(channel).key}"}
    parcel = json.dumps({"lines": [{"id": "mug", "quantity": 1}], "carrier": "DHL"}).encode()
    assert post(port, f"orders/{order.number}/shipments", parcel, key)[0] == 201
    assert (OrderLine.objects.get().shipped, Shipment.objects.get().carrier) == (1, "DHL")
    status, problem = post(port, f"orders/{order.number}/cancel", b'{"unknown": 1}', key)
    assert (status, problem["code"]) == (422, "unknown_field")


def test_a_gateways_word_in_chunks_is_heard(port: int, channel: Channel) -> None:
    case = rows.Case(channel)
    body = gateways.said(gateways.an_event(case.movement.number))
    signed = sign(gateways.SECRET, body, message_id="msg_1", now=time.time())
    assert post(port, "webhooks/sandbox", body, dict(signed))[0] == 204
    assert InboundWebhook.objects.get().refund == case.refund


def test_a_body_in_chunks_is_read_up_to_the_limit(port: int, channel: Channel, order: Order) -> None:
    key = {"Authorization": f"Bearer {Caller(channel).key}"}
    status, problem = post(port, f"orders/{order.number}/cancel", b" " * 300 * 1024, key)
    assert (status, problem["code"]) == (413, "too_large")


def test_a_body_that_breaks_off_is_a_problem(port: int, channel: Channel, order: Order) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as caller:
        head = f"POST /api/v1/orders/{order.number}/cancel HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Authorization: Bearer {Caller(channel).key}\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n"
        caller.sendall(head.encode())
        caller.shutdown(socket.SHUT_WR)
        answer = caller.makefile().read()
    assert answer.startswith("HTTP/1.1 400") and "unreadable_body" in answer
    assert not Shipment.objects.exists()
