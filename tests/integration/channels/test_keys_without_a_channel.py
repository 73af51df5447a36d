"""A key whose channel is gone, or that never had one, finds nothing at any door; it is not blamed for what it sent."""

import pytest

from orders.models import Channel, Principal
from orders.registry import Registry
from orders.roles import Role
from orders.services.keys import make_key
from tests.integration.channels.manifests import declare, look_at_what_goes, remove, served
from tests.integration.orders.conftest import ORDER, Api, MakeApi, refused
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db
LINES = {"lines": [{"sku": "MUG", "quantity": 1}]}
#: Every GET of the served schema, with what the path asks for.
READS = {
    "/api/v1/apis": "200",
    "/api/v1/apis/{kind}": "list",
    "/api/v1/apis/{kind}/{name}": "one",
    "/api/v1/apis/{kind}/{name}/history": "one",
    "/api/v1/books/closes": "one",
    "/api/v1/books/entries?from=2026-01-01&to=2026-01-02": "empty",
    "/api/v1/books/report": "list",
    "/api/v1/events": "list",
    "/api/v1/incidents": "list",
    "/api/v1/orders/{number}": "one",
    "/api/v1/people": "list",
    "/api/v1/refunds": "list",
    "/api/v1/refunds/{number}": "one",
    "/api/v1/refunds/{number}/credit-note": "one",
    "/api/v1/refunds/{number}/events": "one",
    "/api/v1/refunds/{number}/evidence": "one",
    "/api/v1/refunds/{number}/evidence/{position}": "one",
    "/api/v1/refunds/{number}/pickup-slots": "one",
    "/api/v1/store-credit?email=ada@example.test": "one",
    "/api/v1/webhook-deliveries": "list",
}
NAMES = {"kind": "channel", "name": "fashion", "position": "1"}


def gone(api_of: MakeApi, role: Role) -> tuple[Api, str]:
    """A key of a channel that is gone, and the number of a refund that it had there."""
    declare("fashion")
    api = api_of(role, served("fashion"))
    case = rows.Case(served("fashion"), state="refunded")
    remove("fashion")
    assert look_at_what_goes("fashion")
    assert api("GET", f"orders/{case.order.number}").status_code == 404
    return api, case.refund.number


@pytest.mark.parametrize("role", [Role.SHOP, Role.SUPERVISOR, Role.FINANCE])
def test_every_read_finds_nothing(api_of: MakeApi, channels: Registry, role: Role) -> None:
    api, refund = gone(api_of, role)
    assert {path.partition("?")[0] for path in READS} == _reads_of(api)
    for path, what in READS.items():
        number = "1" if "/orders/" in path else refund
        found = api("GET", path.removeprefix("/api/v1/").format(number=number, **NAMES))
        if found.status_code == 403:  # as to every key of this role
            assert path not in ("/api/v1/orders/{number}", "/api/v1/refunds/{number}", "/api/v1/events"), path
        elif what == "one":
            assert (found.status_code, found.headers["Content-Type"]) == (404, "application/problem+json"), path
        else:
            assert found.status_code == 200, (path, found.content)
            assert what != "list" or not found.json().get("items"), (path, found.json())


def _reads_of(api: Api) -> set[str]:
    return {path for path, calls in api("GET", "schema").json()["paths"].items() if "get" in calls}


def test_a_write_is_told_that_there_is_no_channel(api_of: MakeApi, channels: Registry) -> None:
    api, _ = gone(api_of, Role.SHOP)
    for method, path, body in (
        ("PUT", "orders/1", ORDER),
        ("POST", "orders/1/refunds", LINES),
        ("POST", "orders/1/refunds/preview", LINES),
        ("POST", "orders/1/links", {"purpose": "order"}),
        ("POST", "refunds:batch", {"refunds": [LINES | {"order": "1"}]}),
    ):
        refused(api(method, path, body), 404, "not_found")


def test_a_key_that_was_given_no_channel_is_told_the_same_before_the_channels_are_loaded(
    db: None, channels: Registry
) -> None:
    api = Api(make_key(Principal.objects.create(name="shop", role=Role.SHOP)))
    told = api("GET", "orders/1").json()
    assert (told["status"], told["code"], told["detail"]) == (404, "not_found", "This key has no channel.")
    channels.forget()
    assert api("GET", "orders/1").json() == told


def test_of_two_channels_one_has_to_be_named_until_the_other_is_gone(api_of: MakeApi, channels: Registry) -> None:
    declare("fashion")
    api = api_of(Role.SHOP, served("fashion"), Channel.objects.get(is_default=True))
    assert api("PUT", "orders/1?channel=default", ORDER).status_code == 201
    refused(api("GET", "orders/1"), 422, "channel_required", "channel")
    remove("fashion")
    assert look_at_what_goes("fashion")
    assert api("GET", "orders/1").json()["channel"] == "default"
