"""A day is closed once, with what was known of it, and never changes: whoever closes, whatever is committed later."""

import hashlib
import threading
from datetime import date

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction

from orders import clock
from refunds.models import DayClose
from refunds.selectors.books_closes import verify
from refunds.services.closing import close_all, close_days
from tests.integration.books.entries import close, enter, known_for_good, make_channel, set_clock, share_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_clock")]


def test_opening_and_movements_make_the_closing_of_each_account_and_currency() -> None:
    shop = make_channel("berlin", "Europe/Berlin")
    card, yen = share_in(shop), share_in(shop, account="stripe-eu", currency="JPY")
    enter(card, "capture", 10_000, "2026-03-27 10:00")
    enter(card, "reserve", 2_900, "2026-03-27 11:00")
    enter(card, "release", 2_900, "2026-03-28 09:00")
    enter(card, "refund", 2_900, "2026-03-28 09:00")
    enter(yen, "capture", 5_800, "2026-03-28 12:00")
    set_clock("2026-03-29 12:00")
    first, second = close(shop)
    assert (first.day, first.entries, first.sum_minor) == (date(2026, 3, 27), 2, 12_900)
    assert first.balances == [
        {
            "account": "sandbox",
            "currency": "EUR",
            "opening": {"captured_minor": 0, "reserved_minor": 0},
            "movements": {
                "capture": {"count": 1, "amount_minor": 10_000},
                "reserve": {"count": 1, "amount_minor": 2_900},
            },
            "closing": {"captured_minor": 10_000, "reserved_minor": 2_900},
        }
    ]
    assert (second.day, second.entries, second.sum_minor) == (date(2026, 3, 28), 3, 11_600)
    euros, yens = second.balances
    assert euros["opening"] == {"captured_minor": 10_000, "reserved_minor": 2_900, "refunded_minor": 0}
    assert euros["closing"] == {"captured_minor": 10_000, "reserved_minor": 0, "refunded_minor": 2_900}
    assert (yens["account"], yens["currency"], yens["opening"]) == ("stripe-eu", "JPY", {"captured_minor": 0})
    assert yens["closing"] == {"captured_minor": 5_800}
    assert list(verify(shop, now=clock.now())) == []


def test_a_day_is_that_of_the_channel_also_where_clocks_change() -> None:
    """2026-03-29 has 23 hours in Berlin: from 23:00 to 22:00 UTC."""
    shop = make_channel("berlin", "Europe/Berlin")
    share = share_in(shop)
    enter(share, "capture", 1, "2026-03-28 22:59:59")
    enter(share, "capture", 10, "2026-03-28 23:00")
    enter(share, "capture", 100, "2026-03-29 21:59:59")
    enter(share, "capture", 1000, "2026-03-29 22:00")
    set_clock("2026-03-30 22:00:01")
    assert [(str(c.day), c.sum_minor) for c in close(shop)] == [
        ("2026-03-28", 1),
        ("2026-03-29", 110),
        ("2026-03-30", 1000),
    ]


def test_each_channel_has_its_own_midnight() -> None:
    shanghai, lima = make_channel("shanghai", "Asia/Shanghai"), make_channel("lima", "America/Lima")
    for shop in (shanghai, lima):
        enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-01 16:06")
    assert close_all() == 1
    assert DayClose.objects.get().channel == shanghai
    set_clock("2026-05-02 05:06")
    close_all()
    assert DayClose.objects.get(channel=lima).day == date(2026, 5, 1)


def test_a_day_that_is_not_over_is_not_closed_and_the_night_waits_a_little() -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-01 23:59")
    assert close(shop) == []
    set_clock("2026-05-02 00:01")
    assert close_all() == 0
    assert [str(c.day) for c in close(shop)] == ["2026-05-01"]


def test_missed_nights_are_caught_up_with_empty_days_and_twice_is_once() -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-05 08:00")
    assert [(c.day.day, c.entries) for c in close(shop)] == [(1, 1), (2, 0), (3, 0), (4, 0)]
    assert close(shop) == [] and close_all() == 0
    assert list(verify(shop, now=clock.now())) == []


def test_what_is_recorded_too_late_falls_into_the_next_day_and_into_no_other() -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    enter(share, "capture", 1000, "2026-05-01 15:00")
    set_clock("2026-05-02 01:00")
    [first] = close(shop)
    enter(share, "reserve", 300, "2026-05-01 23:59")
    enter(share, "reserve", 40, "2026-05-02 10:00")
    set_clock("2026-05-04 01:00")
    second, third = close(shop)
    assert (first.sum_minor, second.sum_minor, third.sum_minor) == (1000, 340, 0)
    assert DayClose.objects.get(pk=first.pk).hash == first.hash
    assert list(verify(shop, now=clock.now())) == []


