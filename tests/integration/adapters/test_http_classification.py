"""What each way a gateway can fail means for money: tried on raw sockets that misbehave byte by byte."""

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.adapters.localstripe import API_KEY
from tests.integration.adapters.peers import (
    GOOD,
    MOVEMENT,
    answering,
    budget,
    http_gateway,
    raw_server,
    read_request,
)
from workers.adapters.stripe_gateway import StripeGateway
from workers.ports import Accepted, Found, PaymentGateway, Refused, Reply, Unknown

STRIPE_GOOD: dict[str, Any] = {
    "id": "re_1",
    "object": "refund",
    "metadata": {"number": "RFX-1"},
    "payment_intent": "pi_1",
    "status": "succeeded",
    "amount": 1000,
    "currency": "eur",
    "created": 1_790_000_000,
}
Action = Callable[[socket.socket], None]


def stripe_gateway(address: str) -> PaymentGateway:
    return StripeGateway(API_KEY, webhook_secret="whsec_test", base_url=f"http://{address}")


Make = Callable[[str], PaymentGateway]
BOTH = pytest.mark.parametrize("make", [http_gateway, stripe_gateway])


def refund(make: Make, *actions: Action, seconds: float = 5.0) -> Reply:
    with raw_server(*actions) as address:
        return make(address).refund(MOVEMENT, budget=budget(seconds))


def ok(body: Any) -> Action:
    return answering("200 OK", body if isinstance(body, bytes) else json.dumps(body).encode())


def drip(*parts: bytes) -> Action:
    """Sends the parts, then a byte every 20 ms for ever."""

    def act(connection: socket.socket) -> None:
        read_request(connection)
        for part in parts:
            connection.sendall(part)
        while True:
            connection.sendall(b"x")
            threading.Event().wait(0.02)

    return act


def silent(connection: socket.socket) -> None:
    read_request(connection)
    connection.recv(1)


def hang_up(connection: socket.socket) -> None:
    read_request(connection)


def reset(connection: socket.socket) -> None:
    read_request(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


@BOTH
def test_whole_answers_are_accepted(make: Make) -> None:
    good = GOOD if make is http_gateway else STRIPE_GOOD
    for status in ("200 OK", "201 Created", "202 Accepted"):
        reply = refund(make, answering(status, json.dumps(good).encode()))
        assert isinstance(reply, Accepted) and reply.fact.number == "RFX-1"


@BOTH
@pytest.mark.parametrize(
    "action",
    [
        silent,
        hang_up,
        reset,
        drip(),
        drip(b"HTTP/1.1 200 OK\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\n\r\n"),
        answering("200 OK", b'{"half', length=500),
    ],
    ids=["silent", "hang-up", "reset", "drip-status", "drip-header", "drip-body", "drip-endless", "half-body"],
)
def test_no_whole_answer_is_unknown_and_ends_within_the_budget(make: Make, action: Action) -> None:
    start = time.monotonic()
    reply = refund(make, action, seconds=1.0)
    assert isinstance(reply, Unknown) and not reply.answered, reply
    assert time.monotonic() - start < 5


@BOTH
@pytest.mark.parametrize("status", ["500 Oops", "502 Bad Gateway", "503 Unavailable", "504 Timeout"])
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"code": "declined"}'])
def test_server_error_is_an_answered_unknown(make: Make, status: str, body: bytes) -> None:
    reply = refund(make, answering(status, body))
    assert isinstance(reply, Unknown) and reply.answered


@BOTH
@pytest.mark.parametrize("status", ["408 Timeout", "409 Conflict", "425 Early", "301 Moved", "302 Found", "304 Same"])
def test_answers_that_leave_it_open_are_unknown(make: Make, status: str) -> None:
    reply = refund(make, answering(status, b'{"error": {"message": "?"}}'))
    assert isinstance(reply, Unknown) and not reply.answered


@BOTH
def test_too_many_requests_may_be_tried_again(make: Make) -> None:
    reply = refund(make, answering("429 Slow", b'{"error": {"message": "slow down"}}'))
    assert isinstance(reply, Refused) and (reply.code, reply.retryable) == ("rate_limited", True)


@BOTH
@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7.0), ("999999", 3600.0), ("-1", 0.0), ("soon", 0.0), ("Thu, 01 Jan 2026", 0.0)]
)
def test_when_it_wants_to_be_called_again_is_kept(make: Make, said: str, seconds: float) -> None:
    status = f"429 Slow\r\nRetry-After: {said}"
    reply = refund(make, answering(status, b'{"error": {"message": "slow down"}}'))
    assert isinstance(reply, Refused) and reply.retry_after == seconds


@BOTH
@pytest.mark.parametrize("status", ["400", "402", "404", "422"])
def test_other_4xx_are_definite_whatever_their_body(make: Make, status: str) -> None:
    for body in (b"", b"<html>", b"[]", b'{"code": 7}', b'{"error": {"message": "no"}}'):
        reply = refund(make, answering(f"{status} No", body))
        assert isinstance(reply, Refused) and not reply.retryable and reply.code, (body, reply)


