"""A connection that is kept between requests costs none of them a statement, and one that the server has ended is made
anew before anybody notices."""

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop() -> Caller:
    return Caller(rows.default_channel())


def test_nothing_is_asked_over_a_connection_that_is_quiet() -> None:
    connection.health_check_done, connection.health_check_enabled = False, True
    with CaptureQueriesContext(connection) as asked:
        connection.close_if_health_check_failed()
    assert connection.health_check_done and not asked.captured_queries
    assert connection.is_usable()


def test_a_connection_that_the_server_has_ended_is_made_anew(shop: Caller) -> None:
    order = rows.a_paid_order(rows.default_channel())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [before] = cursor.fetchone()
    other = connections["default"].copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [before])
        eventually(lambda: connection.is_usable(), lambda usable: not usable)
    finally:
        other.close()
    connection.health_check_done, connection.health_check_enabled = False, True
    assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}).status == 202
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (before,)
