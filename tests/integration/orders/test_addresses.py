"""Addresses, methods and hosts that are none: whatever is asked for below /api, the answer is a problem."""

import pytest
from django.test import Client

from tests.integration.orders.conftest import CALLS, Api, refused, stored


@pytest.mark.parametrize("number", ["%00", "a%00b", "%ED%A0%80", "%FF", "x" * 65, "x" * 5000, "%0A", "%20", "%20x"])
def test_odd_numbers_in_addresses(shop: Api, parcel: int, number: str) -> None:
    before = stored()
    for method, path, body in [*CALLS.values(), ("GET", "orders/1", None)]:
        response = shop(method, path.format(shipment=parcel).replace("orders/1", f"orders/{number}"), body)
        assert response.status_code in (404, 422) or (method == "PUT" and number in ("%ED%A0%80", "%FF"))
    for shipment in ("0", "-1", "1e3", "x", "9" * 30, "%00", str(2**63)):
        refused(shop("POST", f"orders/1/shipments/{shipment}/delivered"), 404, "not_found")
    refused(shop("POST", f"orders/1/shipments/{parcel}/vanished"), 404, "not_found")
    assert stored()[3] == before[3]


def test_methods_and_addresses_that_are_none(shop: Api, parcel: int) -> None:
    for method, path in [("DELETE", "orders/1"), ("GET", "orders/1/links"), ("OPTIONS", "orders/1")]:
        response = shop(method, path)
        refused(response, 405, "method_not_allowed")
        assert response.headers["Allow"]
    for path in ("", "orders", "orders/1/", "orders/1/what", "%00", "x" * 3000):
        refused(shop("GET", path), 404, "not_found")


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "NONSENSE")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/orders/1/", "/api/v1/refund", "/api/v2/x", "/x"])
def test_every_method_on_an_address_that_is_none_is_a_problem(db: None, method: str, path: str) -> None:
    response = Client(enforce_csrf_checks=True).generic(method, path, b'{"a": 1}', content_type="application/json")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "application/problem+json")


ODD = [
    "/api%0a",
    "/api/%00",
    "/api/%0a",
    "/api//v1/orders/1",
    "/api/../r/",
    "/api/v1/..",
    "/api/v1//orders/1",
    "/api/v1/%ed%a0%80",
    "/api/v1/orders/a%2Fb",
    "/api/v1/orders/%2e%2e",
    "/api/v1/orders/1//refunds",
    "/api/v1/orders/1;x=1/y",
    "/api/v1/orders/%ff/x",
    "/api/v1/orders/%3Cscript%3E/x",
    "/api/v1/orders/1/shipments/%2F/delivered",
    "/api/v1/refunds/RF-1/nothing",
    "/api/v1/refunds/%E2%80%AE",
    "/api/v1/webhooks/..%2f",
    "/api/v1/webhooks/%2e%2e",
    "/api/v1/" + "x" * 3000,
]


@pytest.mark.parametrize("path", ODD, ids=lambda path: path[:40])
@pytest.mark.parametrize("sender", ["a program", "a browser's form"])
def test_every_method_on_an_odd_address_below_the_api_is_a_problem(db: None, path: str, sender: str) -> None:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.cookies["sessionid"] = "x" * 32
    body, kind, accept = b'{"a": 1}', "application/json", "application/json"
    if sender == "a browser's form":
        body, kind, accept = b"a=1", "application/x-www-form-urlencoded", "text/html"
    for method in METHODS:
        response = client.generic(method, path, body, content_type=kind, headers={"Accept": accept})
        assert response.headers["Content-Type"] == "application/problem+json", (method, response.content)
        assert 400 <= response.status_code < 500, (method, response.status_code)


@pytest.mark.parametrize("method", METHODS[2:])
@pytest.mark.parametrize("path", ["openapi.json", "schema", "docs", "orders/1/refunds/preview", "refunds", "events"])
def test_a_method_that_an_address_does_not_have_is_a_problem(shop: Api, method: str, path: str) -> None:
    if (method, path) == ("POST", "orders/1/refunds/preview"):
        method = "GET"
    response = shop(method, path)
    refused(response, 405, "method_not_allowed")
    assert response.headers["Allow"]


@pytest.mark.parametrize("path", ["/api/v1/orders/1", "/api/v1/nothing", "/healthz"])
def test_a_wrong_host_is_a_problem(db: None, path: str) -> None:
    refused(Client().get(path, headers={"Host": "elsewhere.example"}), 400, "unknown_host")
    refused(Client().post(path, headers={"Host": "bad host"}), 400, "unknown_host")


def test_a_query_of_too_many_fields_is_a_problem(shop: Api) -> None:
    refused(shop("GET", "orders/1?" + "&".join(f"a{n}=1" for n in range(1001))), 400, "bad_request")