@BOTH
@pytest.mark.parametrize("status", ["401", "403"])
def test_our_own_wrong_credentials_may_be_mended(make: Make, status: str) -> None:
    reply = refund(make, answering(f"{status} No", b'{"error": {"message": "who?"}}'))
    assert isinstance(reply, Refused) and reply.retryable


@BOTH
def test_lost_answer_is_never_sent_for_again(make: Make) -> None:
    requests: list[bytes] = []
    refund(make, lambda connection: requests.append(read_request(connection)))
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("make", "body", "code"),
    [
        (http_gateway, {"code": "insufficient_funds", "message": "no"}, "insufficient_funds"),
        (stripe_gateway, {"error": {"code": "balance_insufficient", "message": "no"}}, "insufficient_funds"),
        (stripe_gateway, {"error": {"code": "charge_already_refunded", "message": "no"}}, "charge_already_refunded"),
    ],
)
def test_refusal_carries_its_code(make: Make, body: Any, code: str) -> None:
    reply = refund(make, answering("402 No", json.dumps(body).encode()))
    assert reply == Refused(code, "no")


def test_stripe_key_used_for_another_body_is_unknown() -> None:
    body = json.dumps({"error": {"type": "idempotency_error", "message": "other parameters"}}).encode()
    assert isinstance(refund(stripe_gateway, answering("400 Bad", body)), Unknown)


LIES = [
    b"",
    b"ok",
    b"[]",
    b"null",
    b"{}",
    b"\xff\xfe",
    b"[" * 100_000,
    {**GOOD, "number": "RFX-2"},
    {**GOOD, "amount_minor": 999},
    {**GOOD, "amount_minor": "1000"},
    {**GOOD, "amount_minor": 1000.0},
    {**GOOD, "amount_minor": True},
    {**GOOD, "amount_minor": -1000},
    {**GOOD, "currency": "USD"},
    {**GOOD, "status": "done"},
    {**GOOD, "status": None},
    {**GOOD, "gateway_refund_id": ""},
    {**GOOD, "gateway_refund_id": 5},
    {**GOOD, "created_at": "yesterday"},
    {**GOOD, "created_at": "2026-12-01T10:00:00"},
    json.dumps(GOOD).replace("1000", "NaN").encode(),
]


@pytest.mark.parametrize("body", LIES, ids=range(len(LIES)))
def test_answer_that_makes_no_sense_is_never_a_success(body: Any) -> None:
    reply = refund(http_gateway, ok(body))
    assert isinstance(reply, Unknown) and not reply.answered, reply


STRIPE_LIES = [
    b"ok",
    b"[]",
    b"{}",
    {**STRIPE_GOOD, "metadata": {}},
    {**STRIPE_GOOD, "metadata": {"number": "RFX-2"}},
    {**STRIPE_GOOD, "amount": 999},
    {**STRIPE_GOOD, "amount": "1000"},
    {**STRIPE_GOOD, "currency": "usd"},
    {**STRIPE_GOOD, "status": "done"},
    {**STRIPE_GOOD, "created": "x"},
]


@pytest.mark.parametrize("body", STRIPE_LIES, ids=range(len(STRIPE_LIES)))
def test_stripe_answer_that_makes_no_sense_is_never_a_success(body: Any) -> None:
    reply = refund(stripe_gateway, ok(body))
    assert isinstance(reply, Unknown) and not reply.answered, reply


@BOTH
@pytest.mark.parametrize(
    "action",
    [ok(b"x"), ok({}), ok({"refunds": [{}], "data": [{}]}), answering("404 No", b"{}"), answering("403 No", b"<html>")],
)
def test_look_up_that_makes_no_sense_is_not_absence(make: Make, action: Action) -> None:
    with raw_server(action) as address:
        assert isinstance(make(address).look_up("pi_1", "RFX-1", budget=budget()), Unknown)


def test_look_up_that_answers_another_number_is_unknown() -> None:
    with raw_server(ok({"refunds": [{**GOOD, "number": "RFX-9"}]})) as address:
        assert isinstance(http_gateway(address).look_up("pi_1", "RFX-1", budget=budget()), Unknown)


def test_stripe_look_up_reads_every_page() -> None:
    other = {**STRIPE_GOOD, "id": "re_0", "metadata": {"number": "RFX-0"}}
    pages = [{"object": "list", "data": [row], "has_more": more} for row, more in ((other, True), (STRIPE_GOOD, False))]
    with raw_server(*map(ok, pages)) as address:
        found = stripe_gateway(address).look_up("pi_1", "RFX-1", budget=budget())
    assert isinstance(found, Found) and [fact.gateway_refund_id for fact in found.facts] == ["re_1"]
