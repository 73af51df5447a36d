"""The doors for scripts and tests: set scripts, read the ledger, make what nobody asked for. Unsigned, loopback."""

import time
from typing import Any

from aiohttp import web

from workers.local.journal import Row
from workers.local.sandbox.answering import problem, strict_json, unprocessable
from workers.local.sandbox.gateway.ledger import Ledger, as_fact
from workers.local.sandbox.gateway.machine import Machine
from workers.local.sandbox.gateway.scripts import BEHAVIOURS, parse_script, script_row
from workers.local.sandbox.scripts import BadScript, Entry

OUTCOMES = ("won", "lost")
LONGEST_UNLISTED_MS = 24 * 3600 * 1000


class Doors:
    """`/gateway/...` over the ledger."""

    def __init__(self, ledger: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._machine = machine

    def routes(self) -> list[web.RouteDef]:
        return [
            web.put("/gateway/scripts/{reference:.+}", self.put_script),
            web.get("/gateway/ledger", self.get_ledger),
            web.post("/gateway/refunds", self.post_refund),
            web.post("/gateway/refunds/{refund}/{status}", self.settle),
            web.post("/gateway/disputes", self.post_dispute),
            web.post("/gateway/disputes/{dispute}/{outcome}", self.close_dispute),
        ]

    async def put_script(self, request: web.Request) -> web.Response:
        """What the coming refunds of this payment do."""
        try:
            script = parse_script(await strict_json(request))
        except BadScript as exc:
            raise unprocessable(str(exc)) from exc
        self._ledger.put_script(request.match_info["reference"], script)
        return self._kept(script_row(script))

    async def get_ledger(self, request: web.Request) -> web.Response:
        """Refunds and disputes as they stand, and every request that came; of one payment, or all."""
        reference = request.query.get("reference")
        body = {
            "refunds": [as_fact(row) for row in self._ledger.refunds(reference)],
            "calls": self._ledger.calls(reference),
            "disputes": self._ledger.disputes(reference),
        }
        return web.json_response(body)

    async def post_refund(self, request: web.Request) -> web.Response:
        """A refund that nobody asked the gateway for, such as one made by hand in its dashboard."""
        data = await strict_json(request)
        behaviour = data.get("behaviour", "succeed") if isinstance(data, dict) else ""
        if behaviour not in BEHAVIOURS:
            raise unprocessable(f"behaviour is none of {', '.join(BEHAVIOURS)}")
        hidden_ms = data.get("unlisted_ms", 0)
        if type(hidden_ms) is not int or not 0 <= hidden_ms <= LONGEST_UNLISTED_MS:
            raise unprocessable(f"unlisted_ms is a whole number up to {LONGEST_UNLISTED_MS}")
        fields = {**_payment(data), "number": _text(data, "number", default="")}
        fields["listed_from"] = time.time() + hidden_ms / 1000
        return self._kept(as_fact(self._machine.make(fields, Entry(behaviour=behaviour))), status=201)

    async def settle(self, request: web.Request) -> web.Response:
        """A pending refund ends now, or a success is taken back."""
        settled = self._machine.settle(request.match_info["refund"], request.match_info["status"])
        if settled is None:
            raise problem(web.HTTPConflict, "invalid", "no such refund, or it cannot become that any more")
        return self._kept(as_fact(settled))

    async def post_dispute(self, request: web.Request) -> web.Response:
        """The customer's bank takes the money back, for now."""
        dispute = self._ledger.add_dispute(_payment(await strict_json(request)))
        self._machine.tell("dispute.opened", dispute)
        return self._kept(dispute, status=201)

    async def close_dispute(self, request: web.Request) -> web.Response:
        """The bank has decided."""
        outcome = request.match_info["outcome"]
        dispute = self._ledger.dispute(request.match_info["dispute"])
        if dispute is None or outcome not in OUTCOMES:
            raise problem(web.HTTPNotFound, "invalid", "no such dispute, or neither won nor lost")
        if dispute["status"] not in ("opened", outcome):
            raise problem(web.HTTPConflict, "invalid", f"this dispute is {dispute['status']} already")
        closed = self._ledger.close_dispute(dispute["dispute_id"], outcome)
        self._machine.tell(f"dispute.{outcome}", closed)
        return self._kept(closed)

    def _kept(self, body: Row, *, status: int = 200) -> web.Response:
        self._ledger.journal.flush()
        return web.json_response(body, status=status)


def _payment(data: Any) -> Row:
    reference = _text(data, "payment_reference", default=_text(data, "reference", default=""))
    currency = _text(data, "currency", default="")
    amount = data.get("amount_minor")
    if not reference or not currency or type(amount) is not int or amount <= 0:
        raise unprocessable("needed: reference, amount_minor (a whole number above 0) and currency")
    return {"payment_reference": reference, "amount_minor": amount, "currency": currency}


def _text(data: Any, name: str, *, default: str) -> str:
    value = data.get(name, default) if isinstance(data, dict) else None
    if not isinstance(value, str):
        raise unprocessable(f"{name} is not a text, or the body no object")
    return value
