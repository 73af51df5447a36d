"""The migration that gives each payment its channel."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from orders.models import Channel, Payment
from tests.factories import make_order

# Going back and forth through all migrations takes as long as a hundred other tests.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
BEFORE, AFTER = [("orders", "0003_returns")], [("orders", "0004_payment_channel")]


@pytest.fixture
def migrated_back() -> Iterator[None]:
    """To the newest of every app: going back takes later migrations along that build on it."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_a_payment_that_stands_goes_to_the_channel_of_the_order_that_shared_it_first(migrated_back: None) -> None:
    first, later = make_order(), make_order()
    later.channel = Channel.objects.create(slug="later", name="Later")
    later.save()
    shared, own = Payment.objects.get(shares__order=first), Payment.objects.get(shares__order=later)
    shared.shares.create(order=later, captured_minor=0)
    MigrationExecutor(connection).migrate(BEFORE)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO orders_payment (account, reference, currency, total_minor, allocated_minor)"
            " VALUES ('sandbox', 'of nobody', 'EUR', 0, 0)"
        )
    MigrationExecutor(connection).migrate(AFTER)
    expected = {(shared.pk, first.channel_id), (own.pk, later.channel_id)}
    assert set(Payment.objects.values_list("pk", "channel_id")) == expected
