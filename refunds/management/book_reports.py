"""How the books stood, as tables for people and as JSON for machines."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from orders.models import Channel
from orders.roles import SYSTEM
from refunds.amounts import format_minor
from refunds.books.lines import utc
from refunds.management.writing import table
from refunds.selectors.books_reports import Item, Report
from refunds.services.bookkeeping import report_at

REPORT_FORMATS = ("table", "json")
_ITEMS = ("Channel", "Account", "Order", "Refund", "Movement", "Reference", "Amount", "Since")
_TITLES = {
    "reserved_long": "Reserved for over 7 days",
    "unknown": "Sent, outcome unknown",
    "unproven": "Paid outside, without a reference",
}


def report_text(channels: Sequence[Channel], *, as_of: datetime | None, format: str) -> str:
    """The report of these channels. Raises Problem."""
    found = report_at([channel.pk for channel in channels], as_of=as_of, actor=SYSTEM)
    return json.dumps(found.to_json(), indent=1, ensure_ascii=False) if format == "json" else "\n".join(_tables(found))


def _tables(found: Report) -> Iterator[str]:
    yield f"As of {utc(found.as_of)}"
    owed = [
        (row.channel, row.account, row.count, format_minor(row.amount_minor, row.currency, "en"))
        for row in found.liability
    ]
    yield from table("Reserved, not yet moved", ("Channel", "Account", "Movements", "Amount"), owed)
    for name, title in _TITLES.items():
        yield from table(title, _ITEMS, [_item(row) for row in getattr(found, name)])


def _item(row: Item) -> tuple[object, ...]:
    amount = format_minor(row.amount_minor, row.currency, "en")
    return (
        row.channel,
        row.account,
        row.order,
        row.refund,
        row.movement,
        row.reference,
        amount,
        utc(row.since),
    )
