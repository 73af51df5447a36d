"""Webhooks out on real sockets: signatures by another's library, and peers that misbehave."""

import json
import socket
import threading
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tests.integration.adapters.peers import Receiver, answering, budget, raw_server, read_request
from workers.adapters.http_call import MOST_QUIET_SECONDS
from workers.adapters.webhook_sender import EXCERPT, WebhookSender
from workers.ports import GONE, Delivered, NotSent, OutgoingHook, Refused, Unknown
from workers.secrets import SecretMissing, resolve

OLD, NEW, OTHER = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_bmV3ZXIgc2VjcmV0", "whsec_b3RoZXI="
BODY = json.dumps({"type": "refund.refunded", "timestamp": "2026-12-01T10:00:00Z", "data": {"id": "RF-1.3"}}).encode()


def anybodys(reference: str, channel: str) -> str:
    """Whoever refers to it."""
    return resolve(reference)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(OLD + "\n")
    return path


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with closing(Receiver()) as receiver:
        yield receiver


def hook(url: str, secret: Path) -> OutgoingHook:
    return OutgoingHook(url, "main", f"file:{secret}", "msg_RF-1_3", BODY)


def send(address: str, secret: Path, *, seconds: float = 5.0) -> object:
    return WebhookSender(secret_of=anybodys, allow_private=True).send(
        hook(f"http://{address}/hook", secret), budget=budget(seconds)
    )


def test_another_s_library_verifies_what_arrives(receiver: Receiver, secret: Path) -> None:
    assert WebhookSender(secret_of=anybodys, allow_private=True).send(
        hook(receiver.url, secret), budget=budget()
    ) == Delivered("")
    ((headers, body),) = receiver.received
    assert (body, headers["webhook-id"], headers["Content-Type"]) == (BODY, "msg_RF-1_3", "application/json")
    assert Webhook(OLD).verify(body, headers) == json.loads(BODY)
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(OLD).verify(body.replace(b"RF-1.3", b"RF-1.4"), headers)


def test_while_a_secret_changes_both_sign(receiver: Receiver, secret: Path) -> None:
    sender = WebhookSender(secret_of=anybodys, allow_private=True)
    for lines in ([OLD], [NEW, OLD], [NEW]):
        secret.write_text("\n".join(lines) + "\n")
        sender.send(hook(receiver.url, secret), budget=budget())
        headers, body = receiver.received[-1]
        for line in lines:
            Webhook(line).verify(body, headers)
        assert len(headers["webhook-signature"].split()) == len(lines)


@pytest.mark.parametrize("content", ["", "whsec_***", f"{OLD}\nnot base64!"])
def test_without_a_secret_nothing_is_sent(content: str, receiver: Receiver, secret: Path) -> None:
    secret.write_text(content)
    reply = WebhookSender(secret_of=anybodys, allow_private=True).send(hook(receiver.url, secret), budget=budget())
    assert isinstance(reply, NotSent) and OLD not in reply.reason
    assert receiver.received == []


def test_who_reads_secrets_may_refuse_a_reference(receiver: Receiver, secret: Path) -> None:
    def refuse(reference: str, channel: str) -> str:
        raise SecretMissing(f"{reference} is not for manifests")

    sender = WebhookSender(allow_private=True, secret_of=refuse)
    reply = sender.send(hook(receiver.url, secret), budget=budget())
    assert reply == NotSent(f"file:{secret} is not for manifests") and receiver.received == []


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "204 No Content", "299 Odd"])
def test_any_2xx_is_a_delivery(status: str, secret: Path) -> None:
    with raw_server(answering(status, b"" if status.startswith("204") else b"thanks")) as address:
        assert send(address, secret) == Delivered("")


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "307 Temporary", "400 Bad", "404 Not", "429 Many", "500 Oh"]
)
def test_anything_else_is_tried_again(status: str, secret: Path) -> None:
    with raw_server(answering(status, b"no\x00\r\n use")) as address:
        assert send(address, secret) == Refused(f"http_{status[:3]}", "no use", retryable=True)


def test_gone_says_that_nothing_more_is_wanted(secret: Path) -> None:
    with raw_server(answering("410 Gone", b"")) as address:
        assert send(address, secret) == Refused(GONE)


