"""Entries of closed days leave as a stream, and are the same bytes whenever they are asked for again."""

import json
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders.errors import Conflict, Forbidden, Invalid
from orders.models import Channel
from orders.roles import SYSTEM, Actor, Role
from refunds.books.lines import CHUNK
from refunds.services.bookkeeping import ExportWish, Format, export_entries
from tests.integration.books.entries import at, close, enter, make_channel, set_clock, share_in
from tests.integration.refunds_api.clients import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_clock")]


@pytest.fixture
def berlin(own_clock: None) -> Channel:
    """Three closed days with an entry each, the last recorded late."""
    shop = make_channel("berlin", "Europe/Berlin")
    share = share_in(shop, number="O-9")
    enter(share, "capture", 10_000, "2026-03-27 10:00")
    enter(share, "external", 2_900, "2026-03-29 01:00", reference="=cmd|' /C calc'!A0")
    set_clock("2026-03-30 12:00")
    close(shop)
    enter(share, "reserve", 300, "2026-03-29 11:00")
    set_clock("2026-03-31 12:00")
    close(shop)
    return shop


def exported(shop: Channel, format: Format = Format.CSV) -> bytes:
    wish = ExportWish([shop.pk], date(2026, 3, 27), date(2026, 3, 30), format)
    return b"".join(export_entries(wish, actor=SYSTEM))


def test_csv_tells_each_entry_with_the_day_it_was_closed_in(berlin: Channel) -> None:
    head, *rows = exported(berlin).decode().removesuffix("\r\n").split("\r\n")
    payment = share_reference(berlin)
    assert len(rows) == 3 and head.startswith("channel,day,entry,kind,account,payment,order,refund,movement,reference")
    first = f"berlin,2026-03-27,{numbers(berlin)[0]},capture,sandbox,{payment},O-9,,,,EUR,2,10000,100.00"
    assert rows[0] == (
        f"{first},2026-03-27T10:00:00Z,2026-03-27T11:00:00+01:00,2026-03-27T10:00:00Z,2026-03-27T11:00:00+01:00,"
        "Europe/Berlin"
    )
    assert ",'=cmd|' /C calc'!A0,EUR,2,2900,29.00,2026-03-29T01:00:00Z,2026-03-29T03:00:00+02:00," in rows[1]
    assert rows[2].startswith("berlin,2026-03-30,") and ",2026-03-29T11:00:00Z," in rows[2]


def test_json_has_the_same_in_a_line_each_unescaped(berlin: Channel) -> None:
    lines = [json.loads(line) for line in exported(berlin, Format.JSON).decode().splitlines()]
    assert [(line["day"], line["kind"], line["amount_minor"], line["amount"]) for line in lines] == [
        ("2026-03-27", "capture", 10_000, "100.00"),
        ("2026-03-29", "external", 2_900, "29.00"),
        ("2026-03-30", "reserve", 300, "3.00"),
    ]
    assert lines[1]["reference"] == "=cmd|' /C calc'!A0"


@pytest.mark.parametrize("format", list(Format))
def test_exporting_again_gives_the_same_bytes_whatever_happened_since(berlin: Channel, format: Format) -> None:
    before = exported(berlin, format)
    share = share_in(berlin)
    enter(share, "capture", 77, "2026-03-28 10:00")
    set_clock("2026-04-05 12:00")
    close(berlin)
    assert exported(berlin, format) == before


def test_what_is_not_closed_is_not_exported(berlin: Channel) -> None:
    with pytest.raises(Conflict, match="closed up to 2026-03-30: 2026-03-31 is not sealed yet") as refused:
        export_entries(ExportWish([berlin.pk], date(2026, 3, 27), date(2026, 3, 31)), actor=SYSTEM)
    assert refused.value.code == "day_not_closed"
    with pytest.raises(Invalid, match="2026-03-26 is before"):
        export_entries(ExportWish([berlin.pk], date(2026, 3, 27), date(2026, 3, 26)), actor=SYSTEM)


@pytest.mark.parametrize("role", [role for role in Role if role not in (Role.FINANCE, Role.AUDITOR, Role.SYSTEM)])
def test_only_who_keeps_the_books_may_read_them(berlin: Channel, role: Role) -> None:
    with pytest.raises(Forbidden):
        export_entries(ExportWish([berlin.pk], date(2026, 3, 27), date(2026, 3, 30)), actor=Actor("principal:1", role))


def test_statements_are_the_same_for_any_number_of_entries_and_rows_come_in_chunks(own_clock: None) -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    many = CHUNK * 4 + 1
    enter(share, "capture", 1, "2026-05-01 10:00")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO refunds_ledgerentry (share_id, kind, amount_minor, reference, occurred_at, recorded_at)"
            " SELECT %s, 'reserve', n, '', %s, %s FROM generate_series(1, %s) n",
            [share.pk, at("2026-05-02 10:00"), at("2026-05-02 10:00"), many],
        )
    set_clock("2026-05-03 12:00")
    close(shop)

    def run(day: int) -> tuple[int, list[int]]:
        wish = ExportWish([shop.pk], date(2026, 5, day), date(2026, 5, day))
        with CaptureQueriesContext(connection) as queries:
            chunks = [chunk.count(b"\r\n") for chunk in export_entries(wish, actor=SYSTEM)]
        return len(queries), chunks

    few, lots = run(1), run(2)
    assert few[0] == lots[0] <= 5
    assert few[1] == [1, 1] and lots[1] == [1, CHUNK, CHUNK, CHUNK, CHUNK, 1]


