"""Batches of messages: a constant number of statements, and no waiting for rows that others hold."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from refunds import records
from refunds.services.notifications import (
    Claim,
    begin_notifications,
    record_deliveries,
)
from tests.integration.notifications.owed import OPEN, answer, claim_one, make_case
from workers.ports import Delivered, Refused

pytestmark = pytest.mark.django_db


def statements(work: Callable[[], object]) -> int:
    with records.counted() as ours, CaptureQueriesContext(connection) as djangos:
        work()
    return len(ours) + len([q for q in djangos.captured_queries if "SAVEPOINT" not in q["sql"]])


def owed(count: int) -> list[int]:
    case = make_case(str(count))
    return [case.owe().id for _ in range(count)]


def test_statements_do_not_grow_with_the_batch() -> None:
    counts = []
    for size in (10, 100):
        ids = owed(size)
        claims: list[Claim] = []
        begun = statements(
            lambda ids=ids, claims=claims: claims.extend(begin_notifications(ids, providers=OPEN).claims)
        )
        mixed = [(c, Refused("smtp_550") if i % 2 else Delivered("x")) for i, c in enumerate(claims)]
        counts.append((begun, statements(lambda mixed=mixed: record_deliveries(mixed))))
        assert len(claims) == size
    assert counts[0] == counts[1] and max(counts[0]) <= 7


@pytest.mark.django_db(transaction=True)
class TestLocks:
    def test_locked_message_is_skipped_and_left_out(self, hold: Callable[[str, int], None]) -> None:
        row, free = make_case().owe(), make_case("1002").owe()
        claimed = claim_one(row)
        hold("refunds_notification", row.id)
        begun = begin_notifications([row.id, free.id], providers=OPEN)
        assert begun.skipped == {row.id} and [c.notification_id for c in begun.claims] == [free.id]
        assert begin_notifications([row.id], providers=OPEN, wait_ms=50).skipped == {row.id}
        assert record_deliveries([(claimed, Delivered("x"))]) == {}
        assert record_deliveries([(claimed, Delivered("x"))], wait_ms=50) == {}

    def test_order_being_changed_does_not_keep_its_customer_waiting(self, hold: Callable[[str, int], None]) -> None:
        case = make_case()
        row = case.owe()
        hold("orders_order", case.order.id)
        hold("refunds_refund", case.refund.id)
        assert answer(row, Delivered("x")) is None

    def test_two_pumps_never_claim_the_same_message(self) -> None:
        ids = owed(20)
        claims: list[Claim] = []

        def pump() -> None:
            try:
                claims.extend(begin_notifications(ids, providers=OPEN).claims)
            finally:
                connection.close()

        threads = [threading.Thread(target=pump) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=20)
        assert len({c.notification_id for c in claims}) == len(claims)
        assert transaction.get_connection().in_atomic_block is False
