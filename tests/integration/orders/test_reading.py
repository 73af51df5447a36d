"""GET of an order: what is still refundable and why not, in a constant number of queries; links; the schema."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders.errors import NotFound
from orders.links import read_link
from orders.models import Order, Payment
from orders.roles import SYSTEM
from orders.services.lines import Sku
from refunds import records
from refunds.models import Refund
from refunds.services.requests import LineWish, RefundWish, request_refunds
from tests.databases import database_url
from tests.integration.orders.conftest import ORDER, Api

pytestmark = pytest.mark.django_db


def refund(order: Order, sku: str, quantity: int) -> str:
    wish = RefundWish(order.channel_id, order.number, SYSTEM, (LineWish(Sku(sku), quantity, "lines[0]"),))
    [asked] = request_refunds([wish])
    return asked.refunds[0].number


def test_what_is_left_is_told_per_line_with_its_route_and_the_reason_when_nothing_is(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER)
    number = refund(Order.objects.get(), "TEA", 1)
    shop("POST", "orders/1/shipments", {"lines": [{"sku": "MUG", "quantity": 1}]})
    whole = shop("GET", "orders/1").json()
    mug, tea = (line["refundable"] for line in whole["lines"])
    assert mug == {
        "quantity": 2,
        "amount_minor": 2000,
        "route": "instant",
        "routes": [{"route": "instant", "quantity": 1}, {"route": "intercept", "quantity": 1}],
        "why_not": None,
        "until": None,
        "excluded_by": None,
        "limited": [],
    }
    assert (tea["quantity"], tea["amount_minor"], tea["route"]) == (0, 0, None)
    assert (tea["why_not"]["code"], tea["why_not"]["refunds"]) == ("in_refund", [number])
    assert whole["refund_state"] == "refund_requested"
    assert [one["number"] for one in whole["refunds"]] == [number]
    assert whole["refundable"] == {"amount_minor": 2500, "shipping_minor": 500, "why_not": None}
    assert whole["payments"][0]["reserved_minor"] == 500
    assert whole["payments"][0]["free_minor"] == 2500
    assert whole["shipments"][0]["lines"] == [{"id": "MUG", "quantity": 1}]


def test_the_etag_moves_with_whatever_can_be_seen_and_with_nothing_else(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER)
    order = Order.objects.get()
    number = refund(order, "TEA", 1)
    seen = [shop("GET", "orders/1").headers["ETag"]]
    assert shop("GET", "orders/1").headers["ETag"] == seen[0]
    shop("POST", "orders/1/shipments", {})
    seen.append(shop("GET", "orders/1").headers["ETag"])
    Refund.objects.filter(number=number).update(state="refunding")
    seen.append(shop("GET", "orders/1").headers["ETag"])
    Payment.objects.update(authorized_minor=9000)
    seen.append(shop("GET", "orders/1").headers["ETag"])
    assert len(set(seen)) == 4


def captured(amount_minor: int, **changes: Any) -> dict[str, Any]:
    return ORDER | {"payments": [ORDER["payments"][0] | {"captured_minor": amount_minor}]} | changes


@pytest.mark.parametrize("body", [captured(3000), captured(2999), captured(1999), captured(1000), captured(999)])
@pytest.mark.parametrize("lines", [ORDER["lines"], ORDER["lines"][:1]], ids=["two lines", "one line"])
def test_what_it_says_can_be_refunded_is_what_a_request_gets(shop: Api, body: dict[str, Any], lines: list) -> None:
    shop("PUT", "orders/1", body | {"lines": lines})
    whole = shop("GET", "orders/1").json()
    for line in whole["lines"]:
        can, bought = line["refundable"], line["quantity"]
        for quantity in range(1, bought + 1):
            wish = {"lines": [{"id": line["id"], "quantity": quantity}]}
            shown = shop("POST", "orders/1/refunds/preview", wish)
            assert (shown.status_code == 200) == (quantity <= can["quantity"]), shown.content
        assert sum(one["quantity"] for one in can["routes"]) == can["quantity"]
        assert (can["why_not"] is None) == (can["quantity"] > 0)
    everything = shop("POST", "orders/1/refunds/preview", {"lines": "all"})
    reason = whole["refundable"]["why_not"]
    assert (reason and reason["code"]) == everything.json().get("code")
    if everything.status_code == 200:
        assert everything.json()["total_minor"] == whole["refundable"]["amount_minor"]


def test_what_was_never_captured_cannot_be_refunded_and_says_so(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER | {"payments": []})
    whole = shop("GET", "orders/1").json()
    assert whole["refundable"]["why_not"]["code"] == "not_captured"
    assert (whole["refundable"]["amount_minor"], whole["refundable"]["shipping_minor"]) == (0, 0)
    for line in whole["lines"]:
        told = line["refundable"]
        assert (told["quantity"], told["amount_minor"], told["why_not"]["code"]) == (0, 0, "not_captured")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("call", "table"),
    [
        (("GET", "orders/1"), "orders_shipmentline"),
        (("POST", "orders/1/refunds/preview", {"lines": "all"}), "orders_shipmentline"),
        (("GET", "refunds/{number}"), "refunds_gatewayrefund"),
        (("GET", "refunds"), "refunds_gatewayrefund"),
    ],
)
def test_what_is_read_is_of_one_moment(shop: Api, call: tuple, table: str) -> None:
    shop("PUT", "orders/1", ORDER)
    number = refund(Order.objects.get(), "TEA", 1)
    shop("POST", "orders/1/shipments", {"lines": [{"sku": "MUG", "quantity": 1}]})
    method, path, *body = call
    path = path.format(number=number)
    before, changed = shop(method, path, *body), []

    def change(execute: Any, sql: str, *rest: Any) -> Any:
        if table in sql and not changed:
            changed.append(sql)
            with psycopg.connect(database_url(connection.settings_dict["NAME"]), autocommit=True) as other:
                other.execute("DELETE FROM orders_shipmentline")
                other.execute("UPDATE refunds_gatewayrefund SET failure_code = 'meanwhile', amount_minor = 1")
        return execute(sql, *rest)

    with connection.execute_wrapper(change):
        torn = shop(method, path, *body)
    assert changed and torn.json() == before.json()
    assert shop(method, path, *body).json() != before.json()


def order_of(lines: int) -> dict[str, Any]:
    stated = [{"sku": f"S{n}", "name": "Thing", "quantity": 2, "unit_price_minor": 100} for n in range(lines)]
    return ORDER | {"lines": stated}


def paid(reference: str) -> dict[str, Any]:
    return {"payments": [{"gateway": "sandbox", "reference": reference, "captured_minor": 20_000}]}


def statements(shop: Api, *call: Any) -> int:
    counted: list[str] = []

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        counted.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(count), records.counted() as set_based:
        assert shop(*call).status_code < 300
    return len(counted) + len(set_based)


def test_every_call_takes_as_many_statements_for_many_lines_as_for_few(shop: Api) -> None:
    counts = []
    for number, lines in (("few", 2), ("many", 60)):
        half = [{"sku": f"S{n}", "quantity": 1} for n in range(lines)]
        put = statements(shop, "PUT", f"orders/{number}", order_of(lines) | paid(number))
        ship = statements(shop, "POST", f"orders/{number}/shipments", {"lines": half})
        refund(Order.objects.get(number=number), "S1", 1)
        get = statements(shop, "GET", f"orders/{number}")
        counts.append((put, ship, get))
    assert counts[0] == counts[1]
    assert all(count <= most for count, most in zip(counts[0], (17, 22, 13), strict=True)), counts


def test_a_key_is_looked_up_in_one_query(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER)
    with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
        shop("GET", "orders/1")
    asked = [*(query["sql"] for query in by_django), *by_records]
    with_key = [sql for sql in asked if "orders_apikey" in sql or "orders_principal" in sql]
    assert len(with_key) == 1


def test_a_link_is_bound_to_its_order_and_purpose_and_runs_out(shop: Api) -> None:
    shop("PUT", "orders/1", ORDER)
    asked = {"purpose": "refund", "expires_in": 60, "return_url": "https://shop.test/orders/1?x=1"}
    made = shop("POST", "orders/1/links", asked)
    assert made.status_code == 201, made.content
    token = made.json()["token"]
    assert made.json()["url"].endswith(token)
    link = read_link(token, purpose="refund")
    assert (link.order_id, link.return_url) == (Order.objects.get().pk, asked["return_url"])
    forged = token[:-1] + ("A" if token[-1] != "A" else "B")
    for shown, purpose in ((token, "order"), (forged, "refund"), ("", "refund")):
        with pytest.raises(NotFound):
            read_link(shown, purpose=purpose)
    shift_clock(timedelta(seconds=61))
    with pytest.raises(NotFound):
        read_link(token, purpose="refund")


def shift_clock(shift: timedelta) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO refundry_clock_offset (shift) VALUES (%s)", [shift])


def test_the_api_can_be_read_as_a_page_and_by_machines(client: Client) -> None:
    page = client.get("/api/v1/docs")
    assert page.status_code == 200
    text = page.content.decode()
    assert "/api/v1/orders/{number}/shipments" in text and "unit_price_minor" in text
    assert "<script" not in text and "//cdn" not in text
    schema = client.get("/api/v1/schema").json()
    assert schema["openapi"].startswith("3.")
    calls = ("", "/shipments", "/shipments/{shipment_id}/{fact}", "/links")
    assert {f"/api/v1/orders/{{number}}{call}" for call in calls} <= schema["paths"].keys()
