"""Ledger entries with times of the test's choosing, and a clock in its hands."""

from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Max

from orders.models import Channel, Order, PaymentShare
from refunds.models import DayClose, LedgerEntry
from refunds.selectors.books_closes import oldest_running_transaction
from refunds.services.closing import close_days
from tests.factories import make_order
from tests.waiting import eventually


def at(text: str) -> datetime:
    """UTC, such as "2026-03-28 23:30"."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def make_channel(slug: str, zone: str) -> Channel:
    return Channel.objects.create(slug=slug, name=slug, time_zone=zone)


def share_in(channel: Channel, *, account: str = "sandbox", currency: str = "EUR", **fields: Any) -> PaymentShare:
    order: Order = make_order(100_000, channel=channel, account=account, currency=currency, **fields)
    return order.shares.get()


def enter(share: PaymentShare, kind: str, amount_minor: int, when: str, **fields: Any) -> LedgerEntry:
    """An entry recorded then, in the running transaction."""
    moment = at(when)
    return LedgerEntry.objects.create(
        share=share, kind=kind, amount_minor=amount_minor, **{"occurred_at": moment, "recorded_at": moment} | fields
    )


def close(channel: Channel) -> list[DayClose]:
    """Close its days with all of the entries that there are."""
    known_for_good()
    return list(close_days(channel))


def known_for_good() -> None:
    """Wait until every transaction that began before is over: also other tests', which run on the same server."""
    newest = LedgerEntry.objects.aggregate(newest=Max("transaction_id"))["newest"] or 0
    eventually(lambda: oldest_running_transaction() > newest, seconds=120)


def set_clock(when: str) -> None:
    """It is that time now, and time goes on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO refundry_clock_offset(shift) VALUES (%s::timestamptz - clock_timestamp())"
            " ON CONFLICT (only_row) DO UPDATE SET shift = EXCLUDED.shift",
            [at(when)],
        )
