"""The courier played by hand, in a browser: where each parcel is, and what becomes of it next."""

from html import escape

from aiohttp import web

from workers.local.journal import Row
from workers.local.page import Page, back, badge, buttons, facts, link, path_of, rows, table, when
from workers.local.sandbox.answering import now
from workers.local.sandbox.courier.ledger import Ledger, newest
from workers.local.sandbox.courier.machine import Machine
from workers.local.sandbox.scripts import Entry

SHOWN = 40
CALLS = ("at", "method", "path", "number", "idempotency_key")
#: What can become of a parcel home, and of one that is to the customer, by where it stands.
HOMEWARD = {
    "booked": ("collected", "missed", "lost", "refused"),
    "missed": ("collected", "lost"),
    "collected": ("in_transit", "received", "lost"),
    "in_transit": ("received", "lost"),
}
OUTWARD = {
    "in_transit": ("delivered", "returning", "returned", "lost"),
    "collected": ("in_transit", "delivered", "returning", "lost"),
    "returning": ("returned", "delivered", "lost"),
    "lost": ("returned", "delivered"),
    "": ("in_transit", "delivered", "returning", "returned", "lost"),
}
LABELS = {"missed": "Nobody home", "in_transit": "In transit", "received": "Received by the warehouse"}


class Desk:
    """`/parcels/...`: a page for each parcel, and what its buttons do."""

    def __init__(self, ledger: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._machine = machine

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/parcels", self.find_parcel),
            web.get("/labels/{waybill}", self.show_label),
            web.get("/parcels/{waybill}", self.show_parcel),
            web.post("/by-hand/parcels/{waybill}/{way}", self.move),
        ]

    def overview(self) -> str:
        """The parcels the courier knows: those first with which something can happen, each the latest first."""
        parcels = self._ledger.parcels()
        latest = sorted(parcels, key=lambda parcel: str(newest(parcel)["occurred_at"]), reverse=True)
        listed = sorted(latest, key=lambda parcel: not self._ways(parcel))[:SHOWN]
        shown = rows(_head(parcel) + _moves(parcel, self._ways(parcel)) for parcel in listed)
        return f"<section><h2>Courier</h2><p>Parcels: {len(parcels)}</p>{shown}</section>"

    async def find_parcel(self, request: web.Request) -> web.Response:
        """To the page of the parcel that was typed."""
        raise web.HTTPSeeOther(path_of("parcels", request.query.get("waybill", "").strip() or "-"))

    async def show_parcel(self, request: web.Request) -> web.Response:
        """All about one parcel, known or not."""
        waybill = request.match_info["waybill"]
        parcel = self._ledger.parcel(waybill) or {
            "number": "",
            "refund": "",
            "waybill": waybill,
            "slot": None,
            "history": [],
        }
        told = table(("occurred_at", "status", "reason"), parcel["history"])
        asked = table(CALLS, self._ledger.calls({"waybill": waybill}))
        booked = table(CALLS, self._ledger.calls({"number": parcel["number"]})) if parcel["number"] else ""
        head = f"<p>{link('/', 'Sandbox')}</p><h1>Parcel {escape(waybill)}</h1>{_about(parcel)}"
        moves = _moves(parcel, self._ways(parcel))
        body = f"{head}{moves}<h2>What happened</h2>{told}<h2>What was asked</h2>{booked or asked}"
        return Page(f"Parcel {waybill}", body).response()

    async def show_label(self, request: web.Request) -> web.Response:
        """The label of a parcel that is handed in."""
        parcel = self._ledger.parcel(request.match_info["waybill"])
        if parcel is None or not parcel.get("drop_off"):
            raise web.HTTPNotFound
        to = parcel["return_address"]
        lines = facts({"Waybill": escape(parcel["waybill"]), "Number": escape(parcel["number"]), "To": escape(_at(to))})
        return Page(f"Label {parcel['waybill']}", f"<h1>Return label</h1>{lines}").response()

    async def move(self, request: web.Request) -> web.Response:
        """Something happens to a parcel, now."""
        waybill, way = request.match_info["waybill"], request.match_info["way"]
        if not any(way in ways for ways in (*HOMEWARD.values(), *OUTWARD.values())):
            raise web.HTTPNotFound
        self._machine.tell(waybill, {"status": way, "reason": "", "occurred_at": now()}, Entry())
        self._ledger.journal.flush()
        raise back(request)

    def _ways(self, parcel: Row) -> tuple[str, ...]:
        """What can become of it next."""
        if self._ledger.is_superseded(parcel):
            return ()
        at = newest(parcel)["status"] if parcel["history"] else ""
        return (HOMEWARD if parcel["number"] else OUTWARD).get(at, ())


def _head(parcel: Row) -> str:
    told = newest(parcel)
    head = f"<strong>{link(path_of('parcels', parcel['waybill']), parcel['waybill'])}</strong> {badge(told['status'])}"
    return f'<p class="head">{head}{when(told["occurred_at"])}</p>{_line(parcel)}'


def _line(parcel: Row) -> str:
    """What it is, in one line."""
    if not parcel["number"]:
        return "<p><small>to the customer</small></p>"
    return f"<p><small>{escape(parcel['number'])}, from {escape(_place(parcel))}</small></p>"


def _about(parcel: Row) -> str:
    slot = parcel["slot"]
    return facts(
        {
            "Stands at": badge(newest(parcel)["status"]) if parcel["history"] else "never heard of",
            "Pickup": escape(parcel["number"]),
            "Refund": escape(parcel.get("refund", "")),
            "From": escape(_place(parcel)),
            "Comes": escape(f"{slot['starts_at'][:16].replace('T', ' ')} to {slot['ends_at'][11:16]} UTC")
            if slot
            else "",
        }
    )


def _place(parcel: Row) -> str:
    return _at(parcel.get("address") or {})


def _at(address: Row) -> str:
    return ", ".join(str(address[name]) for name in ("name", "street", "postal_code", "city") if address.get(name))


def _moves(parcel: Row, ways: tuple[str, ...]) -> str:
    """A button for each thing that can become of it."""
    return buttons(
        (path_of("by-hand", "parcels", parcel["waybill"], way), LABELS.get(way, way.replace("_", " ").capitalize()))
        for way in ways
    )
