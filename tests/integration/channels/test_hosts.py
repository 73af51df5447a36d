"""A channel's own host names and origins, from the registry: no restart, and no setting."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.test import Client

from config.hosts import AllowedHosts
from orders.models import Channel
from orders.registry import Registry
from refunds.models import Notification
from tests.factories import make_order
from tests.integration.channels.manifests import declare, served
from tests.integration.pages.conftest import Customer

pytestmark = pytest.mark.django_db
ADA = "ada@example.org"


@pytest.fixture(autouse=True)
def allowed(settings: Any, channels: Registry) -> None:
    settings.ALLOWED_HOSTS = AllowedHosts(["testserver"])


@pytest.fixture
def asker(redis_client: redis.Redis) -> Iterator[Client]:
    yield Client(headers={"accept-language": "en"})


def at(host: str) -> dict[str, dict[str, str]]:
    return {"headers": {"Host": host, "accept-language": "en", "accept": "text/html"}}


def test_a_declared_host_name_is_answered_from_its_load_on_and_no_other_is(asker: Client, channels: Registry) -> None:
    assert asker.get("/r/", **at("fashion.example")).status_code == 400
    declare("fashion", hostnames=["fashion.example"])
    served("fashion")
    assert asker.get("/r/", **at("fashion.example:8443")).status_code == 200
    assert asker.get("/r/", **at("testserver")).status_code == 200
    assert asker.get("/r/", **at("sub.fashion.example")).status_code == 400
    declare("fashion", hostnames=["mode.example"])
    served("fashion")
    assert asker.get("/r/", **at("fashion.example")).status_code == 400


@pytest.mark.parametrize("path", ["/r/", "/api/v1/orders/1"])
def test_before_the_first_load_an_unknown_host_may_be_a_channel_s(asker: Client, channels: Registry, path: str) -> None:
    channels.forget()
    answer = asker.get(path, **at("fashion.example"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert asker.get("/r/", **at("testserver")).status_code == 200


def test_at_a_channel_s_host_its_orders_alone_are_looked_up(asker: Client) -> None:
    declare("fashion", hostnames=["fashion.example"])
    theirs = make_order(number="1001", customer_email=ADA, channel=served("fashion"))
    ours = make_order(number="1002", customer_email=ADA)
    known = {"email": ADA}

    def found(number: str, host: str) -> bool:
        return asker.post("/r/", known | {"number": number}, **at(host)).status_code == 303

    assert found(theirs.number, "fashion.example")
    assert not found(ours.number, "fashion.example")
    assert found(theirs.number, "testserver") and found(ours.number, "testserver")


def test_of_two_orders_with_one_number_the_host_s_channel_s_is_meant(asker: Client) -> None:
    declare("fashion", hostnames=["fashion.example"])
    theirs = make_order(number="1001", customer_email=ADA, channel=served("fashion"))
    make_order(number="1001", customer_email=ADA)
    link = asker.post("/r/", {"number": "1001", "email": ADA}, **at("fashion.example")).headers["Location"]
    assert link.startswith("/r/")
    page = asker.get(link, **at("fashion.example"))
    assert page.status_code == 200
    asker.post("/r/new-link", {"number": "1001"}, **at("fashion.example"))
    assert [owed.order_id for owed in Notification.objects.all()] == [theirs.pk]


def test_the_button_answers_the_channel_s_origins_alone_where_it_has_any(redis_client: redis.Redis) -> None:
    order = make_order(channel=Channel.objects.create(slug="fashion", name="F", origins=["https://fashion.example"]))
    customer = Customer(order)
    own = customer.get("/state.json", origin="https://fashion.example")
    assert own.headers["Access-Control-Allow-Origin"] == "https://fashion.example"
    assert "Origin" in own.headers["Vary"]
    for headers in ({"origin": "https://other.example"}, {}, {"origin": "null"}):
        other = customer.get("/state.json", **headers)
        assert "Access-Control-Allow-Origin" not in other.headers
        assert "Origin" in other.headers["Vary"]
        assert other.headers["Cache-Control"] == "no-store"