def test_a_redirect_is_not_followed(receiver: Receiver, secret: Path) -> None:
    def redirect(connection: socket.socket) -> None:
        read_request(connection)
        head = f"HTTP/1.1 307 Temporary Redirect\r\nLocation: {receiver.url}\r\nContent-Length: 0\r\n\r\n"
        connection.sendall(head.encode())

    with raw_server(redirect) as address:
        assert isinstance(send(address, secret), Refused)
    assert receiver.received == []


@pytest.mark.parametrize(
    ("said", "seconds"), [("120", 120.0), ("999999999", MOST_QUIET_SECONDS), ("soon", 0.0), ("-5", 0.0)]
)
def test_who_asks_to_be_left_alone_is_for_a_while(said: str, seconds: float, secret: Path) -> None:
    def busy(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(f"HTTP/1.1 503 Busy\r\nRetry-After: {said}\r\nContent-Length: 0\r\n\r\n".encode())

    with raw_server(busy) as address:
        assert send(address, secret) == Refused("http_503", "", retryable=True, retry_after=seconds)


def test_of_a_long_answer_only_the_beginning_is_read(secret: Path) -> None:
    with raw_server(answering("500 Oh", b"x" * 1_000_000)) as address:
        reply = send(address, secret)
    assert isinstance(reply, Refused) and reply.message == "x" * EXCERPT


def drip(head: bytes) -> object:
    def act(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(head)
        while True:
            connection.sendall(b"x")
            threading.Event().wait(0.02)

    return act


def test_a_slow_peer_costs_no_more_than_the_deadline(secret: Path) -> None:
    with raw_server(drip(b"HTTP/1.1 200 OK\r\nX: ")) as address:
        assert isinstance(send(address, secret, seconds=0.3), Unknown)


def test_a_delivery_is_one_whatever_becomes_of_its_body(secret: Path) -> None:
    with raw_server(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n")) as address:
        assert send(address, secret, seconds=0.3) == Delivered("")
    with raw_server(answering("200 OK", b"short", length=100)) as address:
        assert send(address, secret) == Delivered("")


def test_nobody_there_means_that_nothing_was_sent(secret: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert isinstance(send(f"127.0.0.1:{port}", secret), NotSent)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0.0.0.0"]
)
def test_private_addresses_are_refused_however_they_are_written(host: str, receiver: Receiver, secret: Path) -> None:
    port = receiver.url.rpartition(":")[2]
    reply = WebhookSender(secret_of=anybodys).send(hook(f"https://{host}:{port}", secret), budget=budget())
    assert isinstance(reply, NotSent) and "an address that is not public" in reply.reason
    assert receiver.received == []


def test_in_clear_nothing_is_sent(receiver: Receiver, secret: Path) -> None:
    reply = WebhookSender(secret_of=anybodys, check=lambda addresses: None).send(
        hook(receiver.url, secret), budget=budget()
    )
    assert reply == NotSent("the address is not https") and receiver.received == []


def test_the_connection_goes_to_the_address_that_was_judged(secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebinding: the name leads to a public address when it is judged, and to this machine ever after."""
    answers = iter(["192.0.2.1", "127.0.0.1", "127.0.0.1"])
    asked: list[str] = []
    judged: list[Collection[str]] = []

    def look_up(host: str, port: int, *_: object, **__: object) -> list[object]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    reached: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", lambda sock, target: reached.append(target) or _refuse())
    sender = WebhookSender(secret_of=anybodys, check=judged.append)
    reply = sender.send(hook("https://shop.example/hook", secret), budget=budget())
    assert isinstance(reply, NotSent)
    assert (asked, judged, reached) == (["shop.example"], [["192.0.2.1"]], [("192.0.2.1", 443)])


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_the_peer_is_spoken_to_by_its_name(scheme: str, secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the greeting of TLS, and in the header Host: many shops live behind one address."""
    heard: list[bytes] = []
    with raw_server(lambda connection: heard.append(connection.recv(65536))) as address:
        target = ("127.0.0.1", int(address.rpartition(":")[2]))
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", target)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        sender = WebhookSender(secret_of=anybodys, allow_private=True)
        reply = sender.send(hook(f"{scheme}://shop.example/hook", secret), budget=budget())
    assert isinstance(reply, NotSent if scheme == "https" else Unknown)
    assert (b"shop.example" if scheme == "https" else b"Host: shop.example\r\n") in heard[0]


def _refuse() -> None:
    raise ConnectionRefusedError
