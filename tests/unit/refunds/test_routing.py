"""Where units are decides what happens to a refund of them."""

from datetime import UTC, datetime, timedelta

import pytest

from orders.states import Fulfilment, ShipmentState
from refunds.routing import NotEnoughUnits, Reading, Sent, UnitsAt, furthest, route, take
from refunds.states import Goods, Place, Route

ROUTES = [
    # the units are   the goods        the refund goes
    ("unshipped", "return", "instant"),
    ("unshipped", "keep", "instant"),  # nobody keeps what never left
    ("unshipped", "not_received", "instant"),
    ("unshipped", "already_sent", "instant"),
    ("in_transit", "return", "intercept"),
    ("in_transit", "keep", "refund_only"),
    ("in_transit", "not_received", "refund_only"),
    ("in_transit", "already_sent", "intercept"),
    ("delivered", "return", "pickup"),
    ("delivered", "keep", "refund_only"),
    ("delivered", "not_received", "refund_only"),
    ("delivered", "already_sent", "pickup"),  # the customer's own parcel takes the courier's place
]


@pytest.mark.parametrize(("place", "goods", "way"), ROUTES)
def test_the_route_of_goods_that_ship(place: str, goods: str, way: str) -> None:
    assert route(UnitsAt("A", Place(place), 1), Goods(goods)) == Route(way)


@pytest.mark.parametrize("goods", Goods)
@pytest.mark.parametrize("place", Place)
@pytest.mark.parametrize("fulfilment", [Fulfilment.DIGITAL, Fulfilment.NONE])
def test_what_does_not_ship_never_meets_a_courier(fulfilment: Fulfilment, place: Place, goods: Goods) -> None:
    """Situation 24: digital goods, gift cards, services."""
    assert route(UnitsAt("A", place, 1, None, fulfilment), goods) is Route.REFUND_ONLY


def day(n: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n)


@pytest.mark.parametrize("state", ShipmentState)
def test_a_parcel_is_on_its_way_until_it_is_delivered(state: ShipmentState) -> None:
    place = Reading(day(1), 21 * 86_400).place_of(Sent(state, day(0)))
    assert place is (Place.DELIVERED if state is ShipmentState.DELIVERED else Place.IN_TRANSIT)


SILENT = [
    # shipped on day 0, asked to be stopped on   looked at on   counts as
    ("shipped", None, 20.9, "in_transit"),
    ("shipped", None, 21, "delivered"),
    ("shipped", 5, 21, "delivered"),  # the carrier has not agreed to stop it
    ("intercepting", 5, 21, "in_transit"),  # he tries to: from then on
    ("intercepting", 5, 25.9, "in_transit"),
    ("intercepting", 5, 26, "delivered"),
    # A carrier has said where these are.
    ("delivered", None, 1, "delivered"),
    ("returning", None, 99, "in_transit"),
    ("returned", None, 99, "in_transit"),
    ("refused", None, 99, "in_transit"),
    ("lost", None, 99, "in_transit"),
]


@pytest.mark.parametrize(("state", "stopped", "looked", "place"), SILENT)
def test_a_parcel_nobody_reports_on_counts_as_delivered_in_time(
    state: str, stopped: float | None, looked: float, place: str
) -> None:
    """Situation 27."""
    sent = Sent(ShipmentState(state), day(0), None if stopped is None else day(stopped))
    assert Reading(day(looked), 21 * 86_400).place_of(sent) is Place(place)


@pytest.mark.parametrize("state", ShipmentState)
def test_by_the_customers_word_it_has_arrived_unless_a_carrier_says_otherwise(state: ShipmentState) -> None:
    """Situation 27."""
    sent = Sent(state, day(0), day(1), heard_at=day(2))
    counts = (ShipmentState.SHIPPED, ShipmentState.INTERCEPTING, ShipmentState.DELIVERED)
    reading = Reading(day(2), 21 * 86_400)
    assert reading.place_of(sent) is (Place.DELIVERED if state in counts else Place.IN_TRANSIT)
    assert reading.assumed_at(sent) == (day(2) if state in counts[:2] else None)


