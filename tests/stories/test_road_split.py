"""What is in several places: one request, a refund for each road, and the order is refunded when all have ended."""

from collections.abc import Mapping

import pytest

from tests.stories.road import MUG, Parcel, Road, ship
from tests.stories.shop import Shop, ShopOrder, expect
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]


def test_half_shipped_is_two_refunds_and_the_order_waits_for_both(shop: Shop):
    order = shop.place_order(quantity=3)
    parcel = ship(order, 1)
    roads = roads_of(order)
    assert units(roads) == {"instant": 2, "intercept": 1}
    roads["instant"].ends("refunded")
    assert paid_by(order, order.payment, roads) == {"instant": 2000, "intercept": 0}
    assert order.look()["refund_state"] == "refund_requested"
    brought_back(roads["intercept"], parcel)
    assert paid_by(order, order.payment, roads) == {"instant": 2000, "intercept": 1000}
    assert order.look()["refund_state"] == "refunded"
    assert roads["instant"].mails() == ["refunded_at_once"]
    assert roads["intercept"].mails() == ["received", "approved", "refunded"]


def test_a_line_in_three_places_ends_exactly_at_what_was_paid(shop: Shop):
    """Five for 49.99 less 7.77, 4.90 for the way, paid by card and voucher: nothing of it divides."""
    order = shop.new_order(quantity=5)
    paid = {order.payment: 2900, f"voucher-{order.number}": 1812}
    line = {"sku": MUG, "name": "Mug", "quantity": 5, "line_total_minor": 4999, "tax_minor": 674}
    way = {"shipping_minor": 490, "shipping_tax_minor": 78}
    payments = [{"gateway": "sandbox", "reference": ref, "captured_minor": amount} for ref, amount in paid.items()]
    discounts = [{"label": "Spring", "amount_minor": 777}]
    expect(order.put(lines=[line], discounts=discounts, payments=payments, total_minor=4712, **way), 201)
    there, coming = ship(order, 1), ship(order, 2)
    there.delivered()

    roads = roads_of(order)
    assert units(roads) == {"instant": 2, "intercept": 2, "pickup": 1}
    roads["instant"].ends("refunded")
    fetched_home(roads["pickup"])
    assert order.look()["refund_state"] == "refund_requested"
    brought_back(roads["intercept"], coming)
    assert order.look()["refund_state"] == "refunded"
    for reference, amount in paid.items():
        moved = paid_by(order, reference, roads)
        assert sum(moved.values()) == amount and min(moved.values()) > 0
    sheets = [road.case.look()["sheet"] for road in roads.values()]
    assert sum(sheet["total_minor"] for sheet in sheets) == 4712
    assert sum(sheet["tax_minor"] for sheet in sheets) == 674 + 78
    assert sum(sheet["shipping_minor"] for sheet in sheets) == 490


def roads_of(order: ShopOrder) -> dict[str, Road]:
    """The refunds of one request by their routes."""
    roads = {route: Road(case) for route, case in order.request_refunds().items()}
    assert len({road.case.look()["metadata"]["request"] for road in roads.values()}) == 1
    return roads


def units(roads: Mapping[str, Road]) -> dict[str, int]:
    return {route: sum(line["quantity"] for line in road.lines()) for route, road in roads.items()}


def paid_by(order: ShopOrder, reference: str, roads: Mapping[str, Road]) -> dict[str, int]:
    """What the gateway has paid back of one payment, by the road it was paid for; nothing for anything else."""
    moved = {paid["number"]: paid for paid in order.shop.gateway("GET", f"/ledger?reference={reference}")["refunds"]}
    ours = {route: [moved.pop(number, None) for number in road.movements()] for route, road in roads.items()}
    assert not moved and all(paid["status"] == "succeeded" for numbers in ours.values() for paid in numbers if paid)
    return {route: sum(paid["amount_minor"] for paid in numbers if paid) for route, numbers in ours.items()}


def brought_back(road: Road, parcel: Parcel) -> None:
    road.approved("intercept")
    eventually(road.trail, lambda trail: "intercept.accepted" in trail)
    parcel.told("returned")
    road.ends("refunded")


def fetched_home(road: Road) -> None:
    road.approved("pickup")
    road.fetched()
    road.inspected(accepted=1)
    road.ends("refunded")
