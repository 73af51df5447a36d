"""The signed gateway protocol (docs/gateways.md): `POST /v1/refunds`, `POST /v1/voids` and `GET /v1/refunds`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiohttp import web

from workers.local.journal import Row
from workers.local.sandbox.answering import (
    answer_as_told,
    check_signature,
    fingerprint,
    idempotency_key,
    key_conflict,
    lenient_json,
    unprocessable,
)
from workers.local.sandbox.gateway.ledger import Ledger, as_fact, is_void
from workers.local.sandbox.gateway.limits import limit_reached, refuse_so_soon
from workers.local.sandbox.gateway.machine import Machine
from workers.local.sandbox.scripts import NOTHING_DONE, Entry
from workers.ports import ALREADY_CAPTURED, CANNOT_VOID

PAGE = 100
REFUSALS = {"decline": "declined", "insufficient_funds": "insufficient_funds"}


@dataclass(frozen=True)
class RefundCall:
    """One `POST /v1/refunds` or `/v1/voids` that makes sense."""

    key: str
    fields: Row

    @property
    def fingerprint(self) -> str:
        """The same for the same body."""
        return fingerprint(self.fields)


class Protocol:
    """The calls of the protocol over the ledger."""

    def __init__(self, ledger: Ledger, machine: Machine, *, secret: str, hold_seconds: float) -> None:
        self._ledger = ledger
        self._machine = machine
        self._secret = secret
        self._hold_seconds = hold_seconds

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/refunds", self.post_refund),
            web.post("/v1/voids", self.post_void),
            web.get("/v1/refunds", self.get_refunds),
        ]

    async def post_refund(self, request: web.Request) -> web.StreamResponse:
        """A refund, answered as the payment's script says."""
        return await self._post(request, {})

    async def post_void(self, request: web.Request) -> web.StreamResponse:
        """The end of a hold, answered as the payment's script says."""
        return await self._post(request, {"kind": "void"})

    async def _post(self, request: web.Request, kind: Row) -> web.StreamResponse:
        body = await request.read()
        data = lenient_json(body)
        self._note(request, data)
        check_signature(request, body, secret=self._secret)
        call = RefundCall(idempotency_key(request), _fields(data) | kind)
        known = self._ledger.key(call.key)
        if known and known["fingerprint"] != call.fingerprint:
            raise key_conflict()
        entry = self._ledger.take_entry(call.fields["payment_reference"], call.fields["number"])
        answer = self._carry_out(call, entry)
        self._ledger.journal.flush()
        return await answer_as_told(entry, answer, hold_seconds=self._hold_seconds)

    async def get_refunds(self, request: web.Request) -> web.StreamResponse:
        """Refunds under a number, or a page of all since a time."""
        self._note(request, dict(request.query))
        check_signature(request, b"", secret=self._secret)
        if "since" in request.query:
            return web.json_response(self._page(request.query))
        reference, number = request.query.get("payment_reference", ""), request.query.get("number", "")
        found = [as_fact(row) for row in self._ledger.refunds(reference) if row["number"] == number]
        return web.json_response({"refunds": found})

    def _carry_out(self, call: RefundCall, entry: Entry) -> web.Response:
        """What the gateway does about the call, and what it would answer."""
        known = self._ledger.key(call.key) or {"fingerprint": call.fingerprint, "refund": "", "refusal": ""}
        if not (known["refund"] or known["refusal"] or entry.behaviour in NOTHING_DONE):
            if not is_void(call.fields) and "payee" not in call.fields:
                refuse_so_soon(self._ledger, call.fields)
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
        if refusal := self._refusal_of(call.fields):
            return {"refusal": refusal}
        return {"refund": self._machine.make(call.fields, entry)["gateway_refund_id"]}

    def _refusal_of(self, fields: Row) -> str:
        """A payout is no refund of the payment, and has none of its limits."""
        if "payee" in fields:
            return ""
        reference = fields["payment_reference"]
        is_released = self._ledger.is_released(reference)
        if is_void(fields):
            not_held = CANNOT_VOID if is_released else ALREADY_CAPTURED
            return "" if self._ledger.is_held(reference) else not_held
        if is_released:
            return "not_captured"
        if refusal := limit_reached(self._ledger, fields):
            return refusal
        left = self._ledger.left_of(reference)
        return "amount_too_large" if left is not None and fields["amount_minor"] > left else ""

    def _page(self, query: Mapping[str, str]) -> Row:
        """From the one after the cursor's on. What was made by hand may be told to appear late."""
        since, cursor = _since(query["since"]), query.get("cursor", "")
        rows = self._ledger.refunds(None)
        made = [row["gateway_refund_id"] for row in rows]
        start = made.index(cursor) + 1 if cursor in made else 0
        listed = [row for row in rows[start:] if _is_listed(row, since) and not is_void(row)]
        page = listed[:PAGE]
        more = page[-1]["gateway_refund_id"] if len(listed) > PAGE else ""
        return {"refunds": [as_fact(row) for row in page], "next": more}

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
                "payee": str(told.get("payee", "")),
            }
        )
        self._ledger.journal.flush()


def _fields(data: Any) -> Row:
    told = data if isinstance(data, dict) else {}
    for name in ("number", "payment_reference", "currency"):
        if not isinstance(told.get(name), str) or not told[name]:
            raise unprocessable(f"{name} is missing")
    amount = told.get("amount_minor")
    if type(amount) is not int or amount <= 0:
        raise unprocessable("amount_minor is not a whole number above 0")
    payee = {"payee": told["payee"]} if isinstance(told.get("payee"), str) and told["payee"] else {}
    return {name: told[name] for name in ("number", "payment_reference", "amount_minor", "currency")} | payee


def _is_listed(row: Row, since: datetime) -> bool:
    is_there = time.time() >= row.get("listed_from", 0.0)
    return is_there and datetime.fromisoformat(row["created_at"]) >= since


def _since(text: str) -> datetime:
    try:
        since = datetime.fromisoformat(text)
    except ValueError:
        since = None
    if since is None or since.tzinfo is None:
        raise unprocessable("since is no time with an offset")
    return since


def _refusal(code: str) -> web.Response:
    return web.json_response({"code": code, "message": f"refused: {code}"}, status=402)
