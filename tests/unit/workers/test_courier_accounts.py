"""Which courier stands behind which account."""

import json
import runpy
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from workers import bootstrap
from workers.adapters.http_courier import HttpCourier
from workers.local.home import Home
from workers.local.product import CHECKOUT, Addresses, product_environment
from workers.ports import Budget, NotSent

ACCOUNT = {"adapter": "http", "base_url": "http://courier.invalid", "secret": "whsec_c29tZWJvZHk="}


@pytest.fixture(autouse=True)
def fresh_couriers() -> Iterator[None]:
    bootstrap.courier.cache_clear()
    yield
    bootstrap.courier.cache_clear()


def read_settings(monkeypatch: pytest.MonkeyPatch, **environment: Any) -> dict[str, Any]:
    for name in ("GATEWAY_ACCOUNTS", "COURIER_ACCOUNTS", "COURIER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value if isinstance(value, str) else json.dumps(value))
    return runpy.run_path(str(CHECKOUT / "config" / "settings.py"))


def test_configured_account_is_a_courier(settings: Any) -> None:
    settings.COURIER_ACCOUNTS = {"parcels": ACCOUNT}
    assert bootstrap.courier_accounts() == ("parcels",)
    assert isinstance(bootstrap.courier("parcels"), HttpCourier)
    assert bootstrap.courier("parcels").capabilities.settle_seconds == settings.SETTLE_SECONDS


@pytest.mark.parametrize("name", ["", "parcels"])
def test_account_that_is_not_configured_sends_nothing(settings: Any, name: str) -> None:
    settings.COURIER_ACCOUNTS = {}
    reply = bootstrap.courier(name).look_up("RFX-1-P1", budget=Budget(1, monotonic=time.monotonic))
    assert isinstance(reply, NotSent) and "not configured" in reply.reason


@pytest.mark.parametrize("lacking", ["adapter", "base_url", "secret"])
def test_incomplete_account_is_told_by_name(settings: Any, lacking: str) -> None:
    settings.COURIER_ACCOUNTS = {"parcels": {name: value for name, value in ACCOUNT.items() if name != lacking}}
    with pytest.raises(ImproperlyConfigured, match=f"COURIER_ACCOUNTS: account parcels .*{lacking}"):
        bootstrap.courier("parcels")


def test_first_account_is_the_default_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = {"first": ACCOUNT, "second": ACCOUNT}
    assert read_settings(monkeypatch)["COURIER"] == "courier"
    assert read_settings(monkeypatch, COURIER_ACCOUNTS=accounts)["COURIER"] == "first"
    assert read_settings(monkeypatch, COURIER_ACCOUNTS=accounts, COURIER="second")["COURIER"] == "second"


def test_one_name_for_a_gateway_and_a_courier_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match="both"):
        read_settings(monkeypatch, COURIER_ACCOUNTS={"both": ACCOUNT}, GATEWAY_ACCOUNTS={"both": ACCOUNT})


def test_local_installation_has_the_sandbox_for_both(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATEWAY_ACCOUNTS", "COURIER_ACCOUNTS", "SANDBOX_COURIER_WEBHOOK_URL", "BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    addresses = Addresses(web=1, sandbox=2, inbox=3, smtp=4)
    environment = product_environment(Home(tmp_path), addresses, database_url="", redis_url="")
    gateway, courier = (json.loads(environment[name]) for name in ("GATEWAY_ACCOUNTS", "COURIER_ACCOUNTS"))
    assert (list(gateway), list(courier)) == (["sandbox", "store-credit"], ["sandbox-courier"])
    assert courier["sandbox-courier"]["base_url"] == "http://127.0.0.1:2/courier/v1"
    assert environment["SANDBOX_COURIER_WEBHOOK_URL"] == "http://127.0.0.1:1/api/v1/webhooks/sandbox-courier"
