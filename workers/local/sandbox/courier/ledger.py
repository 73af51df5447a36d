"""What the courier knows: parcels with all that was told of them, intercepts, calls, keys, scripts. Survives a kill."""

import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from workers.local.journal import Journal, Row
from workers.local.page import path_of
from workers.local.sandbox.answering import now
from workers.local.sandbox.courier.scripts import Script, script_row, slots_of
from workers.local.sandbox.scripts import Entry

PICKUP_NUMBER = re.compile(r"(?P<refund>.+)-P\d+")
FILTERS = ("refund", "number", "waybill")
# A parcel that is first heard of by an intercept has left some time before.
ON_ITS_WAY_FOR = timedelta(days=1)


class Ledger:
    """The courier's books. Every method leaves the flush to the handler that answers."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._waybills: dict[str, list[str]] = {}
        for parcel in journal.rows("parcel").values():
            self._waybills.setdefault(parcel["number"], []).append(parcel["waybill"])

    def note_call(self, call: Row) -> None:
        """Keep a request as received, before anything is done about it."""
        self.journal.put("call", str(len(self.journal.rows("call")) + 1), {"at": now(), **call})

    def calls(self, query: Mapping[str, str]) -> list[Row]:
        """The requests received, oldest first."""
        return _about(self.journal.rows("call"), query)

    def put_script(self, subject: str, script: Script) -> None:
        """Set the script of a refund, or of a parcel's tracking number; numbers are counted anew from here."""
        self.journal.put("script", subject, {**script_row(script), "numbers": {}})

    def take_entry(self, kind: str, subject: str, number: str) -> Entry:
        """How this call about this number is answered, by the subject's script. Counts the call."""
        row = self.journal.rows("script").get(subject)
        if row is None:
            return Entry()
        numbers = row["numbers"].get(kind, {})
        slot, call = numbers.get(number, (len(numbers), 0))
        counted = {**numbers, number: (slot, call + 1)}
        self.journal.change("script", subject, numbers={**row["numbers"], kind: counted})
        return slots_of(row, kind).entry(slot=slot, call=call)

    def key(self, key: str) -> Row | None:
        """{fingerprint, refusal, waybill} of a key used before."""
        return self.journal.rows("key").get(key)

    def put_key(self, key: str, row: Row) -> None:
        self.journal.put("key", key, row)

    def add_pickup(self, order: Row, slot: Row | None) -> Row:
        """A new parcel under a new waybill."""
        waybill = f"WB{len(self.journal.rows('parcel')) + 1}{secrets.token_hex(4).upper()}"
        self._waybills.setdefault(order["number"], []).append(waybill)
        row = {**order, "waybill": waybill, "slot": slot, "history": [_told("booked")]}
        return self.journal.put("parcel", waybill, row)

    def parcel(self, waybill: str) -> Row | None:
        return self.journal.rows("parcel").get(waybill)

    def parcels(self) -> list[Row]:
        """All that were ever heard of, homeward and outward."""
        return list(self.journal.rows("parcel").values())

    def is_superseded(self, parcel: Row) -> bool:
        """Another visit was booked for it since."""
        return bool(parcel["number"]) and self._waybills[parcel["number"]][-1] != parcel["waybill"]

    def tell(self, waybill: str, told: Row) -> Row:
        """Something happened to the parcel; one never heard of is known from here. History is by the carrier's time."""
        row = self.parcel(waybill) or {"number": "", "refund": "", "waybill": waybill, "slot": None, "history": []}
        history = sorted([*row["history"], told], key=lambda each: datetime.fromisoformat(each["occurred_at"]))
        return self.journal.put("parcel", waybill, {**row, "history": history})

    def cancel(self, waybill: str) -> Row:
        """Nobody comes any more. Cancelled once."""
        parcel = self.journal.rows("parcel")[waybill]
        return parcel if newest(parcel)["status"] == "cancelled" else self.tell(waybill, _told("cancelled"))

    def add_intercept(self, order: Row) -> None:
        """Keep the order, and know its parcel."""
        if self.parcel(order["waybill"]) is None:
            left = (datetime.now(UTC) - ON_ITS_WAY_FOR).isoformat()
            self.tell(order["waybill"], {**_told("in_transit"), "occurred_at": left})
        self.journal.put("intercept", order["number"], {**order, "created_at": now()})

    def pickups(self, query: Mapping[str, str]) -> list[Row]:
        """Pickups, as they stand and with their history."""
        rows = self.journal.rows("parcel")
        if "number" in query:
            rows = {waybill: rows[waybill] for waybill in self._waybills.get(query["number"], [])}
        return [{**row, **newest(row)} for row in _about(rows, query) if row["number"]]

    def intercepts(self, query: Mapping[str, str]) -> list[Row]:
        """Intercepts, each with where its parcel stands."""
        rows = _about(self.journal.rows("intercept"), query)
        return [{**row, "status": newest(self.journal.rows("parcel")[row["waybill"]])["status"]} for row in rows]

    def refund_of(self, number: str, waybill: str) -> str:
        """The refund that a call is about, as far as its number or its parcel tells."""
        if match := PICKUP_NUMBER.fullmatch(number):
            return match["refund"]
        intercepts = [row for row in self.journal.rows("intercept").values() if waybill and row["waybill"] == waybill]
        known = [self.parcel(waybill) or {}, *intercepts]
        return next((row["refund"] for row in known if row.get("refund")), "")


def newest(parcel: Row) -> Row:
    """A parcel as it stands, in the protocol's words."""
    return as_fact(parcel, parcel["history"][-1])


def as_fact(parcel: Row, told: Row) -> Row:
    """One thing told of a parcel, in the protocol's words."""
    label = f"{parcel['origin']}{path_of('labels', parcel['waybill'])}" if parcel.get("drop_off") else ""
    return {**{name: parcel[name] for name in ("number", "waybill", "slot")}, "label_url": label, **told}


def _told(status: str) -> Row:
    return {"status": status, "reason": "", "occurred_at": now()}


def _about(rows: Mapping[str, Row], query: Mapping[str, Any]) -> list[Row]:
    wanted = {name: query[name] for name in FILTERS if name in query}
    return [row for row in rows.values() if all(row[name] == value for name, value in wanted.items())]
