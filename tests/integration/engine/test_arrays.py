"""Columns as PostgreSQL takes them in binary: what goes in is what comes out, of every type."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.db import DataError

from refunds.arrays import TYPES, array
from refunds.records import execute
from refunds.states import RefundState

pytestmark = pytest.mark.django_db(transaction=True)

AT = datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=UTC)


@pytest.mark.parametrize(
    ("column_type", "values"),
    [
        ("bigint", [0, -1, 2**63 - 1, -(2**63), None, 0]),
        ("integer", [2**31 - 1, None, -(2**31)]),
        ("boolean", [True, None, False]),
        ("text", ["", 'it\'s "so" \\ {,}', "NULL", None, "退款 \N{PARTY POPPER}", ""]),
        ("bytea", [b"", b"\x00\xff", None]),
        ("timestamptz", [AT, None, datetime(1950, 1, 1, tzinfo=UTC), AT]),
        ("jsonb", [{}, [], None, {"a": [1, None, "ü\n"]}, [{}], "{}", 0, 1.5]),
    ],
)
def test_what_goes_in_comes_out(column_type: str, values: list[Any]) -> None:
    sql = f"SELECT v, v IS NULL FROM unnest(%b::{column_type}[]) WITH ORDINALITY AS x(v, n) ORDER BY n"
    rows = execute(sql, [array(column_type, values)]).fetchall()
    assert rows == [(value, value is None) for value in values]


def test_every_type_says_its_own_name() -> None:
    for column_type, (oid, _) in TYPES.items():
        assert execute("SELECT %s::regtype::oid::int", [column_type]).fetchone() == (oid,)


def test_members_of_an_enum_are_texts_and_times_of_a_zone_are_moments() -> None:
    ahead = AT.astimezone(timezone(timedelta(hours=8)))
    states, times = [RefundState.FAILED, "failed"], [ahead, AT]
    sql = "SELECT s, t FROM unnest(%b::text[], %b::timestamptz[]) AS x(s, t)"
    assert execute(sql, [array("text", states), array("timestamptz", times)]).fetchall() == [("failed", AT)] * 2


def test_a_character_that_no_text_has_is_a_mistake_of_the_data() -> None:
    with pytest.raises(DataError):
        execute("SELECT %b::text[]", [array("text", ["a\x00b"])])
