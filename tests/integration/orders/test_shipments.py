"""Parcels: what may be shipped, what refunds hold, and what the carrier says in which order."""

from datetime import timedelta
from typing import Any

import pytest

from orders import clock
from orders.models import Order, OrderLine, Shipment
from orders.roles import SYSTEM, Role
from orders.services.lines import Sku
from refunds.models import Refund, RefundLine
from refunds.services.requests import LineWish, RefundWish, Requested, request_refunds
from tests.integration.orders.conftest import ORDER, Api, MakeApi


@pytest.fixture
def placed(shop: Api) -> Order:
    assert shop("PUT", "orders/1", ORDER).status_code == 201
    return Order.objects.get()


def ship(shop: Api, **body: Any) -> Any:
    return shop("POST", "orders/1/shipments", body)


def hold(order: Order, sku: str, quantity: int) -> Refund:
    wish = RefundWish(order.channel_id, order.number, SYSTEM, (LineWish(Sku(sku), quantity, "lines[0]"),))
    [asked] = request_refunds([wish])
    assert isinstance(asked, Requested)
    return asked.refunds[0]


def units(sku: str, quantity: int) -> list[dict[str, Any]]:
    return [{"sku": sku, "quantity": quantity}]


def test_an_order_ships_part_by_part_until_it_is_delivered(shop: Api, placed: Order) -> None:
    first = ship(shop, lines=units("MUG", 1), carrier="DHL", tracking_number="JD1")
    assert first.status_code == 201, first.content
    assert shop("GET", "orders/1").json()["state"] == "partially_shipped"
    second = ship(shop)
    assert shop("GET", "orders/1").json()["state"] == "shipped"
    for parcel in (first, second):
        told = shop("POST", f"orders/1/shipments/{parcel.json()['id']}/delivered")
        assert (told.status_code, told.json()["applied"], told.json()["state"]) == (200, True, "delivered")
    whole = shop("GET", "orders/1").json()
    assert whole["state"] == "delivered"
    assert [(line["shipped"], line["delivered"]) for line in whole["lines"]] == [(2, 2), (1, 1)]
    assert {line["refundable"]["route"] for line in whole["lines"]} == {"pickup"}
    assert ship(shop).json()["code"] == "not_shippable"


