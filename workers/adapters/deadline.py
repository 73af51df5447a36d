"""Sockets that keep the total deadline of a call, and know whether anything of it has left this machine.

A socket's own time-out counts per read, so a peer that sends a byte now and then holds a caller for ever. Here every
connect, write and read gets what is left of the call's budget. And because "was it written?" decides whether money
may have moved, `Flight.written` is set right before the first byte of a request goes to the socket, nowhere else.
"""

import http.client
import io
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from workers.ports import Budget


class DeadlineExceeded(TimeoutError):
    """The call's total budget is spent."""


@dataclass
class Flight:
    """One outside call of this thread: what is left of its time, and whether a byte of it may have left.

    `check` is given the addresses that a name leads to before one is connected to, and raises an OSError to forbid it.
    """

    budget: Budget
    written: bool = False
    check: Callable[[Collection[str]], None] | None = None

    def left(self) -> float:
        """Seconds left for the next socket operation. Raises DeadlineExceeded instead of 0."""
        left = self.budget.left()
        if left <= 0:
            raise DeadlineExceeded("the total deadline of the call has passed")
        return left


_current = threading.local()


@contextmanager
def flying(flight: Flight) -> Iterator[Flight]:
    """The sockets of this thread serve this call inside the block."""
    _current.flight = flight
    try:
        yield flight
    finally:
        _current.flight = None


def current_flight() -> Flight:
    """The call this thread is on."""
    flight: Flight | None = getattr(_current, "flight", None)
    if flight is None:
        raise RuntimeError("a deadline socket is used outside of `flying`")
    return flight


def connect(address: tuple[str, int]) -> socket.socket:
    """A TCP connection to the first address that answers, all attempts together within the deadline."""
    failure: OSError | None = None
    found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
    if check := current_flight().check:
        check([str(target[0]) for *_, target in found])
    for family, kind, protocol, _, target in found:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(current_flight().left())
            sock.connect(target)
        except OSError as exc:
            sock.close()
            failure = exc
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise failure or OSError(f"no address for {address[0]}")


class DeadlineReader(io.RawIOBase):
    """Reads from a socket, each read within what is left of the thread's current call."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(current_flight().left())
        return self._sock.recv_into(buffer)


class _Makefile:
    """What http.client wants of a socket to read an answer from."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(DeadlineReader(self._sock))


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(_Makefile(sock), *args, **kwargs)  # type: ignore[arg-type]


class _Deadlined:
    """Mixed into urllib3's connections."""

    response_class = _Response
    sock: socket.socket | None

    def _new_conn(self) -> socket.socket:
        return connect((self._dns_host, self.port))  # type: ignore[attr-defined]

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()  # type: ignore[attr-defined]
        flight = current_flight()
        self.sock.settimeout(flight.left())  # type: ignore[union-attr]
        flight.written = True
        super().send(data)  # type: ignore[misc]


class _PlainConnection(_Deadlined, HTTPConnection):  # type: ignore[misc]
    pass


class _SecureConnection(_Deadlined, HTTPSConnection):  # type: ignore[misc]
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def pool_manager(*, connections: int) -> urllib3.PoolManager:
    """A manager whose connections keep deadlines. It never retries and never blocks for a connection."""
    manager = urllib3.PoolManager(maxsize=connections, block=False, retries=False)
    manager.pool_classes_by_scheme = {"http": _PlainPool, "https": _SecurePool}
    return manager
