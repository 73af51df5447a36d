"""What a pass costs: as many statements for a hundred refunds as for ten, and no write where nothing has changed."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from refunds import records
from refunds.models import Refund
from refunds.services.answers import Told
from refunds.services.requests import request_refunds
from tests.factories import request, ship, wish
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import asked_for, due_at
from tests.integration.engine.returns import bought, fresh, pass_time
from workers.ports import Movement, Reply

#: What is written together goes out as one statement, which names its parts w0, w1.
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|WITH w0 AS)\b")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_pass_over_what_is_final_or_waits_writes_nothing() -> None:
    """Controller check 49; upstream: TestReflectorResync. Controller check 56; upstream: TestSyncJobComplete."""
    engine, done, waiting, order = Engine(), asked_for(), asked_for(), bought(1000)
    ship(order)
    [review] = request(order).refunds
    engine.run(done, review)
    engine.begin(waiting)
    engine.begin(waiting)
    versions = {r.id: fresh(r).resource_version for r in (done, waiting, review)}
    for _ in range(10):
        with records.counted() as statements:
            assert engine.begin(done, waiting, review).calls == []
        assert not [s for s in statements if WRITES.match(s)]
    assert {r.id: fresh(r).resource_version for r in (done, waiting, review)} == versions


def test_a_look_at_what_has_ended_long_ago_writes_nothing() -> None:
    engine, refund = Engine(), asked_for()
    engine.run(refund)
    pass_time(timedelta(days=30))
    with records.counted() as statements:
        engine.begin(refund)
    assert not [s for s in statements if WRITES.match(s)]


def test_a_clock_that_has_run_out_moves_without_a_visible_change() -> None:
    engine, refund = Engine(), asked_for()
    engine.begin(refund)
    version = fresh(refund).resource_version
    pass_time(timedelta(seconds=6))
    engine.begin(refund)
    assert fresh(refund).resource_version == version
    assert due_at(refund) is not None


def test_a_batch_of_a_hundred_takes_as_many_statements_as_one_of_ten() -> None:
    _steps(1)  # reads the policy, which is remembered
    ten, hundred = _steps(10), _steps(100)
    assert ten == hundred
    assert max(ten.values()) < 25, ten


def _steps(n: int) -> dict[str, int]:
    """The statements of each step in the life of n refunds."""
    engine = Engine()
    orders = [bought(1000) for _ in range(n)]
    refunds: list[Refund] = []

    def ask() -> None:
        refunds.extend(r.refunds[0] for r in request_refunds([wish(order) for order in orders]))

    took = {"request": _count(ask)}
    calls: list[Any] = []
    took["claim"] = _count(lambda: calls.extend(engine.begin(*refunds).calls))
    assert len(calls) == n
    took["pending"] = _count(lambda: engine.record(_told(calls, lambda m: accepted(m, "pending"))))
    took["success"] = _count(lambda: engine.record(_told(calls, accepted)))
    took["nothing"] = _count(lambda: engine.begin(*refunds))
    assert {fresh(r).state for r in refunds} == {"refunded"}
    return took


def _told(calls: Sequence[Any], reply: Callable[[Movement], Reply]) -> list[Told]:
    return [Told(out.refund_id, out.movement.number, out.of, reply(out.movement)) for out in calls]


def _count(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
        act()
    return len(by_django) + len(by_records)


def test_statements_are_prepared() -> None:
    for refund in (asked_for(), asked_for()):
        Engine().run(refund)
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = " ".join(row[0] for row in cursor.fetchall())
    for wanted in (
        "UPDATE refunds_refund t",
        "UPDATE refunds_gatewayrefund t",
        "INSERT INTO refunds_refundevent",
        "INSERT INTO refunds_ledgerentry",
        "FROM orders_order",
        "FROM refunds_gatewayrefund",
    ):
        assert wanted in prepared, wanted
