"""A batch takes as many statements for a hundred refunds as for ten, and a look that finds nothing new writes none."""

from datetime import timedelta

import pytest
from django.db import connection

from refunds import records
from refunds.models import Refund
from refunds.services.answers import Told
from refunds.services.case import Outbound
from refunds.services.requests import Requested, request_refunds
from tests.factories import make_order, wish
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.returns import pass_time

pytestmark = pytest.mark.django_db(transaction=True)


def refunds_of(count: int) -> tuple[list[Refund], int]:
    """So many refunds requested in one batch, and the statements it took."""
    wishes = [wish(make_order(1000, 500), ("A", 1)) for _ in range(count)]
    with records.counted() as statements:
        results = request_refunds(wishes)
    return [r.refunds[0] for r in results if isinstance(r, Requested)], len(statements)


def told(out: object) -> Told:
    assert isinstance(out, Outbound)
    return Told(out.refund_id, out.movement.number, out.of, accepted(out.movement))


def test_request_t1_and_t2_take_the_same_statements_for_100_as_for_10(engine: Engine) -> None:
    # The first pass reads the policy version, which is kept.
    engine.run(*refunds_of(1)[0])
    taken = []
    for count in (10, 100):
        refunds, requested = refunds_of(count)
        with records.counted() as t1:
            calls = engine.begin(*refunds).calls
        answers = [told(out) for out in calls]
        with records.counted() as t2:
            engine.record(answers)
        assert len(refunds) == len(calls) == count
        assert Refund.objects.filter(pk__in=[r.pk for r in refunds], state="refunded").count() == count
        taken.append((requested, len(t1), len(t2)))
    assert taken[0] == taken[1]


def test_a_second_look_writes_nothing(engine: Engine) -> None:
    refunds, _ = refunds_of(3)
    engine.begin(*refunds)
    with records.counted() as again:
        engine.begin(*refunds)
    assert not [sql for sql in again if not sql.lstrip().upper().startswith("SELECT")]


def test_a_look_at_what_has_ended_writes_nothing(engine: Engine) -> None:
    refunds, _ = refunds_of(3)
    engine.run(*refunds)
    pass_time(timedelta(days=30))
    with records.counted() as again:
        engine.begin(*refunds)
    assert not [sql for sql in again if not sql.lstrip().upper().startswith("SELECT")]


def test_batches_run_prepared_on_the_server(engine: Engine) -> None:
    engine.run(*refunds_of(2)[0])
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%unnest(%'")
        assert cursor.fetchone()[0] > 0
