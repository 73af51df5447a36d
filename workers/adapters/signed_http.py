"""Signed JSON calls to one peer of ours-by-protocol (gateway, SMS endpoint): signature, deadline, classification."""

import json
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from workers.adapters import signing
from workers.adapters.http_call import Answer, HttpCaller, Request, retry_after
from workers.ports import Budget, NotSent, Refused, Unknown

T = TypeVar("T")
#: Makes a value of a JSON object, or raises ValueError.
Reading = Callable[[dict[str, Any]], T]

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
        url = self.base_url + path + (f"?{urlencode(query)}" if query else "")
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = self._signed(f"GET {target}".encode())
        return self._caller.call(Request("GET", url, headers), budget=budget)

    def verify(self, headers: Mapping[str, str], body: bytes) -> str:
        """The id of a webhook of this peer. Raises BadSignature."""
        return signing.verify(self._secret, body, headers=headers, now=self._clock())

    def _signed(self, content: bytes) -> dict[str, str]:
        message_id = f"msg_{secrets.token_hex(12)}"
        return signing.sign(self._secret, content, message_id=message_id, now=self._clock())


def not_done(answer: Answer, *, conflicts: Collection[str] = ()) -> Refused | Unknown | None:
    """What an answer other than 2xx means; None for 2xx. A 4xx is definite, but for those that are not; a 409 is
    where its code is one of the `conflicts` that the protocol knows."""
    status = answer.status
    if 200 <= status < 300:
        return None
    if status >= 500:
        return Unknown(f"HTTP {status}", answered=True, retry_after=retry_after(answer.headers))
    problem = _problem(answer)
    if status == 409 and problem["code"] in conflicts:
        return Refused(problem["code"], problem["message"])
    if status < 400 or status in _OPEN_STATUSES:
        return Unknown(f"HTTP {status}")
    if status == 429:
        wait = retry_after(answer.headers)
        return Refused(code="rate_limited", message=problem["message"], retryable=True, retry_after=wait)
    code = problem["code"] or f"http_{status}"
    return Refused(code, problem["message"], retryable=status in OUR_FAULT)


def asked(answer: Answer | Unknown | NotSent, reading: Reading[T]) -> T | Unknown | NotSent:
    """What a question was answered with. A refusal to answer says nothing about what was asked."""
    if not isinstance(answer, Answer):
        return answer
    refusal = not_done(answer)
    if isinstance(refusal, Refused):
        reason = f"the question was refused: {refusal.code} {refusal.message}"
        return Unknown(reason, retry_after=refusal.retry_after)
    return read(answer, reading) if refusal is None else refusal


def read(answer: Answer, reading: Reading[T]) -> T | Unknown:
    """The JSON object of an answer, read; one that makes no sense says nothing."""
    try:
        return reading(json_object(answer.body))
    except (ValueError, RecursionError) as exc:
        return Unknown(f"the answer makes no sense: {exc}"[:300])


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
