"""The way Stripe's library reaches Stripe: over our deadline sockets, so that each call is classified exactly."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import stripe

from workers.adapters.http_call import Answer, HttpCaller, Request
from workers.ports import Budget, NotSent, Unknown


class CallLost(stripe.APIConnectionError):
    """No answer to read; `reply` says whether the call may have arrived."""

    def __init__(self, reply: Unknown | NotSent) -> None:
        super().__init__(reply.reason, should_retry=False)
        self.reply = reply


class DeadlineTransport(stripe.HTTPClient):
    """Stripe's HTTPClient over HttpCaller. A call takes its budget from the block of `within`."""

    name = "refundry"

    def __init__(self) -> None:
        super().__init__()
        self._caller = HttpCaller()
        self._local = threading.local()

    @contextmanager
    def within(self, budget: Budget) -> Iterator[None]:
        """Calls of this thread share this budget inside the block."""
        self._local.budget = budget
        try:
            yield
        finally:
            self._local.budget = None

    def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        post_data: Any = None,
        *,
        _usage: list[str] | None = None,
    ) -> tuple[str, int, Mapping[str, str]]:
        """One exchange. Raises CallLost instead of guessing."""
        body = post_data.encode() if isinstance(post_data, str) else post_data
        request = Request(method.upper(), url, {k: str(v) for k, v in (headers or {}).items()}, body)
        answer = self._caller.call(request, budget=self._local.budget)
        if not isinstance(answer, Answer):
            raise CallLost(answer)
        return answer.body.decode("utf-8", "replace"), answer.status, answer.headers

    def close(self) -> None:
        """Connections go with the object."""
