"""Days, lines and seals of the books, without a database."""

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refunds.books.lines import COLUMNS, Day, Entry, as_csv, as_json, decimal
from refunds.days import day_of, end_of, is_zone

ZONES = ("UTC", "Europe/Berlin", "America/Sao_Paulo", "Africa/Cairo", "Asia/Shanghai", "Pacific/Apia", "America/Havana")
BERLIN = Day("shop", date(2026, 3, 29), "Europe/Berlin")


def entry(number: int = 7, **fields: object) -> Entry:
    told = {
        "number": number,
        "kind": "refund",
        "account": "sandbox",
        "payment": "pay-1",
        "currency": "EUR",
        "amount_minor": 2900,
        "order": "O-1",
        "refund": "RF-1",
        "movement": "RF-1-1",
        "reference": "",
        "occurred_at": datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC),
        "recorded_at": datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
    }
    return Entry(**{**told, **fields})  # type: ignore[arg-type]


def test_a_line_tells_both_times_and_both_amounts() -> None:
    head, row = b"".join(as_csv([(BERLIN, entry())])).decode().split("\r\n")[:2]
    told = dict(zip(head.split(","), row.split(","), strict=True))
    assert tuple(told) == COLUMNS
    assert (told["recorded_at_utc"], told["recorded_at_local"]) == ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00")
    assert (told["occurred_at_utc"], told["occurred_at_local"]) == ("2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00")
    assert (told["amount"], told["amount_minor"], told["exponent"], told["entry"]) == ("29.00", "2900", "2", "7")


@pytest.mark.parametrize(
    ("amount_minor", "currency", "shown"),
    [(5800, "JPY", "5800"), (18600, "KWD", "18.600"), (5, "EUR", "0.05"), (10**15, "EUR", "10000000000000.00")],
)
def test_decimals_are_those_of_the_currency(amount_minor: int, currency: str, shown: str) -> None:
    assert decimal(amount_minor, currency) == shown


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", '=HYPERLINK("http://x","y")'])
def test_no_cell_is_a_formula(text: str) -> None:
    line = b"".join(as_csv([(BERLIN, entry(reference=text, order=text))])).decode()
    [_, row] = csv.reader(io.StringIO(line, newline=""))
    assert row[COLUMNS.index("reference")] == row[COLUMNS.index("order")] == f"'{text}"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_comes_back_from_csv_and_json(text: str) -> None:
    rows = list(csv.reader(io.StringIO(b"".join(as_csv([(BERLIN, entry(reference=text))])).decode(), newline="")))
    assert len(rows) == 2 and rows[1][COLUMNS.index("reference")].removeprefix("'") == text.removeprefix("'")
    [line] = b"".join(as_json([(BERLIN, entry(reference=text))])).decode().rstrip("\n").split("\n")
    assert json.loads(line)["reference"] == text


@given(st.sampled_from(ZONES), st.integers(631_152_000, 2_114_380_800))
def test_every_moment_is_in_the_day_that_it_lies_between_the_ends_of(zone: str, seconds: int) -> None:
    moment = datetime.fromtimestamp(seconds, UTC)
    day = day_of(moment, zone)
    assert end_of(day - timedelta(days=1), zone) <= moment < end_of(day, zone)


def test_zones_are_names() -> None:
    assert is_zone("Europe/Berlin") and not is_zone("Berlin") and not is_zone("../etc/passwd") and not is_zone("")


def test_lines_leave_in_chunks() -> None:
    chunks = list(as_csv((BERLIN, entry(n)) for n in range(1200)))
    assert [chunk.count(b"\r\n") for chunk in chunks] == [1, 500, 500, 200]
