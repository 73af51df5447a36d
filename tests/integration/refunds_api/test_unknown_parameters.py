"""A misspelt name in a query is refused before anything is done: whoever asks for a dry run must not get a real one."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from orders.models import Channel
from orders.rest.door import Door
from orders.roles import Role
from refunds.models import Manifest, Refund
from refunds.webhooks import Webhooks
from tests.factories import make_order
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db
METHODS = ("get", "post", "put", "patch", "delete")


def _doors(patterns: list[Any]) -> Iterator[type[Door]]:
    for one in patterns:
        if isinstance(one, URLResolver):
            yield from _doors(one.url_patterns)
        elif isinstance(one, URLPattern) and issubclass(view := getattr(one.callback, "view_class", object), Door):
            yield view


def test_every_call_of_ours_says_what_it_takes() -> None:
    """Only what gateways and couriers call is theirs to address."""
    doors = {*_doors(get_resolver().url_patterns)} - {Webhooks}
    methods = [getattr(door, name) for door in doors for name in METHODS if hasattr(door, name)]
    assert len(methods) > 60
    assert [method.__qualname__ for method in methods if not hasattr(method, "query")] == []


@pytest.mark.parametrize(
    "query", ["dryrun=true", "dry_run=true", "Channel=default", "channel[]=default", "=x", "format=csv"]
)
def test_a_refund_is_not_asked_for(query: str) -> None:
    order = make_order(2500)
    shop = Caller(order.channel)
    refused = shop.post(f"/orders/{order.number}/refunds?{query}", {"reason": "changed_mind"})
    assert (refused.status, refused.code) == (422, "unknown_parameter")
    assert "channel" in refused.body["detail"] and refused.body["errors"][0]["field"] == query.partition("=")[0]
    assert not Refund.objects.exists()


@pytest.mark.parametrize("query", ["dryrun=true", "dry-run=true", "dry_run=true&force=1"])
def test_a_manifest_is_neither_written_nor_let_go(query: str) -> None:
    owner = Caller(Channel.objects.get(is_default=True), role=Role.SUPERVISOR)
    body = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "p"}, "spec": {"selector": {}}}
    refused = owner.call("PUT", f"/apis/policy/p?{query}", str(body).replace("'", '"').encode(), {})
    assert refused.code == "unknown_parameter" and not Manifest.objects.exists()
    assert owner.call("DELETE", f"/apis/policy/p?{query}", b"", {}).code == "unknown_parameter"


def test_who_has_no_key_is_told_that_first() -> None:
    nobody = Caller()
    nobody.key = "rk_none"
    assert nobody.get("/refunds?odd=1").status == 401
