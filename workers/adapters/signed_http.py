"""Signed JSON calls to one peer of ours-by-protocol (gateway, SMS endpoint): signature, deadline, classification."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from workers.adapters import signing
from workers.adapters.http_call import Answer, HttpCaller, Request
from workers.ports import Budget, NotSent, Refused, Unknown

# Answers that leave open whether the call, or an earlier one under this key, was carried out.
_OPEN_STATUSES = {408, 409, 425}
# Our credentials or clock are wrong: nothing was done, and the same call works once somebody has mended them.
OUR_FAULT = {401, 403}


class SignedPeer:
    """Where the peer is, the secret both sides know, and the connections to it."""

    def __init__(self, base_url: str, *, secret: str, clock: Callable[[], float] = time.time) -> None:
        self.base_url = base_url.rstrip("/")
        self._secret = secret
        self._clock = clock
        self._caller = HttpCaller()
        signing.secret_key(secret)

    def post(self, path: str, body: Mapping[str, Any], *, key: str, budget: Budget) -> Answer | Unknown | NotSent:
        """POST a JSON body under an idempotency key."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": key, **self._signed(content)}
        return self._caller.call(Request("POST", self.base_url + path, headers, content), budget=budget)

    def get(self, path: str, query: Mapping[str, str], *, budget: Budget) -> Answer | Unknown | NotSent:
        """GET; signed is the method with the path and query as they go over the wire."""
        url = f"{self.base_url}{path}?{urlencode(query)}"
        parts = urlsplit(url)
        headers = self._signed(f"GET {parts.path}?{parts.query}".encode())
        return self._caller.call(Request("GET", url, headers), budget=budget)

    def verify(self, headers: Mapping[str, str], body: bytes) -> str:
        """The id of a webhook of this peer. Raises BadSignature."""
        return signing.verify(self._secret, body, headers=headers, now=self._clock())

    def _signed(self, content: bytes) -> dict[str, str]:
        message_id = f"msg_{secrets.token_hex(12)}"
        return signing.sign(self._secret, content, message_id=message_id, now=self._clock())


def not_done(answer: Answer) -> Refused | Unknown | None:
    """What an answer other than 2xx means; None for 2xx. A 4xx is definite, but for those that are not."""
    status = answer.status
    if 200 <= status < 300:
        return None
    if status >= 500:
        return Unknown(f"HTTP {status}", answered=True)
    if status < 400 or status in _OPEN_STATUSES:
        return Unknown(f"HTTP {status}")
    problem = _problem(answer)
    if status == 429:
        return Refused(code="rate_limited", message=problem["message"], retryable=True)
    code = problem["code"] or f"http_{status}"
    return Refused(code, problem["message"], retryable=status in OUR_FAULT)


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises ValueError for anything else."""
    value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _problem(answer: Answer) -> dict[str, str]:
    try:
        body = json_object(answer.body)
    except (ValueError, RecursionError):
        body = {}
    return {name: str(body.get(name) or "")[:300] for name in ("code", "message")}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
