"""The doors for scripts and tests: set scripts, move parcels, read the ledger. Unsigned, loopback."""

from typing import Any

from aiohttp import web

from workers.local.journal import Row
from workers.local.sandbox.answering import now, problem, strict_json, unprocessable
from workers.local.sandbox.courier.ledger import Ledger
from workers.local.sandbox.courier.machine import Machine
from workers.local.sandbox.courier.orders import aware_time
from workers.local.sandbox.courier.scripts import parse_script, script_row
from workers.local.sandbox.scripts import LIMITS, BadScript, Entry, whole

WAYS = ("collected", "in_transit", "received", "missed", "refused", "lost", "returning", "returned", "delivered")
OPTIONS = ("occurred_at", "reason", "webhook_copies", "webhook_delay_ms")


class Doors:
    """`/courier/...` over the ledger."""

    def __init__(self, ledger: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._machine = machine

    def routes(self) -> list[web.RouteDef]:
        return [
            web.put("/courier/scripts/{subject:.+}", self.put_script),
            web.get("/courier/ledger", self.get_ledger),
            web.post("/courier/parcels/{waybill:.+}/{way}", self.tell),
        ]

    async def put_script(self, request: web.Request) -> web.Response:
        """How the coming calls about this refund, or this tracking number, go."""
        try:
            script = parse_script(await strict_json(request))
        except BadScript as exc:
            raise unprocessable(str(exc)) from exc
        self._ledger.put_script(request.match_info["subject"], script)
        return self._kept(script_row(script))

    async def get_ledger(self, request: web.Request) -> web.Response:
        """Pickups and intercepts as they stand, and every request; of one refund, number or waybill, or all."""
        body = {
            "pickups": self._ledger.pickups(request.query),
            "intercepts": self._ledger.intercepts(request.query),
            "calls": self._ledger.calls(request.query),
        }
        return web.json_response(body)

    async def tell(self, request: web.Request) -> web.Response:
        """Something happens to a parcel, homeward or outward; one that nobody knows is known from here."""
        way = request.match_info["way"]
        if way not in WAYS:
            raise problem(web.HTTPNotFound, "invalid", f"a parcel is told to be one of {', '.join(WAYS)}")
        options = _options(await strict_json(request) if request.can_read_body else {})
        occurred_at = options.get("occurred_at", now())
        aware_time(occurred_at, "occurred_at")
        told = {"status": way, "reason": str(options.get("reason", "")), "occurred_at": occurred_at}
        entry = Entry(webhook_delay_ms=options["webhook_delay_ms"], webhook_copies=options["webhook_copies"])
        return self._kept(self._machine.tell(request.match_info["waybill"], told, entry))

    def _kept(self, body: Row) -> web.Response:
        self._ledger.journal.flush()
        return web.json_response(body)


def _options(data: Any) -> Row:
    if not isinstance(data, dict) or set(data) - set(OPTIONS):
        raise unprocessable(f"the body is an object with no more than {', '.join(OPTIONS)}")
    told = {"webhook_copies": 1, "webhook_delay_ms": 0, **data}
    try:
        counts = {name: whole(told[name], name, limit=LIMITS[name]) for name in ("webhook_copies", "webhook_delay_ms")}
    except BadScript as exc:
        raise unprocessable(str(exc)) from exc
    return {**told, **counts}
