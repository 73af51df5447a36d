"""A shop with a key, and a fingerprint of everything a refused request must leave as it was."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import connection

from orders.models import Channel, Order
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller


@pytest.fixture
def channel(db) -> Channel:
    return rows.default_channel()


@pytest.fixture
def shop(channel: Channel) -> Caller:
    return Caller(channel)


@pytest.fixture
def order(channel: Channel) -> Order:
    return rows.a_paid_order(channel)


@pytest.fixture
def fingerprint() -> Callable[[], dict[str, str]]:
    """A digest of every table of ours: equal before and after when nothing has changed."""

    def digest() -> dict[str, str]:
        tables = [
            model._meta.db_table for app in ("orders", "refunds") for model in apps.get_app_config(app).get_models()
        ]
        found = {}
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t.id), '')) FROM {table} t")
                found[table] = cursor.fetchone()[0]
        return found

    return digest
