"""What a payment's refunds are scripted to do. Pure: bodies in, entries out."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from workers.adapters.account_limits import limits_stated
from workers.local.sandbox.scripts import (
    FIRST_CALL_ONLY,
    Allowed,
    BadScript,
    Slots,
    parse_slots,
    script_object,
    whole,
)

BEHAVIOURS = (
    "succeed", "decline", "insufficient_funds", "pending_then_succeed", "pending_then_fail", "succeed_then_reverse",
    "no_webhook", *FIRST_CALL_ONLY,
)  # fmt: skip


@dataclass(frozen=True)
class Script:
    """`refunds`: one slot per new number on the payment. `captured_minor` None: no limit. `limits` are kept as an
    account states them, beside when the payment was captured."""

    refunds: Slots = Slots()
    captured_minor: int | None = None
    captured_at: str = ""
    limits: dict[str, Any] = field(default_factory=dict)


def parse_script(body: Any) -> Script:
    """A script's JSON. Raises BadScript."""
    told = script_object(body, "refunds", "captured_minor", "captured_at", "limits")
    refunds = parse_slots(told.get("refunds", []), "refunds", Allowed(BEHAVIOURS))
    captured = told.get("captured_minor")
    captured = None if captured is None else whole(captured, "captured_minor", limit=10**15)
    return Script(refunds, captured, _moment(told.get("captured_at", "")), _limits(told.get("limits", {})))


def script_row(script: Script) -> dict[str, Any]:
    """The script as JSON that `parse_script` reads back."""
    named = {"captured_minor": script.captured_minor, "captured_at": script.captured_at, "limits": script.limits}
    return {"refunds": script.refunds.rows(), **named}


def _moment(told: Any) -> str:
    try:
        if told and datetime.fromisoformat(told).tzinfo is None:
            raise ValueError(told)
    except (TypeError, ValueError) as odd:
        raise BadScript("captured_at is no time with an offset") from odd
    return str(told)


def _limits(told: Any) -> dict[str, Any]:
    try:
        limits_stated("sandbox", {"limits": told})
    except ImproperlyConfigured as odd:
        raise BadScript(str(odd)) from odd
    return dict(told)
