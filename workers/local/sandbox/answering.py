"""What every side of the sandbox does with a signed call: read it, check it, and answer as an entry says."""

import asyncio
import hashlib
import json
import time
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from workers.adapters import signing
from workers.local.sandbox.scripts import ERRORS, TIMEOUTS, Entry
from workers.ports import BadSignature


def now() -> str:
    """The sandbox's own time, RFC 3339 in UTC."""
    return datetime.now(UTC).isoformat()


def lenient_json(body: bytes) -> Any:
    """What the body says, or None; a call is noted before it is found to make no sense."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def strict_json(request: web.Request) -> Any:
    """What the body says; 422 when it is no JSON."""
    try:
        return json.loads(await request.read())
    except (ValueError, RecursionError) as exc:
        raise unprocessable(f"the body is not JSON: {exc}") from exc


def check_signature(request: web.Request, content: bytes, *, secret: str) -> None:
    """401 unless the call is signed under the secret; of a GET the target is."""
    signed = f"GET {request.raw_path}".encode() if request.method == "GET" else content
    try:
        signing.verify(secret, signed, headers=request.headers, now=time.time())
    except BadSignature as exc:
        raise problem(web.HTTPUnauthorized, "bad_signature", str(exc)) from exc


def idempotency_key(request: web.Request) -> str:
    """The call's key; 400 without one."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        raise problem(web.HTTPBadRequest, "idempotency_key_missing", "the header Idempotency-Key is missing")
    return key


def fingerprint(fields: Any) -> str:
    """The same for the same content."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def key_conflict() -> web.HTTPException:
    """The answer to a known key with another body."""
    return problem(web.HTTPConflict, "idempotency_conflict", "this key was used with another body")


async def answer_as_told(entry: Entry, answer: web.Response, *, hold_seconds: float) -> web.Response:
    """The answer, late or lost as the entry says; what was done is done by now."""
    await asyncio.sleep(entry.delay_ms / 1000)
    if entry.behaviour in TIMEOUTS:
        await asyncio.sleep(hold_seconds)
        raise problem(web.HTTPGatewayTimeout, "timeout", "scripted to time out")
    if entry.behaviour in ERRORS:
        raise problem(web.HTTPInternalServerError, "internal", "scripted to fail")
    return answer


def unprocessable(message: str) -> web.HTTPException:
    return problem(web.HTTPUnprocessableEntity, "invalid", message)


def problem(kind: type[web.HTTPException], code: str, message: str) -> web.HTTPException:
    """A refusal as the signed protocols have it."""
    return kind(text=json.dumps({"code": code, "message": message}), content_type="application/json")
