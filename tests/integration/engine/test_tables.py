"""How PostgreSQL keeps the tables that every pass writes."""

import pytest
from django.db import connection, models

from orders.models import Order, OrderLine, PaymentShare
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund, RefundEvent

pytestmark = pytest.mark.django_db(transaction=True)


def options(model: type[models.Model]) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE oid = %s::regclass", [model._meta.db_table])
        return dict(option.split("=") for option in cursor.fetchone()[0])


@pytest.mark.parametrize("model", [Order, OrderLine, PaymentShare, Refund, GatewayRefund, Notification])
def test_what_every_pass_changes_leaves_room_in_its_pages_and_is_vacuumed_early(model: type[models.Model]) -> None:
    kept = options(model)
    assert int(kept["fillfactor"]) <= 80
    assert float(kept["autovacuum_vacuum_scale_factor"]) <= 0.02


@pytest.mark.parametrize("model", [LedgerEntry, RefundEvent])
def test_what_is_only_added_to_is_frozen_as_it_grows(model: type[models.Model]) -> None:
    assert float(options(model)["autovacuum_vacuum_insert_scale_factor"]) <= 0.05
