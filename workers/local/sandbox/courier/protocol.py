"""The signed courier protocol (docs/couriers.md) under `/courier/v1`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
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
    problem,
)
from workers.local.sandbox.courier.ledger import Ledger, as_fact, newest
from workers.local.sandbox.courier.machine import Machine
from workers.local.sandbox.courier.orders import cancel_order, intercept_order, pickup_order
from workers.local.sandbox.courier.scripts import REFUSALS
from workers.local.sandbox.courier.slots import offered
from workers.local.sandbox.scripts import NOTHING_DONE, Entry

NOTHING: Row = {"refusal": "", "waybill": ""}


@dataclass(frozen=True)
class Asked:
    """One call that wants something done; `subject` names the script it is answered by."""

    kind: str
    key: str
    subject: str
    order: Row

    @property
    def fingerprint(self) -> str:
        """The same for the same order; for whom an intercept is does not count, nor where we are reached."""
        left_out = {"origin", "refund"} if self.kind == "intercept" else {"origin"}
        counted = {name: value for name, value in self.order.items() if name not in left_out}
        return fingerprint([self.kind, counted])


class Protocol:
    """The calls of the protocol over the ledger."""

    def __init__(self, ledger: Ledger, machine: Machine, *, secret: str, hold_seconds: float) -> None:
        self._ledger = ledger
        self._machine = machine
        self._secret = secret
        self._hold_seconds = hold_seconds

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/courier/v1/slots", self.get_slots),
            web.post("/courier/v1/pickups", self.post_pickup),
            web.get("/courier/v1/pickups", self.get_pickups),
            web.post("/courier/v1/pickups/{waybill:.+}/cancel", self.cancel_pickup),
            web.post("/courier/v1/intercepts", self.post_intercept),
            web.get("/courier/v1/parcels/{waybill:.+}", self.get_parcel),
        ]

    async def get_slots(self, request: web.Request) -> web.Response:
        """When a courier could come; the same to every address."""
        await self._receive(request)
        return web.json_response({"slots": offered(datetime.now(UTC).date())})

    async def get_pickups(self, request: web.Request) -> web.Response:
        """All pickups under a number, each as it stands."""
        await self._receive(request)
        found = self._ledger.pickups({"number": request.query.get("number", "")})
        return web.json_response({"pickups": [newest(parcel) for parcel in found]})

    async def get_parcel(self, request: web.Request) -> web.Response:
        """One parcel as it stands, and all that was told of it."""
        await self._receive(request)
        parcel = self._ledger.parcel(request.match_info["waybill"])
        if parcel is None:
            raise problem(web.HTTPNotFound, "unknown_parcel", "no parcel of this waybill or tracking number")
        history = [as_fact(parcel, told) for told in parcel["history"]]
        return web.json_response({"parcel": newest(parcel), "history": history})

    async def post_pickup(self, request: web.Request) -> web.StreamResponse:
        """Have a courier come, answered as the refund's script says."""
        order = {**pickup_order(await self._receive(request)), "origin": str(request.url.origin())}
        asked = Asked("book", idempotency_key(request), order["refund"], order)
        return await self._answer(asked, self._machine.book)

    async def cancel_pickup(self, request: web.Request) -> web.StreamResponse:
        """Call a courier off, answered as the refund's script says."""
        order = cancel_order(await self._receive(request), request.match_info["waybill"])
        subject = self._ledger.refund_of(order["number"], order["waybill"])
        return await self._answer(Asked("cancel", idempotency_key(request), subject, order), self._machine.cancel)

    async def post_intercept(self, request: web.Request) -> web.StreamResponse:
        """Have a parcel stopped, answered as the tracking number's script says."""
        order = intercept_order(await self._receive(request))
        asked = Asked("intercept", idempotency_key(request), order["waybill"], order)
        return await self._answer(asked, self._machine.intercept)

    async def _answer(self, asked: Asked, act: Callable[[Row, Entry], Row]) -> web.StreamResponse:
        known = self._ledger.key(asked.key)
        if known and known["fingerprint"] != asked.fingerprint:
            raise key_conflict()
        entry = self._ledger.take_entry(asked.kind, asked.subject, asked.order["number"])
        done = known or {"fingerprint": asked.fingerprint, **NOTHING}
        if not (done["refusal"] or done["waybill"] or entry.behaviour in NOTHING_DONE):
            refused = entry.behaviour in REFUSALS[asked.kind]
            done = {**done, **({"refusal": entry.behaviour} if refused else act(asked.order, entry))}
        self._ledger.put_key(asked.key, done)
        answer = self._said(asked, done)
        self._ledger.journal.flush()
        return await answer_as_told(entry, answer, hold_seconds=self._hold_seconds)

    def _said(self, asked: Asked, done: Row) -> web.Response:
        if code := done["refusal"]:
            status = REFUSALS[asked.kind].get(code, 404)
            return web.json_response({"code": code, "message": f"the courier refuses: {code}"}, status=status)
        parcel = self._ledger.parcel(done["waybill"])
        if parcel is None:
            return web.json_response({"code": "internal", "message": "nothing was done"}, status=500)
        fact = newest(parcel)
        if asked.kind == "intercept":
            return web.json_response({"number": asked.order["number"], "parcel": fact}, status=202)
        return web.json_response(fact, status=201 if asked.kind == "book" else 200)

    async def _receive(self, request: web.Request) -> Any:
        """The body of a call, once the call is noted and its signature holds."""
        body = await request.read()
        data = lenient_json(body) if body else dict(request.query)
        self._note(request, data if isinstance(data, dict) else {})
        check_signature(request, body, secret=self._secret)
        return data

    def _note(self, request: web.Request, told: Row) -> None:
        number = str(told.get("number", ""))
        waybill = request.match_info.get("waybill", "") or str(told.get("tracking_number", ""))
        refund = str(told.get("refund") or "") or self._ledger.refund_of(number, waybill)
        call = {"method": request.method, "path": request.raw_path, "number": number, "waybill": waybill}
        key = request.headers.get("Idempotency-Key", "")
        self._ledger.note_call({**call, "refund": refund, "idempotency_key": key})
        self._ledger.journal.flush()
