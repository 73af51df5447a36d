"""One HTTP call under a total deadline, told apart by what it means: an answer, unknown, or not sent."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import urllib3

from workers.adapters.deadline import Flight, flying, pool_manager
from workers.ports import Budget, NotSent, Unknown

MAX_ANSWER_BYTES = 4_000_000
MOST_QUIET_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Request:
    """What goes to the peer. `headers` hold signature and idempotency key already."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, read to its end within the deadline. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def retry_after(headers: Mapping[str, str]) -> float:
    """The seconds of a Retry-After, no more than an hour. A date in it is not understood, and waits for nothing."""
    text = headers.get("retry-after", "").strip()
    return min(float(text), MOST_QUIET_SECONDS) if text.isdecimal() and text.isascii() else 0.0


class HttpCaller:
    """Pooled connections for one account, used by many threads at once.

    `check` may forbid the addresses that a name leads to (`Flight`). `enough`: no more bytes of an answer are read, and
    what is wrong with its body takes nothing from its status; None: an answer counts only as a whole.
    """

    def __init__(
        self,
        *,
        connections: int = 100,
        check: Callable[[Collection[str]], None] | None = None,
        enough: int | None = None,
    ) -> None:
        self._manager = pool_manager(connections=connections)
        self._check = check
        self._enough = enough

    def call(self, request: Request, *, budget: Budget) -> Answer | Unknown | NotSent:
        """Send once; never again by itself, never to where a redirect points."""
        with flying(Flight(budget, check=self._check)) as flight:
            if budget.spent():
                return NotSent("the budget was spent before the call")
            try:
                return self._exchange(request)
            except (urllib3.exceptions.HTTPError, OSError) as exc:
                return _lost(exc, written=flight.written)

    def _exchange(self, request: Request) -> Answer | Unknown:
        response = self._manager.request(
            request.method, request.url, body=request.body, headers=dict(request.headers),
            redirect=False, preload_content=False,
        )  # fmt: skip
        if self._enough is not None:
            return Answer(response.status, _headers(response), _beginning(response, self._enough))
        try:
            body = response.read(MAX_ANSWER_BYTES + 1)
        except BaseException:
            response.close()
            raise
        if len(body) > MAX_ANSWER_BYTES:
            response.close()
            return Unknown("the answer is too large to be one", answered=response.status >= 500)
        response.release_conn()
        return Answer(response.status, _headers(response), body)


def _headers(response: urllib3.BaseHTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _beginning(response: urllib3.BaseHTTPResponse, count: int) -> bytes:
    """At most so many bytes of the body as they came; its connection serves again only where that was all."""
    try:
        body: bytes = response.read(count + 1, decode_content=False)
    except (urllib3.exceptions.HTTPError, OSError):
        response.close()
        return b""
    if len(body) > count:
        response.close()
    else:
        response.release_conn()
    return body[:count]


def _lost(exc: Exception, *, written: bool) -> Unknown | NotSent:
    reason = f"{type(exc).__name__}: {exc}"[:300]
    return Unknown(reason) if written else NotSent(reason)