def test_a_transaction_open_over_midnight_and_over_the_close_is_in_the_next_day_once() -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    enter(share, "capture", 1000, "2026-05-01 15:00")
    set_clock("2026-05-02 01:00")
    known_for_good()
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute(
            "INSERT INTO refunds_ledgerentry (share_id, kind, amount_minor, reference, occurred_at, recorded_at)"
            " VALUES (%s, 'reserve', 300, '', '2026-05-01 23:59:59Z', '2026-05-01 23:59:59Z')",
            [share.pk],
        )
        enter(share, "reserve", 40, "2026-05-01 23:59:59")
        [first] = close_days(shop)
        assert first.sum_minor == 1000, "what was written after the oldest open transaction began is not known for good"
        other.commit()
    set_clock("2026-05-03 01:00")
    [second] = close(shop)
    assert second.sum_minor == 340
    assert list(verify(shop, now=clock.now())) == []


def test_two_who_close_at_once_close_each_day_once() -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    for day in range(1, 8):
        enter(share, "capture", day, f"2026-05-0{day} 12:00")
    set_clock("2026-05-08 12:00")
    known_for_good()
    start, found = threading.Barrier(3), []

    def race() -> None:
        try:
            start.wait()
            found.extend(close_days(shop))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=race) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found += close(shop)
    assert sorted(c.day.day for c in found) == [1, 2, 3, 4, 5, 6, 7]
    assert [c.sum_minor for c in DayClose.objects.order_by("day")] == [1, 2, 3, 4, 5, 6, 7]
    assert list(verify(shop, now=clock.now())) == []


def test_the_first_close_is_chained_to_the_channel_and_each_to_the_one_before() -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-03 01:00")
    first, second = close(shop)
    assert first.previous_hash == hashlib.sha256(f"books of channel {shop.pk}".encode()).hexdigest()
    assert second.previous_hash == first.hash and len(second.hash) == 64


def test_a_close_cannot_be_changed_or_deleted() -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-02 01:00")
    [closed] = close(shop)
    for change in (lambda: DayClose.objects.update(entries=5), closed.delete):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


TAMPERED = {
    "an amount": ("UPDATE refunds_ledgerentry SET amount_minor = 701 WHERE kind = 'capture'", "were sealed"),
    "a reference": ("UPDATE refunds_ledgerentry SET reference = 'x' WHERE kind = 'capture'", "seal is broken"),
    "an entry": ("DELETE FROM refunds_ledgerentry WHERE kind = 'reserve'", "were sealed"),
    "the order's number": ("UPDATE orders_order SET number = 'other'", "seal is broken"),
    "a balance": ("UPDATE refunds_dayclose SET balances = '[]' WHERE day = '2026-05-02'", "balances are not"),
    "a hash": ("UPDATE refunds_dayclose SET hash = repeat('0', 64) WHERE day = '2026-05-02'", "seal is broken"),
    "a day": ("DELETE FROM refunds_dayclose WHERE day = '2026-05-02'", "no close from 2026-05-01 on"),
    "the first day": ("DELETE FROM refunds_dayclose WHERE day = '2026-05-01'", "not chained"),
    "the zone": ("UPDATE refunds_dayclose SET time_zone = 'Asia/Tokyo' WHERE day = '2026-05-02'", "seal is broken"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_whatever_was_changed_is_found(what: str) -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    enter(share, "capture", 700, "2026-05-01 15:00")
    enter(share, "reserve", 700, "2026-05-02 15:00")
    set_clock("2026-05-04 01:00")
    assert len(close(shop)) == 3
    sql, found = TAMPERED[what]
    with connection.cursor() as cursor:
        cursor.execute(f"SET session_replication_role = replica; {sql}; RESET session_replication_role")
    assert any(found in wrong.what for wrong in verify(shop, now=clock.now()))


def test_a_day_that_nobody_closes_is_missed_a_day_later() -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop), "capture", 700, "2026-05-01 15:00")
    set_clock("2026-05-02 01:00")
    close(shop)
    set_clock("2026-05-03 23:59")
    assert list(verify(shop, now=clock.now())) == []
    set_clock("2026-05-04 00:01")
    [wrong] = verify(shop, now=clock.now())
    assert (wrong.day, wrong.what) == (date(2026, 5, 2), "the day is over, and has not been closed")
