"""What is told of a channel that this process does not know: it may exist, until the channels have been loaded once."""

import pytest
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from orders.models import Channel
from orders.registry import Registry, Served
from orders.roles import Role
from orders.selectors import access
from refunds.services.manifests.serving import load_registry
from tests.integration.orders.conftest import ORDER, Api, MakeApi, refused

pytestmark = pytest.mark.django_db


def test_before_the_first_load_what_is_known_is_served_and_what_is_not_may_come(shop: Api, channels: Registry) -> None:
    """Check 63: known: 200, unknown: 503 with Retry-After; after the load: 404. TestRouting, TestNotFoundHandler"""
    channels.forget()
    assert shop("PUT", "orders/1?channel=default", ORDER).status_code == 201
    assert shop("GET", "orders/1").status_code == 200
    unknown = shop("GET", "orders/1?channel=fashion")
    refused(unknown, 503, "starting")
    assert unknown.headers["Retry-After"] == "5"
    load_registry()
    assert shop("GET", "orders/1?channel=default").status_code == 200
    refused(shop("GET", "orders/1?channel=fashion"), 404, "not_found")


def test_a_channel_of_others_is_told_apart_from_an_unknown_one_by_nobody(shop: Api, channels: Registry) -> None:
    Channel.objects.create(slug="fashion", name="Fashion")
    load_registry()
    assert shop("GET", "orders/1?channel=fashion").json() == shop("GET", "orders/1?channel=nothing").json()
    channels.forget()
    refused(shop("GET", "orders/1?channel=fashion"), 503, "starting")


def test_a_request_that_arrived_before_the_load_is_503_though_it_is_loaded_while_it_runs(
    shop: Api, channels: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check 64: the flag is taken when it arrives. TestMuxAndDiscoveryComplete"""
    channels.forget()
    find = access.key_with_prefix

    def slowly(prefix: str) -> access.StoredKey | None:
        channels.load([Served(1, "default")])
        return find(prefix)

    monkeypatch.setattr("orders.rest.authentication.key_with_prefix", slowly)
    refused(shop("GET", "orders/1?channel=fashion"), 503, "starting")
    assert channels.is_loaded
    refused(shop("GET", "orders/1?channel=fashion"), 404, "not_found")


@pytest.mark.parametrize("missing", ["database", "migrations", "channels", None])
def test_ready_only_when_all_signals_are(
    channels: Registry, client: Client, missing: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check 64. TestMuxAndDiscoveryCompleteSignals"""
    if missing == "channels":
        channels.forget()
    if missing == "database":

        def away(*_: object) -> None:
            raise OperationalError("away")

        monkeypatch.setattr("config.health.MigrationExecutor", away)
    if missing == "migrations":
        monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["one"])
    answer = client.get("/readyz")
    assert answer.status_code == (503 if missing else 200)
    assert (missing or "ok") in answer.json()["status"]


def test_a_retired_channel_is_unknown_to_everybody(api_of: MakeApi) -> None:
    old = Channel.objects.create(slug="fashion", name="Fashion")
    shop = api_of(Role.SHOP, old, Channel.objects.get(is_default=True))
    assert shop("PUT", "orders/1?channel=fashion", ORDER).status_code == 201
    Channel.objects.filter(pk=old.pk).update(retired_at=timezone.now())
    refused(shop("GET", "orders/1?channel=fashion"), 404, "not_found")
    refused(shop("GET", "orders/1"), 404, "not_found")