#: Situation 1: five of one line, two in stock, two on the way in parcel 7, one received with parcel 3.
FIVE = (
    UnitsAt("A", Place.DELIVERED, 1, 3),
    UnitsAt("A", Place.IN_TRANSIT, 2, 7),
    UnitsAt("A", Place.UNSHIPPED, 2),
)
TAKEN = [
    # wanted   reason              unshipped, in transit, delivered
    (1, "changed_mind", (1, 0, 0)),
    (2, "changed_mind", (2, 0, 0)),
    (3, "changed_mind", (2, 1, 0)),
    (5, "changed_mind", (2, 2, 1)),
    (1, "", (1, 0, 0)),
    # The fault lies in the goods: the ones the customer has seen.
    (1, "damaged", (0, 0, 1)),
    (2, "wrong_item", (0, 1, 1)),
    (4, "not_as_described", (1, 2, 1)),
    (5, "defective", (2, 2, 1)),
]


@pytest.mark.parametrize(("wanted", "reason", "expected"), TAKEN)
def test_which_units_a_request_takes(wanted: int, reason: str, expected: tuple[int, int, int]) -> None:
    taken = {u.place: u.quantity for u in take(FIVE, {"A": wanted}, reason_code=reason)}
    assert tuple(taken.get(place, 0) for place in (Place.UNSHIPPED, Place.IN_TRANSIT, Place.DELIVERED)) == expected


def test_units_say_in_which_parcel_they_are() -> None:
    assert [u.shipment_id for u in take(FIVE, {"A": 5}, reason_code="")] == [None, 7, 3]


def test_of_two_parcels_in_one_place_the_earlier_one_is_taken_first() -> None:
    """Situation 2: two parcels for one line."""
    parcels = [UnitsAt("A", Place.IN_TRANSIT, 1, 9), UnitsAt("A", Place.IN_TRANSIT, 1, 4)]
    assert [u.shipment_id for u in take(parcels, {"A": 2}, reason_code="")] == [4, 9]


def test_each_line_is_taken_for_itself() -> None:
    free = [*FIVE, UnitsAt("B", Place.DELIVERED, 4, 3)]
    taken = take(free, {"B": 2, "A": 1}, reason_code="")
    assert [(u.line_id, u.place, u.quantity) for u in taken] == [
        ("B", Place.DELIVERED, 2),
        ("A", Place.UNSHIPPED, 1),
    ]


def test_one_of_three_pieces_may_be_given_back_and_two_are_left() -> None:
    """Public report 62."""
    three = [UnitsAt("A", Place.DELIVERED, 3, 1)]
    assert take(three, {"A": 1}, reason_code="") == (UnitsAt("A", Place.DELIVERED, 1, 1),)


@pytest.mark.parametrize(("line", "wanted", "left"), [("A", 6, 5), ("A", 99, 5), ("B", 1, 0)])
def test_more_than_is_free_is_refused_and_says_what_is_left(line: str, wanted: int, left: int) -> None:
    """Situation 36, public report 34: free units are those no other refund has."""
    with pytest.raises(NotEnoughUnits) as refused:
        take(FIVE, {line: wanted}, reason_code="")
    assert (refused.value.line_id, refused.value.wanted, refused.value.left) == (line, wanted, left)


@pytest.mark.parametrize(
    ("places", "decides"),
    [
        ("unshipped", "unshipped"),
        ("unshipped in_transit", "in_transit"),
        ("delivered unshipped", "delivered"),
        ("in_transit delivered unshipped", "delivered"),
    ],
)
def test_when_units_move_apart_the_furthest_decides(places: str, decides: str) -> None:
    assert furthest(Place(place) for place in places.split()) == Place(decides)
