"""Starts outside parties for tests: processes that say where they listen, and servers that write raw bytes."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from workers.adapters.http_gateway import HttpGateway
from workers.ports import Budget, Movement, PaymentGateway

ROOT = Path(__file__).parents[3]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MOVEMENT = Movement("RFX-1", "RFX-1", "pi_1", 1000, "EUR")
GOOD: dict[str, Any] = {
    "gateway_refund_id": "gr_1",
    "number": "RFX-1",
    "payment_reference": "pi_1",
    "status": "succeeded",
    "amount_minor": 1000,
    "currency": "EUR",
    "failure_code": None,
    "created_at": "2026-12-01T10:00:00Z",
}


def budget(seconds: float = 5.0) -> Budget:
    return Budget(seconds, monotonic=time.monotonic)


def wait_until(condition: Callable[[], Any], *, seconds: float = 10.0) -> Any:
    """The first true value of the condition; fails the test when the time is over."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {seconds} s: {condition}"
        threading.Event().wait(0.01)
    return value


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def http(method: str, url: str, body: Any = None) -> Any:
    """One JSON call to a peer's door, unsigned. Raises urllib's HTTPError for a refusal."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


@contextmanager
def peer_process(module: str, *flags: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A peer as its own process; its URL is read from the line it prints."""
    command = [sys.executable, "-m", module, *flags]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert " listening on " in line, f"{module} did not start"
        yield line.split(" listening on ")[1].split()[0], process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Receiver:
    """Takes webhooks, keeps them in order of arrival; refuses the first `refusals` with 503."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.refusals = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                refuse = receiver.refusals > 0
                receiver.refusals -= refuse
                if not refuse:
                    receiver.received.append((dict(self.headers.items()), body))
                self.send_response(503 if refuse else 204)
                self.end_headers()

            def log_message(self, *_args: Any) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def about(self, reference: str) -> list[dict[str, Any]]:
        """The events about one payment, in order of arrival."""
        events = [json.loads(body) for _, body in list(self.received)]
        return [e for e in events if (e.get("refund") or e.get("dispute"))["payment_reference"] == reference]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def raw_server(*actions: Callable[[socket.socket], None]) -> Iterator[str]:
    """A TCP server; the n-th connection is handed to the n-th action, further ones to the last."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def run() -> None:
        count = 0
        while not stop.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            action = actions[min(count, len(actions) - 1)]
            count += 1
            threading.Thread(target=_handle, args=(action, connection), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _handle(action: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with connection:
        try:
            action(connection)
        except OSError:
            return


def answering(status: str, body: bytes, *, length: int | None = None) -> Callable[[socket.socket], None]:
    """An HTTP answer to one request, then the connection ends."""

    def act(connection: socket.socket) -> None:
        read_request(connection)
        said = len(body) if length is None else length
        # Without the announcement a client may send its next request into the connection just as it ends.
        head = f"HTTP/1.1 {status}\r\nContent-Length: {said}\r\nConnection: close\r\n\r\n"
        connection.sendall(head.encode() + body)

    return act


def read_request(connection: socket.socket) -> bytes:
    """One HTTP request with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        if not received:
            return b""
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.splitlines() if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def http_gateway(address: str) -> PaymentGateway:
    return HttpGateway(f"http://{address}/v1", secret=SECRET)
