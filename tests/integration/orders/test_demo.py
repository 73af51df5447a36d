"""The demo shop: complete at once, and the same however often it is loaded."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from orders.models import ApiKey, Order, Shipment
from orders.roles import KEY_ROLES
from refunds.models import LedgerEntry
from tests.integration.orders.conftest import Api

pytestmark = pytest.mark.django_db


def rows() -> list[object]:
    return [ApiKey.objects.count(), list(Order.objects.values()), list(Shipment.objects.values())]


def test_loading_it_again_changes_nothing_and_tells_the_same_keys(tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    call_command("load_demo", output=first)
    before = rows()
    call_command("load_demo", output=second)
    assert rows() == before
    assert first.read_text() == second.read_text()
    assert first.stat().st_mode & 0o077 == 0
    assert LedgerEntry.objects.count() == Order.objects.count()


def test_every_role_has_a_key_that_reads_the_demo_orders(tmp_path: Path) -> None:
    call_command("load_demo", output=tmp_path / "demo.json")
    keys = json.loads((tmp_path / "demo.json").read_text())["keys"]
    assert set(keys) == {role.value for role in KEY_ROLES}
    for [key] in keys.values():
        assert Api(key)("GET", "orders/DEMO-JPY-1").json()["total_minor"] == 5800


def test_the_demo_has_orders_in_every_place() -> None:
    call_command("load_demo")
    states = dict(Order.objects.values_list("number", "state"))
    assert states == {
        "DEMO-EUR-1": "paid",
        "DEMO-EUR-2": "shipped",
        "DEMO-JPY-1": "paid",
        "DEMO-KWD-1": "paid",
        "DEMO-CNY-1": "delivered",
    }
