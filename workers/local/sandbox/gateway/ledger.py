"""What the gateway knows: refunds, calls received, keys, scripts, disputes, webhooks to send. Survives a kill."""

import secrets
from collections import defaultdict

from workers.local.journal import Journal, Row
from workers.local.sandbox.answering import now
from workers.local.sandbox.gateway.receipts import RECEIPT, receipt
from workers.local.sandbox.gateway.scripts import Script, parse_script, script_row
from workers.local.sandbox.scripts import Entry


class Ledger:
    """The gateway's books. Every method leaves the flush to the handler that answers."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._by_reference: dict[str, list[str]] = defaultdict(list)
        self._calls_by_reference: dict[str, list[str]] = defaultdict(list)
        for refund in journal.rows("refund").values():
            self._by_reference[refund["payment_reference"]].append(refund["gateway_refund_id"])
        for call_id, call in journal.rows("call").items():
            self._calls_by_reference[call["payment_reference"]].append(call_id)

    def note_call(self, call: Row) -> str:
        """Keep a request as received, before anything is done about it. Its id."""
        call_id = str(len(self.journal.rows("call")) + 1)
        self._calls_by_reference[call["payment_reference"]].append(call_id)
        self.journal.put("call", call_id, {"at": now(), **call})
        return call_id

    def calls(self, reference: str | None) -> list[Row]:
        """The requests received, oldest first; all, or those about one payment."""
        return self._of(self._calls_by_reference, "call", reference)

    def put_script(self, reference: str, script: Script) -> None:
        """Set a payment's script; numbers are counted anew from here."""
        self.journal.put("script", reference, {**script_row(script), "numbers": {}})

    def next_entry(self, reference: str) -> Entry:
        """How the next number on the payment would be answered."""
        row = self.journal.rows("script").get(reference)
        return self._script(row).refunds.entry(slot=len(row["numbers"]), call=0) if row else Entry()

    def take_entry(self, reference: str, number: str) -> Entry:
        """How this call of this number is answered, by the payment's script. Counts the call."""
        row = self.journal.rows("script").get(reference)
        if row is None:
            return Entry()
        slot, call = row["numbers"].get(number, (len(row["numbers"]), 0))
        self.journal.change("script", reference, numbers={**row["numbers"], number: (slot, call + 1)})
        return self._script(row).refunds.entry(slot=slot, call=call)

    def script(self, reference: str) -> Script:
        """How the payment is scripted; without one it does as it is asked."""
        row = self.journal.rows("script").get(reference)
        return self._script(row) if row else Script()

    def left_of(self, reference: str) -> int | None:
        """What may still be refunded of a payment whose captured amount a script told; else None."""
        row = self.journal.rows("script").get(reference)
        if row is None or row["captured_minor"] is None:
            return None
        gone = sum(
            r["amount_minor"] for r in self.refunds(reference) if _is_live(r) and not is_void(r) and "payee" not in r
        )
        return int(row["captured_minor"] - gone)

    def is_held(self, reference: str) -> bool:
        """Whether there may be a hold to end: nothing of the payment was captured, as far as a script or a refund
        tells, and its hold has not ended."""
        live = any(_is_live(row) for row in self.refunds(reference))
        return not live and not self.script(reference).captured_minor

    def is_released(self, reference: str) -> bool:
        """Its hold has ended."""
        return any(is_void(row) and _is_live(row) for row in self.refunds(reference))

    def key(self, key: str) -> Row | None:
        """{fingerprint, refund, refusal} of a key used before."""
        return self.journal.rows("key").get(key)

    def put_key(self, key: str, row: Row) -> None:
        self.journal.put("key", key, row)

    def add_refund(self, fields: Row) -> Row:
        """A new refund under a new id."""
        refund_id = f"gr_{len(self.journal.rows('refund')) + 1}_{secrets.token_hex(4)}"
        row = {"gateway_refund_id": refund_id, "failure_code": "", "created_at": now(), **fields}
        row |= receipt(row)
        self._by_reference[row["payment_reference"]].append(refund_id)
        return self.journal.put("refund", refund_id, row)

    def refund(self, refund_id: str) -> Row:
        return self.journal.rows("refund")[refund_id]

    def set_status(self, refund_id: str, status: str) -> Row:
        """Pending settles, or a success is reversed."""
        failure = "lost_or_stolen_card" if status == "failed" else ""
        moved = receipt({**self.refund(refund_id), "status": status})
        return self.journal.change("refund", refund_id, **{**moved, "status": status, "failure_code": failure})

    def refunds(self, reference: str | None) -> list[Row]:
        """Refunds oldest first; all, or those of one payment."""
        return self._of(self._by_reference, "refund", reference)

    def add_dispute(self, fields: Row) -> Row:
        """A new dispute, open."""
        dispute_id = f"dp_{len(self.journal.rows('dispute')) + 1}_{secrets.token_hex(4)}"
        row = {"dispute_id": dispute_id, "status": "opened", "created_at": now(), **fields}
        return self.journal.put("dispute", dispute_id, row)

    def dispute(self, dispute_id: str) -> Row | None:
        return self.journal.rows("dispute").get(dispute_id)

    def close_dispute(self, dispute_id: str, status: str) -> Row:
        """`won` by the shop, or `lost`."""
        return self.journal.change("dispute", dispute_id, status=status)

    def disputes(self, reference: str | None) -> list[Row]:
        """Disputes, of one payment or all."""
        return [d for d in self.journal.rows("dispute").values() if reference in (None, d["payment_reference"])]

    def _of(self, index: dict[str, list[str]], kind: str, reference: str | None) -> list[Row]:
        rows = self.journal.rows(kind)
        if reference is None:
            return list(rows.values())
        return [rows[row_id] for row_id in index.get(reference, ())]

    @staticmethod
    def _script(row: Row) -> Script:
        return parse_script({name: value for name, value in row.items() if name != "numbers"})


def is_void(row: Row) -> bool:
    """A hold that was ended, beside the refunds."""
    return row.get("kind") == "void"


def _is_live(row: Row) -> bool:
    return row["status"] in ("pending", "succeeded")


def as_fact(refund: Row) -> Row:
    """A refund as the protocol shows it."""
    names = ("gateway_refund_id", "number", "payment_reference", "status", "amount_minor", "currency",
             "failure_code", "created_at")  # fmt: skip
    return {name: refund[name] for name in names} | {
        name: refund[name] for name in ("kind", "payee", *RECEIPT) if name in refund
    }
