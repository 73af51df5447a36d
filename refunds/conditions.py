"""Conditions: what is observed of a refund, for people and for clients; nobody branches on reason or message. Pure.

Stored as a list sorted by type. A transition time moves only when the status does; nothing changed, nothing written.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

TRUE, FALSE, UNKNOWN = "True", "False", "Unknown"


class Condition(NamedTuple):
    """`type` PascalCase, `status` True / False / Unknown, `reason` one CamelCase word, `message` for people."""

    type: str
    status: str
    reason: str
    message: str = ""


def merge(
    stored: Sequence[dict[str, Any]], seen: Iterable[Condition], *, generation: int, now: datetime
) -> list[dict[str, Any]]:
    """The list as it stands now, one of each type. Types not seen any more are dropped; equal to `stored` when
    nothing changed."""
    before = {c["type"]: c for c in stored}
    by_type = {c.type: c for c in seen}
    at = _rfc3339(now)
    return [_merged(before.get(name), by_type[name], generation, at) for name in sorted(by_type)]


def _merged(before: dict[str, Any] | None, seen: Condition, generation: int, at: str) -> dict[str, Any]:
    moved = before is None or before["status"] != seen.status
    return {
        "type": seen.type,
        "status": seen.status,
        "reason": seen.reason,
        "message": seen.message,
        "last_transition_time": at if moved or before is None else before["last_transition_time"],
        "observed_generation": generation,
    }


def _rfc3339(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
