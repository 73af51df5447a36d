"""A scripted refund's life: made as its entry says, settled or reversed later, told by webhooks."""

import asyncio
import time

from workers.local.journal import Row
from workers.local.sandbox.gateway.ledger import Ledger, as_fact
from workers.local.sandbox.scripts import Entry
from workers.local.sandbox.webhooks import WebhookSender

FIRST_STATUS = {"pending_then_succeed": "pending", "pending_then_fail": "pending"}
LATER_STATUS = {
    "pending_then_succeed": "succeeded",
    "pending_then_fail": "failed",
    "succeed_then_reverse": "reversed",
}
#: How a refund can go on from a status.
NEXT: dict[str, tuple[str, ...]] = {
    "pending": ("succeeded", "failed"),
    "succeeded": ("reversed",),
    "failed": (),
    "reversed": (),
}


class Machine:
    """Moves refunds through their scripted states, also over a restart."""

    def __init__(self, ledger: Ledger, webhooks: WebhookSender, *, settle_ms: int) -> None:
        self._ledger = ledger
        self._journal = ledger.journal
        self._webhooks = webhooks
        self._settle_ms = settle_ms

    def start(self) -> None:
        """Take up the changes a former process left."""
        for refund_id, row in list(self._journal.rows("change").items()):
            if row["state"] == "waiting":
                self._webhooks.spawn(self._settle(refund_id))

    def make(self, fields: Row, entry: Entry) -> Row:
        """Make the refund; its webhooks and its later change are under way when this returns."""
        status = FIRST_STATUS.get(entry.behaviour, "succeeded")
        refund = self._ledger.add_refund({**fields, "status": status})
        later = LATER_STATUS.get(entry.behaviour)
        held = bool(later) and entry.webhook_order == "reversed"
        event_id = self._put_event(refund, entry, held=held)
        if later:
            self._put_change(refund["gateway_refund_id"], later, entry, event_id if held else "")
        if not held:
            self._webhooks.send(event_id)
        return refund

    def settle(self, refund_id: str, status: str) -> Row | None:
        """Bring a refund into its next status now, whatever its script wanted; None where it cannot come to that."""
        refund = self._journal.rows("refund").get(refund_id)
        if refund is None or status not in NEXT[refund["status"]]:
            return None
        change = self._journal.rows("change").get(refund_id)
        held = self._end_change(refund_id, change) if change and change["state"] == "waiting" else []
        settled = self._ledger.set_status(refund_id, status)
        self._webhooks.send(self._put_event(settled, Entry()), *held)
        return settled

    def tell(self, kind: str, dispute: Row) -> None:
        """Send a dispute's webhook."""
        names = ("dispute_id", "payment_reference", "amount_minor", "currency")
        content = {"type": kind, "dispute": {name: dispute[name] for name in names}}
        self._webhooks.send(self._webhooks.put(content))

    def _put_event(self, refund: Row, entry: Entry, *, held: bool = False) -> str:
        copies = 0 if entry.behaviour == "no_webhook" else entry.webhook_copies
        content = {"type": "refund.updated", "refund": as_fact(refund)}
        return self._webhooks.put(content, delay_ms=entry.webhook_delay_ms, copies=copies, held=held)

    def _put_change(self, refund_id: str, status: str, entry: Entry, held_event: str) -> None:
        wait_ms = self._settle_ms if entry.settle_ms is None else entry.settle_ms
        row = {
            "status": status,
            "due": time.time() + wait_ms / 1000,
            "webhook_delay_ms": entry.webhook_delay_ms,
            "webhook_copies": entry.webhook_copies,
            "held_event": held_event,
            "state": "waiting",
        }
        self._journal.put("change", refund_id, row)
        self._webhooks.spawn(self._settle(refund_id))

    async def _settle(self, refund_id: str) -> None:
        change = self._journal.rows("change")[refund_id]
        await asyncio.sleep(max(0.0, change["due"] - time.time()))
        if self._journal.rows("change")[refund_id]["state"] != "waiting":
            return
        refund = self._ledger.set_status(refund_id, change["status"])
        told = Entry(webhook_delay_ms=change["webhook_delay_ms"], webhook_copies=change["webhook_copies"])
        event_id = self._put_event(refund, told)
        held = self._end_change(refund_id, change)
        self._journal.flush()
        self._webhooks.send(event_id, *held)

    def _end_change(self, refund_id: str, change: Row) -> list[str]:
        """It is done; the event that waited for it."""
        held = [change["held_event"]] if change["held_event"] else []
        for each in held:
            self._webhooks.release(each)
        self._journal.change("change", refund_id, state="done")
        return held
