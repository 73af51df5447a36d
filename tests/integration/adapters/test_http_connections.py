"""Connections to gateways: those that never come about, and those that are kept."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

from tests.integration.adapters.peers import (
    GOOD,
    MOVEMENT,
    budget,
    http_gateway,
    raw_server,
    read_request,
)
from workers.ports import Accepted, NotSent


def test_full_backlog_is_not_sent() -> None:
    """A host that never completes the handshake: nothing can have left."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        fillers = [socket.socket() for _ in range(8)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        reply = http_gateway(address).refund(MOVEMENT, budget=budget(0.3))
        for filler in fillers:
            filler.close()
    assert isinstance(reply, NotSent), reply


def test_unresolvable_host_is_not_sent() -> None:
    reply = http_gateway("no-such-host.invalid").refund(MOVEMENT, budget=budget(2))
    assert isinstance(reply, NotSent)


class KeepingAlive:
    """Answers one request after the other on each connection, and counts connections."""

    def __init__(self) -> None:
        self.connections: list[int] = []

    def __call__(self, connection: socket.socket) -> None:
        self.connections.append(1)
        body = json.dumps(GOOD).encode()
        while read_request(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def test_connection_is_kept_between_calls() -> None:
    server = KeepingAlive()
    with raw_server(server) as address:
        gateway = http_gateway(address)
        replies = [gateway.refund(MOVEMENT, budget=budget()) for _ in range(3)]
    assert all(isinstance(reply, Accepted) for reply in replies) and len(server.connections) == 1


def test_one_gateway_serves_many_threads() -> None:
    with raw_server(KeepingAlive()) as address:
        gateway = http_gateway(address)
        with ThreadPoolExecutor(32) as pool:
            replies = list(pool.map(lambda _: gateway.refund(MOVEMENT, budget=budget()), range(64)))
    assert all(isinstance(reply, Accepted) for reply in replies)
