"""Webhooks to shops, pure: what is said of an event, under which identity, and when it is said again.

The body is that of Standard Webhooks: type, timestamp and data; `data` is the event as GET /events shows it.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

#: Seconds from one attempt to the next; after the last of them it is a dead letter. About three days in all.
WAITS = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)


@dataclass(frozen=True, slots=True)
class EventFacts:
    """An event with the names of what it is about."""

    refund: str
    order: str
    channel: str
    sequence: int
    kind: str
    data: dict[str, Any]
    actor: str
    role: str
    occurred_at: datetime
    hash: str


def wait_after(failures: int, *, retry_after: float = 0.0) -> float | None:
    """Seconds until it is sent again after so many failures (1: the first); None: it is given up. `retry_after`: what
    the shop has asked for, if that is longer."""
    if failures > len(WAITS):
        return None
    return max(float(WAITS[max(failures, 1) - 1]), retry_after)


def identity(number: str, sequence: int) -> str:
    """`webhook-id`: the event's own id, without the dot that parts what is signed."""
    return f"msg_{number}_{sequence}"


def body(event: EventFacts) -> bytes:
    """The same bytes whenever it is sent."""
    at = event.occurred_at.isoformat().replace("+00:00", "Z")
    data = {
        "id": f"{event.refund}.{event.sequence}",
        "refund": event.refund,
        "order": event.order,
        "channel": event.channel,
        "sequence": event.sequence,
        "type": event.kind,
        "data": event.data,
        "actor": event.actor,
        "role": event.role,
        "occurred_at": at,
        "hash": event.hash,
    }
    said = {"type": event.kind, "timestamp": at, "data": data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
