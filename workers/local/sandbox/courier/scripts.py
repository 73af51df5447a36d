"""How bookings, cancellations and intercepts are scripted to go. Pure: bodies in, entries out."""

from typing import Any

from workers.local.sandbox.scripts import FIRST_CALL_ONLY, Allowed, Slots, parse_slots, script_object

OPTIONS = ("behaviour", "delay_ms", "webhook_delay_ms", "webhook_copies")
#: By the kind of call, the codes with which it may be refused, and the status of that answer.
REFUSALS = {
    "book": {"none_available": 409, "bad_address": 422},
    "cancel": {"already_collected": 409},
    "intercept": {"too_late": 409},
}
KINDS = tuple(REFUSALS)
Script = dict[str, Slots]


def parse_script(body: Any) -> Script:
    """A script's JSON: the slots of each kind of call. Raises BadScript."""
    told = script_object(body, *KINDS)
    return {kind: parse_slots(told.get(kind, []), kind, _allowed(kind)) for kind in KINDS}


def script_row(script: Script) -> dict[str, Any]:
    """The script as JSON that `parse_script` reads back."""
    return {kind: slots.rows() for kind, slots in script.items()}


def slots_of(row: dict[str, Any], kind: str) -> Slots:
    """One kind of call of a script's JSON."""
    return parse_slots(row[kind], kind, _allowed(kind))


def _allowed(kind: str) -> Allowed:
    return Allowed(("succeed", *REFUSALS[kind], *FIRST_CALL_ONLY), OPTIONS)
