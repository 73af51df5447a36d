"""One ledger entry as the books write it: as a sealed line, as a row of CSV, as a line of JSON. Pure.

The same entry is always the same bytes: nothing in a line can change after it was written.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from orders.currencies import exponent
from refunds.days import local

COLUMNS = (
    "channel",
    "day",
    "entry",
    "kind",
    "account",
    "payment",
    "order",
    "refund",
    "movement",
    "reference",
    "currency",
    "exponent",
    "amount_minor",
    "amount",
    "recorded_at_utc",
    "recorded_at_local",
    "occurred_at_utc",
    "occurred_at_local",
    "time_zone",
)
#: A spreadsheet takes a cell that begins so for a formula, and would run it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: So many lines leave together.
CHUNK = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A ledger entry with the names of what it is about; `refund` and `movement` are empty for facts from outside.
    `number` is its own for life."""

    number: int
    kind: str
    account: str
    payment: str
    currency: str
    amount_minor: int
    order: str
    refund: str
    movement: str
    reference: str
    occurred_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """The closed day that an entry is in."""

    channel: str
    day: date
    time_zone: str


def sealed(entry: Entry) -> bytes:
    """What the seal of its day covers."""
    told = [
        entry.number,
        entry.kind,
        entry.account,
        entry.payment,
        entry.currency,
        entry.amount_minor,
        entry.order,
        entry.refund,
        entry.movement,
        entry.reference,
        utc(entry.occurred_at),
        utc(entry.recorded_at),
    ]
    return _json(told)


def as_csv(entries: Iterable[tuple[Day, Entry]]) -> Iterator[bytes]:
    """RFC 4180 in UTF-8, a head and a row for each entry, some hundred rows at a time."""
    yield _rows([COLUMNS])
    for chunk in _chunks(_row(day, entry).values() for day, entry in entries):
        yield _rows([[cell(value) for value in row] for row in chunk])


def as_json(entries: Iterable[tuple[Day, Entry]]) -> Iterator[bytes]:
    """JSON Lines: an object for each entry, some hundred at a time."""
    for chunk in _chunks(_json(_row(day, entry)) for day, entry in entries):
        yield b"".join(chunk)


def decimal(amount_minor: int, currency: str) -> str:
    """With exactly the decimals that the currency has."""
    return f"{Decimal(amount_minor).scaleb(-exponent(currency)):f}"


def _row(day: Day, entry: Entry) -> dict[str, Any]:
    recorded, occurred = local(entry.recorded_at, day.time_zone), local(entry.occurred_at, day.time_zone)
    values = (
        day.channel,
        day.day.isoformat(),
        entry.number,
        entry.kind,
        entry.account,
        entry.payment,
        entry.order,
        entry.refund,
        entry.movement,
        entry.reference,
        entry.currency,
        exponent(entry.currency),
        entry.amount_minor,
        decimal(entry.amount_minor, entry.currency),
        utc(entry.recorded_at),
        recorded.isoformat(),
        utc(entry.occurred_at),
        occurred.isoformat(),
        day.time_zone,
    )
    return dict(zip(COLUMNS, values, strict=True))


def cell(value: Any) -> Any:
    """As it may stand in a file that a spreadsheet opens."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _rows(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def _chunks(lines: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(lines)
    while chunk := list(islice(left, CHUNK)):
        yield chunk


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def utc(at: datetime) -> str:
    """RFC 3339 with a Z."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
