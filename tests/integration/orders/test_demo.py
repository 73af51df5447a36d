"""The demo shop's orders, keys and users: complete at once, and the same however often they are loaded."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.core.management import call_command

from orders.links import read_link
from orders.models import ApiKey, Channel, Order, Principal
from orders.roles import KEY_ROLES
from refunds.models import LedgerEntry
from tests.integration.orders.conftest import Api

pytestmark = pytest.mark.django_db


def load(folder: Path, name: str = "demo.json") -> dict[str, Any]:
    call_command("load_demo", output=folder / name)
    return json.loads((folder / name).read_text())


def rows() -> list[object]:
    return [ApiKey.objects.count(), *(list(model.objects.values()) for model in (Order, Channel, Principal, User))]


def test_loading_it_again_changes_nothing_and_tells_the_same_secrets(tmp_path: Path) -> None:
    first = load(tmp_path, "first.json")
    before = rows()
    second = load(tmp_path, "second.json")
    assert rows() == before
    secrets = ("keys", "console", "orders")
    assert [first[name] for name in secrets] == [second[name] for name in secrets]
    assert (tmp_path / "first.json").stat().st_mode & 0o077 == 0
    assert LedgerEntry.objects.count() >= Order.objects.count() - 1


def test_an_order_that_was_changed_since_is_left_alone(tmp_path: Path) -> None:
    load(tmp_path)
    Order.objects.filter(number="DEMO-EUR-1").update(customer_name="Somebody else")
    load(tmp_path)
    assert Order.objects.get(number="DEMO-EUR-1").customer_name == "Somebody else"


def test_a_shop_front_with_a_name_of_its_own_keeps_it(tmp_path: Path) -> None:
    Channel.objects.filter(is_default=True).update(name="Teas & more", contact="teas@example.test")
    load(tmp_path)
    assert Channel.objects.get(is_default=True).name == "Teas & more"


def test_every_role_has_a_key_that_reads_the_demo_orders(tmp_path: Path) -> None:
    keys = load(tmp_path)["keys"]
    assert set(keys) == {role.value for role in KEY_ROLES}
    for [key] in keys.values():
        assert Api(key)("GET", "orders/DEMO-JPY-1").json()["total_minor"] == 5800


def test_every_role_has_a_user_with_its_password(tmp_path: Path) -> None:
    users = load(tmp_path)["console"]
    assert {user["role"] for user in users} == {role.value for role in KEY_ROLES}
    for user in users:
        known = User.objects.get(username=user["username"])
        assert known.principal.role == user["role"]
        assert check_password(user["password"], known.password)


def test_a_login_hardens_the_password_which_stays_the_same(tmp_path: Path) -> None:
    user = next(user for user in load(tmp_path)["console"] if user["role"] == "support")
    assert authenticate(username=user["username"], password=user["password"])
    hardened = User.objects.get(username="support").password
    assert "$1000$" not in hardened
    load(tmp_path)
    assert User.objects.get(username="support").password == hardened


def test_every_order_has_a_link_for_its_customer(tmp_path: Path) -> None:
    links = load(tmp_path)["links"]
    assert set(links) == set(Order.objects.values_list("number", flat=True))
    token = links["DEMO-CNY-1"].rpartition("/r/")[2]
    assert read_link(token, purpose="order").order_id == Order.objects.get(number="DEMO-CNY-1").pk


def test_some_thirty_orders_in_several_currencies_are_told_of_in_both_languages(tmp_path: Path) -> None:
    orders = load(tmp_path)["orders"]
    assert len(orders) > 30
    assert all(order["about"]["en"] and order["about"]["zh"] for order in orders)
    assert set(Order.objects.values_list("currency", flat=True)) >= {"EUR", "CNY", "JPY", "KWD"}
