"""The limits that a payment's script states, kept as a real gateway would: it refuses, whoever asks."""

import math
from datetime import UTC, datetime

from aiohttp import web

from refunds.limits import Asked, breach, not_before
from workers.adapters.account_limits import limits_stated
from workers.local.journal import Row
from workers.local.sandbox.answering import problem
from workers.local.sandbox.gateway.ledger import Ledger, is_void
from workers.ports import Limits

DONE = ("pending", "succeeded", "reversed")


def limit_reached(ledger: Ledger, fields: Row) -> str:
    """The code of the limit that stands against the refund; empty: none."""
    reference, script = fields["payment_reference"], ledger.script(fields["payment_reference"])
    asked = Asked(
        amount_minor=fields["amount_minor"],
        currency=fields["currency"],
        captured_minor=fields["amount_minor"] if script.captured_minor is None else script.captured_minor,
        captured_at=datetime.fromisoformat(script.captured_at) if script.captured_at else None,
        earlier=len(_done(ledger, reference)),
    )
    found = breach(_limits(ledger, reference), asked, now=datetime.now(UTC))
    return found.code if found else ""


def refuse_so_soon(ledger: Ledger, fields: Row) -> None:
    """429 while the interval since the payment's last refund has not passed."""
    reference = fields["payment_reference"]
    last = max((datetime.fromisoformat(row["created_at"]) for row in _done(ledger, reference)), default=None)
    ready, now = not_before(_limits(ledger, reference), last), datetime.now(UTC)
    if ready and now < ready:
        refusal = problem(web.HTTPTooManyRequests, "too_soon", f"this payment takes its next refund at {ready}")
        refusal.headers["Retry-After"] = str(math.ceil((ready - now).total_seconds()))
        raise refusal


def _limits(ledger: Ledger, reference: str) -> Limits:
    return limits_stated("sandbox", {"limits": ledger.script(reference).limits})


def _done(ledger: Ledger, reference: str) -> list[Row]:
    return [row for row in ledger.refunds(reference) if row["status"] in DONE and not is_void(row)]
