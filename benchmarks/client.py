"""The load client: sends what it is given over kept connections, and says when each answer was whole.

    python -m benchmarks.client < plan.json

It runs on the cores it measures on, so it is lean: one thread, bare sockets, requests built before the clock starts,
answers read after it has stopped. A request goes out when it is due and a connection is free; it counts from when it
was due, so a client that lags behind makes nobody look faster. Requests that are all due at once make a closed loop.
"""

import json
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HEAD_END = b"\r\n\r\n"
#: So long after it is ready the first request is due.
START_SECONDS = 0.05
LIMIT_SECONDS = 300.0


@dataclass(slots=True)
class Exchange:
    """One request and its answer; times are seconds since the epoch. `due` is for a closed loop when it was sent."""

    content: bytes
    due: float
    answered: float = 0.0
    answer: bytes = b""


class Connection:
    """A kept connection with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._exchange: Exchange | None = None
        self._received = bytearray()

    def send(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.socket.sendall(exchange.content)

    def is_answered(self) -> bool:
        """Take what has come; whether the answer is whole with it."""
        piece = self.socket.recv(1 << 18)
        if not piece or self._exchange is None:
            raise ConnectionError("the server closed a connection, or spoke without being asked")
        self._received += piece
        if len(self._received) < _length(self._received):
            return False
        self._exchange.answered, self._exchange.answer = time.time(), bytes(self._received)
        self._exchange = None
        self._received.clear()
        return True


def _length(received: bytearray) -> float:
    """Of the whole answer, as its head says; without a whole head it is not known."""
    end = received.find(HEAD_END)
    if end < 0:
        return float("inf")
    head = bytes(received[:end]).lower()
    _, _, rest = head.partition(b"\r\ncontent-length:")
    if not rest:
        raise ValueError(f"no Content-Length in {head!r}")
    return end + len(HEAD_END) + int(rest.split(b"\r\n")[0])


def exchange_all(exchanges: Sequence[Exchange], connections: Sequence[Connection], *, begun: float) -> None:
    """Send them all in order, each at its time; `due` is still relative to `begun`, and absolute afterwards."""
    waiting, free, answers_due = deque(exchanges), deque(connections), 0
    with selectors.SelectSelector() as selector:  # of a finer clock than epoll's
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        while waiting or answers_due:
            while waiting and free and begun + waiting[0].due <= (now := time.time()):
                exchange = waiting.popleft()
                exchange.due = begun + exchange.due if exchange.due else now
                connection = free.popleft()
                connection.send(exchange)
                answers_due += 1
            wait = begun + waiting[0].due - time.time() if waiting and free else LIMIT_SECONDS
            for key, _ in selector.select(max(0.0, wait)):
                if key.data.is_answered():
                    free.append(key.data)
                    answers_due -= 1


def main() -> None:
    plan = json.load(sys.stdin)
    exchanges = [Exchange(_content(*request, key=plan["key"]), due) for due, *request in plan["requests"]]
    connections = [Connection(plan["port"]) for _ in range(plan["connections"])]
    begun, cpu = time.time() + START_SECONDS, time.process_time()
    time.sleep(START_SECONDS)
    exchange_all(exchanges, connections, begun=begun)
    used = time.process_time() - cpu
    answers = [[exchange.due, exchange.answered, *_read(exchange.answer)] for exchange in exchanges]
    json.dump({"cpu_seconds": used, "answers": answers}, sys.stdout)


def _content(path: str, body: Any, *, key: str) -> bytes:
    text = json.dumps(body, separators=(",", ":")).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"Authorization: Bearer {key}", f"Content-Length: {len(text)}"]
    return "\r\n".join(lines).encode() + HEAD_END + text


def _read(answer: bytes) -> tuple[int, Any]:
    head, _, body = answer.partition(HEAD_END)
    return int(head.split(b" ", 2)[1]), json.loads(body)


if __name__ == "__main__":
    main()
