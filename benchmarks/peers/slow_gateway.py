"""A gateway that says yes after a fixed time, over the signed HTTP protocol (docs/gateways.md) and nothing else.

    python -m benchmarks.peers.slow_gateway --port 9000       # http://127.0.0.1:9000/50/v1 takes 50 ms

A real one uses none of this machine's processors, so this one is lean: bare asyncio, no signature checked, no memory.
It counts only how many calls were under way at once: GET /0/most tells, and begins anew.
"""

import asyncio
import json
from functools import partial
from typing import Any

from benchmarks.peers.serving import main

HEAD_END = b"\r\n\r\n"


class UnderWay:
    """How many calls are, and were at most."""

    now = most = 0


class Gateway(asyncio.Protocol):
    """One connection."""

    def __init__(self, under_way: UnderWay) -> None:
        self._under_way = under_way
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, rest = self._received.partition(HEAD_END)
        if not end or len(rest) < (length := _length(head)):
            return
        self._received = rest[length:]
        method, path, _ = head.split(b"\r\n", 1)[0].split(b" ")
        if method == b"POST":
            self._under_way.now += 1
            self._under_way.most = max(self._under_way.most, self._under_way.now)
            delay = int(path.split(b"/")[1]) / 1000
            asyncio.get_running_loop().call_later(delay, self._accept, _accepted(json.loads(rest[:length])))
        else:
            self._answer({"most": self._under_way.most})
            self._under_way.most = self._under_way.now

    def _accept(self, answer: dict[str, Any]) -> None:
        self._under_way.now -= 1
        self._answer(answer)

    def _answer(self, answer: dict[str, Any]) -> None:
        assert self._transport is not None
        body = json.dumps(answer).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._transport.write(head.encode() + body)


def _length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.split(b"\r\n")[0]) if rest else 0


def _accepted(asked: dict[str, Any]) -> dict[str, Any]:
    told = {name: asked[name] for name in ("number", "amount_minor", "currency", "payment_reference")}
    return told | {"gateway_refund_id": f"gw-{asked['number']}", "status": "succeeded"}


if __name__ == "__main__":
    main(partial(Gateway, UnderWay()))
