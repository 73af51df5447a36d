"""The hash chain over a refund's events. Pure.

Each hash covers the one before it, so a changed, dropped or inserted event shows in every later hash; the first covers
the refund's number, so that a chain cannot be passed off as that of another refund. The chain is per refund, since one
chain over all would make every writer wait for every other.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, as it is stored and hashed: references and amounts, no personal data. `occurred_at` in UTC."""

    seq: int
    kind: str
    data: dict[str, Any]
    actor: str
    role: str
    occurred_at: datetime


def anchor(number: str) -> bytes:
    """What the first event of the refund with this number is linked to."""
    return hashlib.sha256(number.encode()).digest()


def link(head: bytes, event: Event) -> bytes:
    """The SHA-256 of the hash before (`anchor` before the first) and the event."""
    return hashlib.sha256(head + content(event)).digest()


def content(event: Event) -> bytes:
    """What is hashed of an event."""
    parts = [event.seq, event.kind, event.data, event.actor, event.role, event.occurred_at.isoformat()]
    return _canonical(parts).encode()
