"""Statements run by their names do as through a cursor: transactions, errors, lost connections, and values."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DataError, NotSupportedError, OperationalError, ProgrammingError, connection, transaction
from django.db.utils import DatabaseError

from orders.models import Channel
from refunds import prepared
from refunds.records import execute

pytestmark = pytest.mark.django_db(transaction=True)

SQL = "SELECT %s::int, %s::text, %s::timestamptz, %b::bigint[], %s::text LIKE '100%%', '{\"a\": [1]}'::jsonb"
AT = datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=UTC)


def names_of(fragment: str) -> int:
    """How many statements with this the server has prepared for this connection."""
    sql = "SELECT count(*) FROM pg_prepared_statements WHERE position(%s IN statement) > 0"
    with connection.cursor() as cursor:
        cursor.execute(sql, [fragment])
        return int(cursor.fetchone()[0])


def test_a_second_run_gives_the_same_and_is_prepared_no_more() -> None:
    values = [7, "ü", AT, [1, 2], "100 %"]
    first, second = execute(SQL, values).fetchall(), execute(SQL, values).fetchall()
    assert first == second == [(7, "ü", AT, [1, 2], True, {"a": [1]})]
    assert names_of("LIKE '100%'") == 1


def test_types_of_values_are_told_apart() -> None:
    told = [execute("SELECT pg_typeof(%s)::text, 'apart'", [value]).fetchone() for value in (1, 2**40, 2, 2**41)]
    assert told == [("smallint", "apart"), ("bigint", "apart")] * 2
    assert names_of("'apart'") == 2


def test_what_is_prepared_outlives_a_rollback() -> None:
    for _ in range(2):
        with transaction.atomic():
            assert execute("SELECT 'outlives', %s::int", [1]).fetchone() == ("outlives", 1)
            transaction.set_rollback(True)
    assert names_of("'outlives'") == 1


def test_the_first_statement_of_a_transaction_begins_it() -> None:
    sql = "SELECT txid_current()"
    for _ in range(2):
        with transaction.atomic():
            assert execute(sql).fetchone() == execute(sql).fetchone()
    assert execute(sql).fetchone() != execute(sql).fetchone()


def test_what_was_written_is_undone_with_its_transaction() -> None:
    sql = "UPDATE orders_channel SET name = %s"
    before = set(Channel.objects.values_list("name", flat=True))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            assert execute(sql, ["other"]).rowcount == len(before)
            raise ZeroDivisionError
    assert set(Channel.objects.values_list("name", flat=True)) == before


def test_an_error_is_djangos_with_what_postgresql_says() -> None:
    sql = "SELECT 1 / %s::int"
    assert execute(sql, [1]).fetchone() == (1,)
    with pytest.raises(DataError, match="division by zero") as caught:
        execute(sql, [0])
    assert getattr(caught.value.__cause__, "sqlstate", None) == "22012"
    with transaction.atomic(), pytest.raises(DatabaseError, match="aborted"):
        with pytest.raises(DataError):
            execute(sql, [0])
        execute(sql, [1])


def test_what_could_not_be_prepared_is_tried_again() -> None:
    sql = "SELECT count(*) FROM refundry_later"
    with pytest.raises(ProgrammingError, match="refundry_later"):
        execute(sql)
    with transaction.atomic():
        execute("CREATE TEMPORARY TABLE refundry_later ON COMMIT DROP AS SELECT 1")
        assert execute(sql).fetchone() == (1,)


def test_a_lost_connection_is_said_and_replaced() -> None:
    sql = "SELECT pg_backend_pid()"
    (before,) = execute(sql).fetchone()
    with pytest.raises(OperationalError):
        execute("SELECT pg_terminate_backend(%s::int)", [before])
    with pytest.raises(OperationalError):
        execute(sql)
    connection.close()
    assert execute(sql).fetchone() != (before,)


def test_a_table_that_has_changed_is_an_error_once() -> None:
    """As of a process that a migration overtakes: what it has begun is tried again."""
    sql = "SELECT * FROM refundry_changed"
    execute("CREATE TEMPORARY TABLE refundry_changed AS SELECT 1 AS one")
    assert execute(sql).fetchone() == (1,)
    execute("ALTER TABLE refundry_changed ADD COLUMN two int")
    with pytest.raises(NotSupportedError, match="must not change result type"):
        execute(sql)
    assert execute(sql).fetchone() == (1, None)
    execute("DROP TABLE refundry_changed")


def test_names_that_somebody_has_deallocated_are_an_error_once() -> None:
    """As a pooler does that resets its connections."""
    assert execute("SELECT 1").fetchone() == (1,)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with pytest.raises(ProgrammingError, match="does not exist"):
        execute("SELECT 1")
    assert execute("SELECT 1").fetchone() == (1,)


def test_a_server_keeps_no_more_names_than_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "MOST_NAMES", 5)
    connection.close()
    told: list[Any] = [execute(f"SELECT {n}, 'bounded'").fetchone() for n in (*range(8), 0, 7)]
    assert told == [(n, "bounded") for n in (*range(8), 0, 7)]
    assert names_of("'bounded'") == 5
