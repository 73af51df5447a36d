"""Gateway accounts that channels bring along: used as they are declared, without a restart, by whoever needs them."""

import base64
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders.models import Channel
from orders.registry import Registry
from orders.roles import Role
from refunds.selectors import declared_accounts
from refunds.selectors.hand_accounts import hand_accounts
from tests.factories import make_order, request
from tests.integration.channels.manifests import declare, look, look_at_what_goes, remove, said, served
from tests.integration.orders.conftest import ORDER, MakeApi, refused
from tests.integration.refunds_api.gateways import an_event
from tests.integration.refunds_api.gateways import said as an_event_told
from workers import bootstrap
from workers.adapters.http_gateway import HttpGateway
from workers.adapters.signing import sign
from workers.adapters.unconfigured import UnconfiguredGateway
from workers.ports import Budget, NotSent

pytestmark = pytest.mark.django_db
BANK = {"name": "bank", "adapter": "http", "baseUrl": "http://127.0.0.1:9", "secret": "env:SHOP_FASHION__BANK"}

FIRST, SECOND = (base64.b64encode(word * 6).decode() for word in (b"first", b"other"))


@pytest.fixture(autouse=True)
def looking(settings: Any, channels: Registry, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each question reads the rows."""
    settings.DECLARED_ACCOUNTS_SECONDS = -1.0
    monkeypatch.setenv("SHOP_FASHION__BANK", FIRST)
    bootstrap.gateway.cache_clear()
    yield
    declared_accounts.forget()
    bootstrap.gateway.cache_clear()


@pytest.fixture
def fashion() -> Channel:
    declare("fashion", accounts=[BANK])
    return served("fashion")


def test_it_is_there_as_soon_as_it_is_served_and_gone_with_its_channel(fashion: Channel) -> None:
    assert "bank" in bootstrap.accounts()
    assert isinstance(bootstrap.gateway("bank"), HttpGateway)
    assert bootstrap.gateway("bank").capabilities.listing
    remove("fashion")
    assert look_at_what_goes("fashion")
    assert isinstance(bootstrap.gateway("bank"), UnconfiguredGateway)
    assert "bank" not in bootstrap.accounts()


def test_the_settings_win(fashion: Channel, settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = {"bank": {"adapter": "manual"}}
    assert bootstrap.accounts() == ("bank",)
    assert not isinstance(bootstrap.gateway("bank"), HttpGateway)
    assert hand_accounts() == {"bank"}


def test_it_is_made_once_and_anew_when_its_channel_or_its_secret_changes(
    fashion: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bootstrap.gateway("bank")
    assert bootstrap.gateway("bank") is first
    declare("fashion", accounts=[BANK], contact="new@fashion.example")
    second = bootstrap.gateway("bank")
    assert second is not first
    monkeypatch.setenv("SHOP_FASHION__BANK", SECOND)
    assert bootstrap.gateway("bank") is not second


def test_a_secret_s_file_is_read_again_when_it_has_changed(tmp_path: Path, settings: Any) -> None:
    settings.DECLARED_SECRETS = [f"file:{tmp_path}/*"]
    file = tmp_path / "bank"
    file.write_text(f"{FIRST}\n")
    declare("fashion", accounts=[BANK | {"secret": f"file:{file}"}])
    first = bootstrap.gateway("bank")
    assert bootstrap.gateway("bank") is first
    file.write_text(f"{SECOND}\n")
    os.utime(file, ns=(1, 1))
    assert bootstrap.gateway("bank") is not first
    file.unlink()
    assert isinstance(bootstrap.gateway("bank"), UnconfiguredGateway)


def test_a_missing_secret_is_told_by_its_reference_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_FASHION__BANK")
    row = declare("fashion", accounts=[BANK])
    assert said(row, "SecretsFound") == ("False", "Missing")
    assert said(row, "Ready")[0] == "False"
    assert "env:SHOP_FASHION__BANK is not set" in str(row.conditions)
    served("fashion")
    reply = bootstrap.gateway("bank").look_up("pay", "RF-1-1", budget=Budget(1, monotonic=time.monotonic))
    assert isinstance(reply, NotSent) and "env:SHOP_FASHION__BANK" in reply.reason
    monkeypatch.setenv("SHOP_FASHION__BANK", SECOND)
    row = look("fashion")
    assert said(row, "SecretsFound") == ("True", "Found")
    assert SECOND not in str(row.conditions)
    assert isinstance(bootstrap.gateway("bank"), HttpGateway)


@pytest.mark.parametrize(
    "reference",
    [
        "env:SECRET_KEY",
        "env:DATABASE_URL",
        "env:SHOP_ELM__BANK",
        "env:SHOP_FASHION_BANK",
        "file:/etc/passwd",
        "file:/run/secrets/elm/bank",
        "file:/run/secrets/fashion/../elm/bank",
        "file:/run/secrets/../../etc/passwd",
    ],
)
def test_secrets_of_the_installation_and_of_other_shops_are_none_a_manifest_may_refer_to(reference: str) -> None:
    row = declare("fashion", accounts=[BANK | {"secret": reference}])
    assert said(row, "SecretsFound") == ("False", "Missing")
    assert "none that this channel may refer to" in str(row.conditions)
    served("fashion")
    assert isinstance(bootstrap.gateway("bank"), UnconfiguredGateway)


def test_the_secret_of_a_webhook_is_looked_for_by_the_same_rule() -> None:
    hook = {"url": "https://shop.example/hooks", "secret": "env:SECRET_KEY"}
    assert said(declare("fashion", webhooks=[hook]), "SecretsFound") == ("False", "Missing")
    assert said(declare("fashion", webhooks=[hook | {"secret": "env:SHOP_FASHION__BANK"}]), "SecretsFound") == (
        "True",
        "Found",
    )


def test_without_references_there_is_nothing_to_find() -> None:
    row = declare("fashion", accounts=[{"name": "cash", "adapter": "manual"}])
    assert "SecretsFound" not in [condition["type"] for condition in row.conditions]
    served("fashion")
    assert "cash" in hand_accounts()


def test_orders_are_paid_at_their_own_channel_s_accounts_alone(fashion: Channel, api_of: MakeApi) -> None:
    paid = ORDER | {"payments": [{"gateway": "bank", "reference": "b-1", "captured_minor": 3000}]}
    assert api_of(Role.SHOP, fashion)("PUT", "orders/1", paid).status_code == 201
    elsewhere = ORDER | {"payments": [{"gateway": "bank", "reference": "b-2", "captured_minor": 3000}]}
    refused(api_of(Role.SHOP)("PUT", "orders/1", elsewhere), 422, "unknown_account", "payments[0].gateway")


def test_its_webhooks_are_taken_with_its_secret(fashion: Channel, client: Client) -> None:
    [refund] = request(make_order(channel=fashion, account="bank")).refunds
    body = an_event_told(an_event(f"{refund.number}-1"))

    def told(account: str, secret: str) -> int:
        headers = sign(secret, body, message_id="msg_1", now=time.time())
        path = f"/api/v1/webhooks/{account}"
        return client.post(path, body, content_type="application/json", headers=headers).status_code

    assert told("bank", SECOND) == 401
    assert told("tank", FIRST) == 404
    assert told("bank", FIRST) == 204


def test_the_rows_are_read_at_most_once_in_a_while_and_never_by_a_thread_without_a_connection(
    fashion: Channel, settings: Any
) -> None:
    settings.DECLARED_ACCOUNTS_SECONDS = 3600.0
    declared_accounts.forget()
    with CaptureQueriesContext(connection) as asked:
        for _ in range(5):
            assert "bank" in bootstrap.accounts()
            bootstrap.gateway("bank")
    assert len(asked) == 1


@pytest.mark.parametrize("secret", ["no base64!", "first"])
def test_one_whose_secret_cannot_be_used_sends_nothing_and_stops_nobody_else(
    fashion: Channel, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("SHOP_FASHION__BANK", secret)
    reply = bootstrap.gateway("bank").look_up("pay", "RF-1-1", budget=Budget(1, monotonic=time.monotonic))
    assert isinstance(reply, NotSent) and "cannot be used" in reply.reason and secret not in reply.reason