def test_the_same_reference_answers_the_same_shipment(shop: Api, placed: Order) -> None:
    first = ship(shop, lines=units("MUG", 1), reference="P-1")
    again = ship(shop, lines=units("MUG", 1), reference="P-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert OrderLine.objects.get(line_id="MUG").shipped == 1


def test_a_held_unit_is_not_shipped_and_the_refund_that_holds_it_is_named(shop: Api, placed: Order) -> None:
    refund = hold(placed, "MUG", 1)
    refused = ship(shop, lines=units("MUG", 2))
    assert (refused.status_code, refused.json()["code"]) == (409, "unit_held")
    assert refused.json()["held"] == [{"refund": refund.number, "quantity": 1}]
    assert refused.json()["shippable"] == 1
    too_many = ship(shop, lines=units("MUG", 3))
    assert (too_many.status_code, too_many.json()["code"]) == (409, "not_shippable")
    assert not Shipment.objects.exists()
    assert ship(shop).status_code == 201
    assert [line["shipped"] for line in shop("GET", "orders/1").json()["lines"]] == [1, 1]


def test_a_whole_order_that_is_held_is_not_shipped_and_its_refunds_are_named(shop: Api, placed: Order) -> None:
    mugs, tea = hold(placed, "MUG", 2), hold(placed, "TEA", 1)
    for body in ({}, {"left": True}):
        refused = ship(shop, **body)
        assert (refused.status_code, refused.json()["code"], refused.json()["shippable"]) == (409, "unit_held", 0)
        assert refused.json()["held"] == [
            {"refund": mugs.number, "quantity": 2},
            {"refund": tea.number, "quantity": 1},
        ]
    assert not Shipment.objects.exists()


def test_what_left_all_the_same_stays_with_its_refund_in_another_place(shop: Api, placed: Order) -> None:
    refund = hold(placed, "MUG", 2)
    left = ship(shop, lines=units("MUG", 1), left=True)
    assert left.status_code == 201, left.content
    line = OrderLine.objects.get(line_id="MUG")
    assert (line.shipped, line.withheld, line.held) == (1, 1, 2)
    places = RefundLine.objects.filter(refund=refund).order_by("id").values_list("shipment_id", "quantity")
    assert sorted(places, key=str) == sorted([(None, 1), (left.json()["id"], 1)], key=str)
    amounts = RefundLine.objects.filter(refund=refund).values_list("amount_minor", flat=True)
    assert sum(amounts) == 2000
    assert ship(shop, lines=units("MUG", 1), left=True).status_code == 201
    line.refresh_from_db()
    assert (line.shipped, line.withheld, line.held) == (2, 0, 2)
    assert ship(shop, lines=units("MUG", 1), left=True).json()["code"] == "not_shippable"


def test_a_carriers_older_word_does_not_undo_a_newer_one(shop: Api, placed: Order) -> None:
    parcel = ship(shop).json()["id"]
    now = clock.now()

    def told(fact: str, hours_ago: int) -> Any:
        at = (now - timedelta(hours=hours_ago)).isoformat()
        return shop("POST", f"orders/1/shipments/{parcel}/{fact}", {"occurred_at": at}).json()

    assert told("refused", 5)["applied"] is True
    assert told("lost", 6)["applied"] is False
    assert told("returning", 4)["state"] == "returning"
    assert told("delivered", 4 + 24)["state"] == "returning"
    assert told("returned", 2)["state"] == "returned"
    wrong = shop("POST", f"orders/1/shipments/{parcel}/delivered")
    assert (wrong.status_code, wrong.json()["code"]) == (409, "wrong_parcel_state")
    assert not OrderLine.objects.filter(delivered__gt=0).exists()


def test_a_parcel_may_be_stated_as_delivered_from_the_start(shop: Api, placed: Order) -> None:
    at = (clock.now() - timedelta(days=1)).isoformat()
    parcel = ship(shop, delivered_at=at).json()
    assert parcel["state"] == "delivered"
    assert parcel["shipped_at"] <= parcel["delivered_at"]
    assert shop("GET", "orders/1").json()["state"] == "delivered"


def test_a_parcel_of_another_order_is_not_found(shop: Api, placed: Order) -> None:
    body = ORDER | {"payments": []}
    shop("PUT", "orders/2", body)
    parcel = ship(shop).json()["id"]
    assert shop("POST", f"orders/2/shipments/{parcel}/delivered").status_code == 404


@pytest.mark.parametrize(("role", "status"), [(Role.WAREHOUSE, 201), (Role.SUPPORT, 403), (Role.AUDITOR, 403)])
def test_who_may_ship(api_of: MakeApi, placed: Order, role: Role, status: int) -> None:
    assert ship(api_of(role)).status_code == status
    assert Shipment.objects.count() == (status == 201)


def test_a_lines_id_is_never_taken_for_anothers_sku(shop: Api) -> None:
    mug = ORDER["lines"][0]
    crossed = [mug | {"id": "A", "sku": "B"}, mug | {"id": "B", "sku": "A"}]
    shop("PUT", "orders/1", ORDER | {"lines": crossed, "shipping_minor": 0, "payments": []})
    for name, line_id in (({"id": "A"}, "A"), ({"sku": "A"}, "B")):
        shipped = ship(shop, lines=[name | {"quantity": 1}])
        assert shipped.status_code == 201, shipped.content
        assert shop("GET", "orders/1").json()["shipments"][-1]["lines"] == [{"id": line_id, "quantity": 1}]
    for name in ({"id": "MUG"}, {"sku": "MUG"}):
        assert ship(shop, lines=[name | {"quantity": 1}]).json()["code"] == "unknown_line"


def test_a_line_that_was_removed_cannot_be_named(shop: Api) -> None:
    mug, tea = ORDER["lines"]
    shop("PUT", "orders/1", ORDER)
    shop("PUT", "orders/1", ORDER | {"lines": [mug | {"id": "new"}, tea]})
    for name in ({"id": "MUG"}, {"sku": "MUG"}):
        wish = {"lines": [name | {"quantity": 1}]}
        expected = "new" if "sku" in name else None
        shown = shop("POST", "orders/1/refunds/preview", wish).json()
        assert expected == (shown["refunds"][0]["lines"][0]["id"] if "refunds" in shown else None), shown
        shipped = ship(shop, **wish)
        assert shipped.status_code == (201 if expected else 422), shipped.content


def test_several_lines_of_one_sku_are_named_by_id(shop: Api) -> None:
    mug = ORDER["lines"][0]
    shop("PUT", "orders/1", ORDER | {"lines": [mug | {"id": "a"}, mug | {"id": "b"}]})
    refused = ship(shop, lines=units("MUG", 1))
    assert (refused.status_code, refused.json()["code"]) == (422, "ambiguous_sku")
    assert ship(shop, lines=[{"id": "b", "quantity": 2}]).status_code == 201
    assert OrderLine.objects.get(line_id="b").shipped == 2