def test_the_api_streams_it_to_finance_and_auditors(berlin: Channel) -> None:
    for role in (Role.FINANCE, Role.AUDITOR):
        response = asked(Caller(berlin, role=role), "/books/entries?from=2026-03-27&to=2026-03-30&format=csv")
        assert response.streaming and response.status_code == 200
        assert b"".join(response.streaming_content) == exported(berlin)
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert "ledger_2026-03-27_2026-03-30.csv" in response.headers["Content-Disposition"]
    response = asked(Caller(berlin, role=Role.AUDITOR), "/books/entries?from=2026-03-27&to=2026-03-30&format=json")
    assert b"".join(response.streaming_content) == exported(berlin, Format.JSON)


WRONG = {
    "from=2026-03-27&to=2026-03-31": (409, "day_not_closed"),
    "from=2026-03-27&to=2026-03-26": (422, "bad_range"),
    "from=2026-03-27": (422, "required"),
    "from=27.3.2026&to=2026-03-27": (422, "not_a_day"),
    "from=2026-03-27&to=2026-03-27&format=xml": (422, "unknown_value"),
    "from=2026-03-27&to=2026-03-27&channel=other": (404, "not_found"),
}


@pytest.mark.parametrize("query", WRONG)
def test_what_is_asked_wrongly_is_a_problem_with_its_field(berlin: Channel, query: str) -> None:
    answered = Caller(berlin, role=Role.FINANCE).get(f"/books/entries?{query}")
    assert (answered.status, answered.code) == WRONG[query]


def test_a_shop_may_not(berlin: Channel) -> None:
    for path in ("/books/entries?from=2026-03-27&to=2026-03-27", "/books/closes", "/books/report"):
        assert Caller(berlin).get(path).status == 403


def test_closes_are_listed_newest_first_over_pages(berlin: Channel) -> None:
    finance = Caller(berlin, role=Role.FINANCE)
    first = finance.get("/books/closes?limit=3").body
    assert [row["day"] for row in first["items"]] == ["2026-03-30", "2026-03-29", "2026-03-28"]
    assert first["items"][0]["balances"][0]["closing"]["reserved_minor"] == 300
    rest = finance.get(f"/books/closes?limit=3&cursor={first['next_cursor']}").body
    assert [row["day"] for row in rest["items"]] == ["2026-03-27"] and rest["next_cursor"] is None
    assert rest["items"][0]["hash"] == first["items"][2]["previous_hash"]


def test_the_command_writes_the_same_file(berlin: Channel, tmp_path: Path) -> None:
    file = tmp_path / "march.csv"
    wanted = ["--from", "2026-03-27", "--to", "2026-03-30", "--channel", "berlin", "-o", str(file)]
    call_command("books", "export", *wanted)
    assert file.read_bytes() == exported(berlin)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["export", "--from", "yesterday", "--to", "2026-03-30"], "'yesterday' is no day"),
        (["export", "--from", "2026-03-27", "--to", "2026-03-31"], "not sealed yet"),
        (["export", "--from", "2026-03-27", "--to", "2026-03-20"], "to: 2026-03-20 is before 2026-03-27"),
        (["export", "--from", "2026-03-27", "--to", "2026-03-30", "-o", "/no/such/place"], "--output"),
        (["close", "--channel", "nobody"], "There is no channel nobody"),
        (["report", "--as-of", "2026-03-30T10:00:00"], "is no time such as"),
        (["report", "--as-of", "2999-01-01T00:00:00Z"], "as_of: It is 2026"),
        (["zone", "berlin", "Berlin"], "zone: Berlin is no time zone"),
    ],
)
def test_the_command_says_what_is_wrong(berlin: Channel, said: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("books", *said)


def test_the_command_closes_verifies_and_sets_the_zone(berlin: Channel) -> None:
    set_clock("2026-04-03 12:00")
    assert [line.split(":")[0] for line in run("close", "--channel", "berlin", "--date", "2026-04-01")] == [
        "berlin 2026-03-31",
        "berlin 2026-04-01",
    ]
    assert len(run("close")) == 1 and run("close") == []
    assert run("verify", "--channel", "berlin") == ["The books of berlin are as they were closed."]
    run("zone", "berlin", "Asia/Tokyo")
    set_clock("2026-04-03 15:00")
    [line] = run("close")
    assert line.startswith("berlin 2026-04-03: 0 entries")
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica; UPDATE refunds_ledgerentry SET amount_minor = 1;")
        cursor.execute("RESET session_replication_role")
    with pytest.raises(CommandError, match="berlin 2026-03-27: its seal is broken"):
        run("verify")


def run(*said: str) -> list[str]:
    out = StringIO()
    call_command("books", *said, stdout=out)
    return out.getvalue().splitlines()


def asked(caller: Caller, path: str) -> Any:
    return Client().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {caller.key}"})


def numbers(shop: Channel) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM refunds_ledgerentry ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def share_reference(shop: Channel) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reference FROM orders_payment WHERE channel_id = %s ORDER BY id", [shop.pk])
        return str(cursor.fetchone()[0])
