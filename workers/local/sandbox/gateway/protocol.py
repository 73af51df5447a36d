"""The signed gateway protocol (docs/gateways.md): `POST /v1/refunds` and `GET /v1/refunds`."""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiohttp import web

from workers.adapters import signing
from workers.local.journal import Row
from workers.local.sandbox.gateway.ledger import Ledger, as_fact
from workers.local.sandbox.gateway.machine import Machine
from workers.local.sandbox.gateway.scripts import Entry
from workers.ports import BadSignature

PAGE = 100
REFUSALS = {"decline": "declined", "insufficient_funds": "insufficient_funds"}
TIMEOUTS = ("timeout_before", "timeout_after_success")
ERRORS = ("error_500", "error_500_after_success")
NOTHING_DONE = ("timeout_before", "error_500")


@dataclass(frozen=True)
class RefundCall:
    """One `POST /v1/refunds` that makes sense."""

    key: str
    fields: Row

    @property
    def fingerprint(self) -> str:
        """The same for the same body."""
        return hashlib.sha256(json.dumps(self.fields, sort_keys=True).encode()).hexdigest()


class Protocol:
    """The two calls of the protocol over the ledger."""

    def __init__(self, ledger: Ledger, machine: Machine, *, secret: str, hold_seconds: float) -> None:
        self._ledger = ledger
        self._machine = machine
        self._secret = secret
        self._hold_seconds = hold_seconds

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/v1/refunds", self.post_refund), web.get("/v1/refunds", self.get_refunds)]

    async def post_refund(self, request: web.Request) -> web.StreamResponse:
        """A refund, answered as the payment's script says."""
        body = await request.read()
        data = _json(body)
        self._note(request, data)
        self._check_signature(request, body)
        call = RefundCall(_key(request), _fields(data))
        known = self._ledger.key(call.key)
        if known and known["fingerprint"] != call.fingerprint:
            raise _problem(web.HTTPConflict, "idempotency_conflict", "this key was used with another body")
        entry = self._ledger.take_entry(call.fields["payment_reference"], call.fields["number"])
        answer = self._carry_out(call, entry)
        self._ledger.journal.flush()
        return await self._answer(entry, answer)

    async def get_refunds(self, request: web.Request) -> web.StreamResponse:
        """Refunds under a number, or a page of all since a time."""
        self._note(request, dict(request.query))
        self._check_signature(request, f"GET {request.raw_path}".encode())
        self._ledger.journal.flush()
        if "since" in request.query:
            return web.json_response(self._page(request.query))
        reference, number = request.query.get("payment_reference", ""), request.query.get("number", "")
        found = [as_fact(row) for row in self._ledger.refunds(reference) if row["number"] == number]
        return web.json_response({"refunds": found})

    def _carry_out(self, call: RefundCall, entry: Entry) -> web.Response:
        """What the gateway does about the call, and what it would answer."""
        known = self._ledger.key(call.key) or {"fingerprint": call.fingerprint, "refund": "", "refusal": ""}
        if not (known["refund"] or known["refusal"] or entry.behaviour in NOTHING_DONE):
            known = {**known, **self._decide(call, entry)}
        self._ledger.put_key(call.key, known)
        if known["refusal"]:
            return _refusal(known["refusal"])
        if not known["refund"]:
            return web.json_response({"code": "internal", "message": "nothing was done"}, status=500)
        fact = as_fact(self._ledger.refund(known["refund"]))
        return web.json_response(fact, status=202 if fact["status"] == "pending" else 200)

    def _decide(self, call: RefundCall, entry: Entry) -> Row:
        if entry.behaviour in REFUSALS:
            return {"refusal": REFUSALS[entry.behaviour]}
        left = self._ledger.left_of(call.fields["payment_reference"])
        if left is not None and call.fields["amount_minor"] > left:
            return {"refusal": "amount_too_large"}
        return {"refund": self._machine.make(call.fields, entry)["gateway_refund_id"]}

    async def _answer(self, entry: Entry, answer: web.Response) -> web.StreamResponse:
        await asyncio.sleep(entry.delay_ms / 1000)
        if entry.behaviour in TIMEOUTS:
            await asyncio.sleep(self._hold_seconds)
            raise _problem(web.HTTPGatewayTimeout, "timeout", "scripted to time out")
        if entry.behaviour in ERRORS:
            raise _problem(web.HTTPInternalServerError, "internal", "scripted to fail")
        return answer

    def _page(self, query: Mapping[str, str]) -> Row:
        since, cursor = _since(query["since"]), query.get("cursor", "")
        start = int(cursor) if cursor.isascii() and cursor.isdigit() else 0
        rows = self._ledger.refunds(None)[start:]
        page = [as_fact(row) for row in rows[:PAGE] if datetime.fromisoformat(row["created_at"]) >= since]
        return {"refunds": page, "next": str(start + PAGE) if len(rows) > PAGE else ""}

    def _note(self, request: web.Request, data: Any) -> None:
        told = data if isinstance(data, dict) else {}
        self._ledger.note_call(
            {
                "method": request.method,
                "path": request.raw_path,
                "idempotency_key": request.headers.get("Idempotency-Key", ""),
                "number": str(told.get("number", "")),
                "payment_reference": str(told.get("payment_reference", "")),
                "amount_minor": told.get("amount_minor"),
                "currency": told.get("currency"),
            }
        )

    def _check_signature(self, request: web.Request, content: bytes) -> None:
        try:
            signing.verify(self._secret, content, headers=request.headers, now=time.time())
        except BadSignature as exc:
            self._ledger.journal.flush()
            raise _problem(web.HTTPUnauthorized, "bad_signature", str(exc)) from exc


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _key(request: web.Request) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        raise _problem(web.HTTPBadRequest, "idempotency_key_missing", "the header Idempotency-Key is missing")
    return key


def _fields(data: Any) -> Row:
    told = data if isinstance(data, dict) else {}
    for name in ("number", "payment_reference", "currency"):
        if not isinstance(told.get(name), str) or not told[name]:
            raise _problem(web.HTTPUnprocessableEntity, "invalid", f"{name} is missing")
    amount = told.get("amount_minor")
    if type(amount) is not int or amount <= 0:
        raise _problem(web.HTTPUnprocessableEntity, "invalid", "amount_minor is not a whole number above 0")
    return {name: told[name] for name in ("number", "payment_reference", "amount_minor", "currency")}


def _since(text: str) -> datetime:
    try:
        since = datetime.fromisoformat(text)
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise _problem(web.HTTPUnprocessableEntity, "invalid", "since is no time with an offset")
    return since


def _refusal(code: str) -> web.Response:
    return web.json_response({"code": code, "message": f"the refund is refused: {code}"}, status=402)


def _problem(kind: type[web.HTTPException], code: str, message: str) -> web.HTTPException:
    body = json.dumps({"code": code, "message": message})
    return kind(text=body, content_type="application/json")
