"""The client that loads, and the servers outside of the machine that it is loaded with, each against a real one."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from benchmarks import load
from benchmarks.client import Connection, Exchange, exchange_all
from benchmarks.gateway import SLOTS, checked, most_at_once
from benchmarks.load import BATCH, Door, Refused, send
from benchmarks.peers.mail_server import MailServer
from benchmarks.peers.slow_gateway import Gateway, UnderWay
from workers.adapters.email import SmtpMessenger, SmtpServer
from workers.adapters.http_gateway import HttpGateway
from workers.local.ports import LOOPBACK
from workers.ports import Accepted, Budget, Delivered, Movement, OutgoingMessage

SECRET = "whsec_" + "a" * 32
ASKED = b'{"number":"RF-1-1","amount_minor":5,"currency":"EUR","payment_reference":"p"}'
DELAY = 0.05


def budget() -> Budget:
    return Budget(10, monotonic=lambda: 0.0)


@contextmanager
def served(protocol: Callable[[], asyncio.Protocol]) -> Iterator[int]:
    """The port on which it listens, on a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(loop.create_server(protocol, LOOPBACK, 0), loop).result(10)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


@pytest.fixture
def gateway() -> Iterator[int]:
    with served(partial(Gateway, UnderWay())) as port:
        yield port


def exchanges(*dues: float) -> list[Exchange]:
    head = f"POST /{DELAY * 1000:.0f}/v1/refunds HTTP/1.1\r\nContent-Length: {len(ASKED)}\r\n\r\n"
    return [Exchange(head.encode() + ASKED, due) for due in dues]


def test_the_slow_gateway_accepts_what_the_adapter_asks_of_it(gateway) -> None:
    adapter = HttpGateway(f"http://{LOOPBACK}:{gateway}/0/v1", secret=SECRET)
    asked = Movement(
        number="RF-1-1", idempotency_key="RF-1-1", payment_reference="pay-1", amount_minor=500, currency="EUR"
    )
    for _ in range(2):
        answer = adapter.refund(asked, budget=budget())
        assert isinstance(answer, Accepted)
        assert (answer.fact.number, answer.fact.amount_minor) == ("RF-1-1", 500)


def test_the_mail_server_takes_what_the_adapter_sends() -> None:
    message = OutgoingMessage(
        identity="<1@x>", to="c@example.org", subject="Ä", text="one\n.\ntwo\n" * 4000, refund="RF-1"
    )
    with served(MailServer) as port:
        messenger = SmtpMessenger(SmtpServer(LOOPBACK, port), from_email="shop@example.org")
        assert [messenger.send(message, budget=budget()) for _ in range(2)] == [Delivered("<1@x>")] * 2


def test_a_request_that_had_to_wait_counts_from_when_it_was_due(gateway) -> None:
    asked = exchanges(0.001, 0.001, 0.001)
    exchange_all(asked, [Connection(gateway)], begun=1.0)
    assert [exchange.due for exchange in asked] == [1.001] * 3
    took = [later.answered - earlier.answered for earlier, later in zip(asked, asked[1:], strict=False)]
    assert all(seconds >= DELAY for seconds in took)


def test_a_request_that_is_not_due_waits(gateway) -> None:

    begun = time.time()
    asked = exchanges(0.0, 0.2)
    exchange_all(asked, [Connection(gateway), Connection(gateway)], begun=begun)
    assert asked[1].due == begun + 0.2 and asked[1].answered >= begun + 0.2 + DELAY


def test_connections_are_used_side_by_side(gateway) -> None:
    asked = exchanges(0.0, 0.0, 0.0)
    exchange_all(asked, [Connection(gateway) for _ in asked], begun=0.0)
    assert all(b'"gateway_refund_id"' in exchange.answer for exchange in asked)
    assert max(e.due for e in asked) < min(e.answered for e in asked)
    assert most_at_once(gateway) == 3
    assert most_at_once(gateway) == 0


def test_more_calls_at_once_than_there_were_to_be_are_no_figure() -> None:
    assert checked(SLOTS) == SLOTS
    with pytest.raises(RuntimeError, match="65 calls at once, where 64 were to be the most"):
        checked(SLOTS + 1)


def answering(status: int, body: str) -> type[asyncio.Protocol]:
    class Always(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n"
            self.transport.write((head + body).encode())  # type: ignore[attr-defined]

    return Always


def test_what_is_refused_is_no_figure() -> None:
    with served(answering(409, "{}")) as port, pytest.raises(Refused, match="0 of 2 accepted"):
        send(Door("single", port, "/{order}"), ["O-1", "O-2"])


def test_in_bulk_each_result_counts(monkeypatch) -> None:
    monkeypatch.setattr(load, "BATCH", 2)
    good, half = '{"results": [{"status": 202}, {"status": 202}]}', '{"results": [{"status": 202}, {"status": 409}]}'
    door = ("bulk", "/bulk")
    with served(answering(200, good)) as port:
        sent = send(Door(door[0], port, door[1], is_bulk=True), ["O-1", "O-2", "O-3", "O-4"])
        assert (len(sent.answers), sent.seconds > 0, sent.cpu_seconds > 0) == (2, True, True)
    with served(answering(200, half)) as port, pytest.raises(Refused, match="1 of 2 accepted"):
        send(Door(door[0], port, door[1], is_bulk=True), ["O-1", "O-2"])


def test_calls_of_a_door() -> None:
    single, bulk = Door("single", 1, "/orders/{order}/refunds"), Door("bulk", 1, "/bulk", is_bulk=True)
    assert single.requests(["A", "B"], every=0.5) == [
        (0.5, "/orders/A/refunds", {"lines": "all"}),
        (1.0, "/orders/B/refunds", {"lines": "all"}),
    ]
    [(due, path, body), *rest] = bulk.requests([f"O-{n}" for n in range(BATCH + 1)])
    assert (due, path, len(body["refunds"]), len(rest)) == (0.0, "/bulk", BATCH, 1)
    assert body["refunds"][0] == {"order": "O-0", "lines": "all"}
