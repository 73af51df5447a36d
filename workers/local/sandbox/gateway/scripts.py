"""What a payment's refunds are scripted to do. Pure: bodies in, entries out."""

from dataclasses import dataclass
from typing import Any

from workers.local.sandbox.scripts import FIRST_CALL_ONLY, Allowed, Slots, parse_slots, script_object, whole

BEHAVIOURS = (
    "succeed", "decline", "insufficient_funds", "pending_then_succeed", "pending_then_fail", "succeed_then_reverse",
    "no_webhook", *FIRST_CALL_ONLY,
)  # fmt: skip


@dataclass(frozen=True)
class Script:
    """`refunds`: one slot per new number on the payment. `captured_minor` None: no limit."""

    refunds: Slots = Slots()
    captured_minor: int | None = None


def parse_script(body: Any) -> Script:
    """A script's JSON. Raises BadScript."""
    told = script_object(body, "refunds", "captured_minor")
    refunds = parse_slots(told.get("refunds", []), "refunds", Allowed(BEHAVIOURS))
    captured = told.get("captured_minor")
    return Script(refunds, None if captured is None else whole(captured, "captured_minor", limit=10**15))


def script_row(script: Script) -> dict[str, Any]:
    """The script as JSON that `parse_script` reads back."""
    return {"refunds": script.refunds.rows(), "captured_minor": script.captured_minor}
