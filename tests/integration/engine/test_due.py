"""What the sweep reads: what is due, and none of what sleeps."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from refunds.selectors.due import Cursor, due_page

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUEUES = ("refunds_refund", "refunds_notification", "refunds_orphan", "refunds_webhookdelivery", "refunds_manifest")


@pytest.mark.parametrize("after", [None, (NOON, 7)], ids=["first page", "next page"])
@pytest.mark.parametrize("table", QUEUES)
def test_the_sweep_finds_what_is_due_by_the_index_however_many_rows_sleep(db, table: str, after: Cursor | None) -> None:
    plan = plan_of(table, after)
    assert any(line.startswith("Index Cond:") and "next_reconcile_at <= " in line for line in plan), plan
    assert not any(line.startswith("Filter:") for line in plan), plan


def plan_of(table: str, after: Cursor | None) -> list[str]:
    """With the other ways forbidden that a small table invites to."""
    with CaptureQueriesContext(connection) as asked:
        due_page(table, after, 10)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute("EXPLAIN " + asked[0]["sql"])
        return [line.strip() for (line,) in cursor.fetchall()]
