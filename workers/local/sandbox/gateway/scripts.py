"""What a payment's refunds are scripted to do. Pure: bodies in, entries out."""

from dataclasses import asdict, dataclass, replace
from typing import Any

BEHAVIOURS = (
    "succeed", "decline", "insufficient_funds", "pending_then_succeed", "pending_then_fail", "timeout_before",
    "timeout_after_success", "error_500", "error_500_after_success", "succeed_then_reverse", "no_webhook",
)  # fmt: skip
FIRST_CALL_ONLY = ("timeout_before", "timeout_after_success", "error_500", "error_500_after_success")
LIMITS = {"delay_ms": 600_000, "webhook_delay_ms": 600_000, "settle_ms": 600_000, "webhook_copies": 20}
ORDERS = ("", "reversed")


class BadScript(ValueError):
    """A script that says nothing the sandbox can do; the message names the place."""


@dataclass(frozen=True)
class Entry:
    """How one call is answered. Times in milliseconds; `settle_ms` None means the server's default."""

    behaviour: str = "succeed"
    delay_ms: int = 0
    settle_ms: int | None = None
    webhook_delay_ms: int = 0
    webhook_copies: int = 1
    webhook_order: str = ""

    def repeated(self) -> "Entry":
        """For calls past the end of a number's list: time-outs and errors are over, all else stays."""
        return replace(self, behaviour="succeed") if self.behaviour in FIRST_CALL_ONLY else self


@dataclass(frozen=True)
class Script:
    """`slots[n]` holds the successive entries of the n-th new number. `captured_minor` None: no limit."""

    slots: tuple[tuple[Entry, ...], ...] = ()
    captured_minor: int | None = None

    def entry(self, *, slot: int, call: int) -> Entry:
        """The entry for the call-th call (from 0) of the slot-th number (from 0)."""
        if slot >= len(self.slots):
            return Entry()
        entries = self.slots[slot]
        return entries[call] if call < len(entries) else entries[-1].repeated()


def parse_script(body: Any) -> Script:
    """A script's JSON. Raises BadScript."""
    if not isinstance(body, dict) or not isinstance(body.get("refunds", []), list):
        raise BadScript('a script is an object: {"refunds": [entry, ...]}')
    unknown = sorted(set(body) - {"refunds", "captured_minor"})
    if unknown:
        raise BadScript(f"unknown field {unknown[0]}; a script has refunds and captured_minor")
    slots = tuple(_slot(item, f"refunds[{index}]") for index, item in enumerate(body.get("refunds", [])))
    captured = body.get("captured_minor")
    return Script(slots, None if captured is None else _whole(captured, "captured_minor", 10**15))


def script_row(script: Script) -> dict[str, Any]:
    """The script as JSON that `parse_script` reads back."""
    slots = [[asdict(entry) for entry in slot] for slot in script.slots]
    return {"refunds": slots, "captured_minor": script.captured_minor}


def _slot(item: Any, place: str) -> tuple[Entry, ...]:
    if not isinstance(item, list):
        return (_entry(item, place),)
    if not item:
        raise BadScript(f"{place} is an empty list")
    return tuple(_entry(inner, f"{place}[{index}]") for index, inner in enumerate(item))


def _entry(item: Any, place: str) -> Entry:
    options = {"behaviour": item} if isinstance(item, str) else item
    if not isinstance(options, dict):
        raise BadScript(f"{place} is neither a behaviour nor an object")
    unknown = sorted(set(options) - set(Entry.__dataclass_fields__))
    if unknown:
        raise BadScript(f"{place} has the unknown option {unknown[0]}")
    for name, allowed in (("behaviour", BEHAVIOURS), ("webhook_order", ORDERS)):
        if options.get(name, allowed[0]) not in allowed:
            raise BadScript(f"{place}.{name} is none of {', '.join(filter(None, allowed))}")
    for name in set(LIMITS) & set(options):
        if not (name == "settle_ms" and options[name] is None):
            _whole(options[name], f"{place}.{name}", LIMITS[name])
    return Entry(**options)


def _whole(value: Any, place: str, limit: int) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise BadScript(f"{place} is not a whole number from 0 to {limit}")
    return value
