"""What the courier does, and tells by webhook."""

from datetime import UTC, datetime

from workers.local.journal import Row
from workers.local.sandbox.courier.ledger import Ledger, as_fact, newest
from workers.local.sandbox.courier.slots import offered
from workers.local.sandbox.scripts import Entry
from workers.local.sandbox.webhooks import WebhookSender

TAKEN = ("collected", "in_transit", "received")
BEYOND_STOPPING = ("delivered", "returned", "lost")


class Machine:
    """Books, cancels, intercepts; each gives the code of a refusal, or the waybill it is about."""

    def __init__(self, ledger: Ledger, webhooks: WebhookSender) -> None:
        self._ledger = ledger
        self._webhooks = webhooks

    def book(self, order: Row, entry: Entry) -> Row:
        """A courier will come, in the slot asked for or else the first; or there is a label, and nobody comes."""
        if not order["address"]:
            return {"refusal": "bad_address"}
        slot = None if order["drop_off"] else order["slot"] or offered(datetime.now(UTC).date())[0]
        parcel = self._ledger.add_pickup(order, slot)
        self._send(newest(parcel), entry)
        return {"waybill": parcel["waybill"]}

    def cancel(self, order: Row, entry: Entry) -> Row:
        """The courier stays away, unless the parcel was ever taken."""
        parcel = self._ledger.parcel(order["waybill"])
        if parcel is None or parcel["number"] != order["number"]:
            return {"refusal": "unknown_parcel"}
        if any(told["status"] in TAKEN for told in parcel["history"]):
            return {"refusal": "already_collected"}
        self._send(newest(self._ledger.cancel(order["waybill"])), entry)
        return {"waybill": order["waybill"]}

    def intercept(self, order: Row, _entry: Entry) -> Row:
        """The carrier will try; how it ends is told by a door."""
        parcel = self._ledger.parcel(order["waybill"])
        if parcel and newest(parcel)["status"] in BEYOND_STOPPING:
            return {"refusal": "too_late"}
        self._ledger.add_intercept(order)
        return {"waybill": order["waybill"]}

    def tell(self, waybill: str, told: Row, entry: Entry) -> Row:
        """Something happened to a parcel."""
        parcel = self._ledger.tell(waybill, told)
        self._send(as_fact(parcel, told), entry)
        return newest(parcel)

    def _send(self, fact: Row, entry: Entry) -> None:
        parcel = {name: fact[name] for name in ("number", "waybill", "status", "slot", "reason", "label_url")}
        content = {"type": "parcel.updated", "parcel": parcel, "occurred_at": fact["occurred_at"]}
        event_id = self._webhooks.put(content, delay_ms=entry.webhook_delay_ms, copies=entry.webhook_copies)
        self._webhooks.send(event_id)
