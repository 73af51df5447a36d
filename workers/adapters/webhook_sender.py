"""Webhooks out, as Standard Webhooks: a signed POST to an address that a shop has named.

Any 2xx is a delivery, whatever its body. Redirects are not followed, and unless it is allowed, nothing is sent to
an address that is not public, or in clear.
"""

import time
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from workers.adapters import signing
from workers.adapters.http_call import Answer, HttpCaller, Request, retry_after
from workers.adapters.public_addresses import require_public
from workers.ports import GONE, BadSignature, Budget, Delivered, Delivery, NotSent, OutgoingHook, Refused
from workers.secrets import SecretMissing

ENOUGH_BYTES = 4_096
EXCERPT = 200
_HEADERS = {"Content-Type": "application/json", "User-Agent": "Refundry-Webhooks/1"}


class WebhookSender:
    """Pooled connections to all shops. `allow_private`: for development, addresses of this machine and plain http.
    `secret_of` reads a reference of a channel's, each time anew, or raises SecretMissing."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        secret_of: Callable[[str, str], str],
        check: Callable[[Collection[str]], None] = require_public,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._allow_private = allow_private
        self._secret_of = secret_of
        self._clock = clock
        self._caller = HttpCaller(check=None if allow_private else check, enough=ENOUGH_BYTES)

    def send(self, hook: OutgoingHook, *, budget: Budget) -> Delivery:
        if urlsplit(hook.url).scheme != "https" and not self._allow_private:
            return NotSent("the address is not https")
        try:
            secret = self._secret_of(hook.secret, hook.channel)
            signed = signing.sign(secret, hook.body, message_id=hook.identity, now=self._clock())
        except (SecretMissing, BadSignature) as wrong:
            return NotSent(str(wrong))
        answer = self._caller.call(Request("POST", hook.url, _HEADERS | signed, hook.body), budget=budget)
        return _meaning(answer) if isinstance(answer, Answer) else answer


def _meaning(answer: Answer) -> Delivery:
    if 200 <= answer.status < 300:
        return Delivered("")
    code, said = f"http_{answer.status}", excerpt(answer.body)
    if code == GONE:
        return Refused(code, said)
    return Refused(code, said, retryable=True, retry_after=retry_after(answer.headers))


def excerpt(body: bytes) -> str:
    """The beginning of an answer, for people: on one line, without what cannot be printed."""
    text = body[: 4 * EXCERPT].decode(errors="replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:EXCERPT]
