"""How a peer's calls are scripted to be answered. Pure: JSON in, entries out."""

from dataclasses import asdict, dataclass, replace
from typing import Any

TIMEOUTS = ("timeout_before", "timeout_after_success")
ERRORS = ("error_500", "error_500_after_success")
FIRST_CALL_ONLY = (*TIMEOUTS, *ERRORS)
NOTHING_DONE = ("timeout_before", "error_500")
THIRTY_DAYS_MS = 30 * 24 * 3600 * 1000
LIMITS = {"delay_ms": 600_000, "webhook_delay_ms": 600_000, "settle_ms": THIRTY_DAYS_MS, "webhook_copies": 20}
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

    def row(self) -> dict[str, Any]:
        """As JSON: the behaviour, and the options that differ from their defaults."""
        default = asdict(Entry())
        return {k: v for k, v in asdict(self).items() if k == "behaviour" or v != default[k]}


@dataclass(frozen=True)
class Allowed:
    """What the entries of one kind of call may say."""

    behaviours: tuple[str, ...]
    options: tuple[str, ...] = tuple(Entry.__dataclass_fields__)


@dataclass(frozen=True)
class Slots:
    """`entries[n]` holds the successive entries of the n-th new number; numbers past the end succeed."""

    entries: tuple[tuple[Entry, ...], ...] = ()

    def entry(self, *, slot: int, call: int) -> Entry:
        """The entry for the call-th call (from 0) of the slot-th number (from 0)."""
        if slot >= len(self.entries):
            return Entry()
        entries = self.entries[slot]
        return entries[call] if call < len(entries) else entries[-1].repeated()

    def rows(self) -> list[Any]:
        """As JSON that `parse_slots` reads back."""
        return [[entry.row() for entry in slot] for slot in self.entries]


def script_object(body: Any, *fields: str) -> dict[str, Any]:
    """A script's JSON object, with no other fields than these. Raises BadScript."""
    if not isinstance(body, dict):
        raise BadScript(f'a script is an object: {{"{fields[0]}": [entry, ...]}}')
    unknown = sorted(set(body) - set(fields))
    if unknown:
        raise BadScript(f"unknown field {unknown[0]}; a script has {' and '.join(fields)}")
    return body


def parse_slots(items: Any, name: str, allowed: Allowed) -> Slots:
    """The entries under this name of a script. Raises BadScript."""
    if not isinstance(items, list):
        raise BadScript(f'{name} is no list: {{"{name}": [entry, ...]}}')
    return Slots(tuple(_slot(item, f"{name}[{index}]", allowed) for index, item in enumerate(items)))


def whole(value: Any, place: str, *, limit: int) -> int:
    """The value, if it is a whole number up to the limit. Raises BadScript."""
    if type(value) is not int or not 0 <= value <= limit:
        raise BadScript(f"{place} is not a whole number from 0 to {limit}")
    return value


def _slot(item: Any, place: str, allowed: Allowed) -> tuple[Entry, ...]:
    if not isinstance(item, list):
        return (_entry(item, place, allowed),)
    if not item:
        raise BadScript(f"{place} is an empty list")
    return tuple(_entry(inner, f"{place}[{index}]", allowed) for index, inner in enumerate(item))


def _entry(item: Any, place: str, allowed: Allowed) -> Entry:
    options = {"behaviour": item} if isinstance(item, str) else item
    if not isinstance(options, dict):
        raise BadScript(f"{place} is neither a behaviour nor an object")
    unknown = sorted(set(options) - set(allowed.options))
    if unknown:
        raise BadScript(f"{place} has the unknown option {unknown[0]}")
    for name, default, values in (("behaviour", "succeed", allowed.behaviours), ("webhook_order", "", ORDERS)):
        if options.get(name, default) not in values:
            raise BadScript(f"{place}.{name} is none of {', '.join(filter(None, values))}")
    for name in set(LIMITS) & set(options):
        if not (name == "settle_ms" and options[name] is None):
            whole(options[name], f"{place}.{name}", limit=LIMITS[name])
    return Entry(**options)
