"""What the goods mean for a refund: its route, and when a courier is wanted, booked again, or waited for no longer."""

from datetime import datetime, timedelta

import pytest

from orders.states import Fulfilment, ShipmentState
from refunds.calls import CallPhase, CallState
from refunds.goods import (
    GoodsSeen,
    calls_due,
    is_called_off,
    is_handed_over,
    needs_pickup,
    next_times,
    no_show,
    rebooked,
    returning_verb,
    route_now,
)
from refunds.parcels import ParcelView, PickupView, Wants
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.states import Goods, PickupState, Place, Route
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, replace

POLICY = PolicySpec()
HOUR, DAY = 3600.0, 86400.0
IDLE = CallState()
OUT = CallState(CallPhase.SENT, "book", 1, sent_at=FIRST_SENT, answer_due_at=FIRST_SENT + timedelta(seconds=10))
WANTED = Wants(fetch=True, keep=True)


def at(seconds: float) -> datetime:
    return FIRST_SENT + timedelta(seconds=seconds)


def pickup(state: str = "intended", n: int = 1, call: CallState = IDLE, **fields: object) -> PickupView:
    given: dict[str, object] = {"created_at": FIRST_SENT, "can": CAN_BE_ASKED} | fields
    return PickupView(f"RF-1-P{n}", PickupState(state), call, **given)  # type: ignore[arg-type]


def units(*places: str, fulfilment: str = "ship") -> tuple[UnitsAt, ...]:
    return tuple(UnitsAt(f"L{n}", Place(place), 1, None, Fulfilment(fulfilment)) for n, place in enumerate(places))


def goods(*pickups: PickupView, **fields: object) -> GoodsSeen:
    return GoodsSeen(pickups=pickups, **fields)  # type: ignore[arg-type]


ROUTES = [
    # the units are                        the goods       decided before   the route now
    ("unshipped", "return", "instant", "instant"),
    ("unshipped in_transit", "return", "instant", "intercept"),
    ("in_transit delivered", "return", "intercept", "pickup"),
    ("unshipped in_transit delivered", "return", "instant", "pickup"),
    ("in_transit", "not_received", "refund_only", "refund_only"),
    ("delivered", "not_received", "refund_only", "refund_only"),
    ("unshipped", "keep", "refund_only", "instant"),
    # Nothing is left to be paid for: it stays where it was.
    ("", "return", "pickup", "pickup"),
]


@pytest.mark.parametrize(("places", "wanted", "before", "now"), ROUTES)
def test_the_route_is_where_the_furthest_unit_is(places: str, wanted: str, before: str, now: str) -> None:
    seen = GoodsSeen(wanted=Goods(wanted), units=units(*places.split()))
    assert route_now(seen, Route(before)) is Route(now)


def test_what_does_not_ship_stays_off_the_road_wherever_it_is() -> None:
    assert route_now(GoodsSeen(units=units("delivered", fulfilment="digital")), Route.PICKUP) is Route.REFUND_ONLY


NEEDED = [
    # pickups so far                              the goods      way         a new courier is wanted
    ([], "return", "pickup", True),
    ([], "return", "intercept", False),
    ([], "return", "instant", False),
    ([], "already_sent", "pickup", False),
    ([], "keep", "refund_only", False),
    ([pickup()], "return", "pickup", False),
    ([pickup("booked")], "return", "pickup", False),
    ([pickup("missed", missed=1)], "return", "pickup", False),
    ([pickup("refused")], "return", "pickup", False),
    ([pickup("cancelled")], "return", "pickup", True),
    ([pickup("cancelled", call=OUT)], "return", "pickup", False),
    ([pickup("lost")], "return", "pickup", True),
    ([pickup("lost", collected_at=FIRST_SENT)], "return", "pickup", False),
    ([pickup("cancelled", unwanted=True)], "return", "pickup", True),
    ([pickup("cancelled", n) for n in (1, 2, 3)], "return", "pickup", False),
    ([pickup("cancelled", unwanted=True), pickup("booked", 2)], "return", "pickup", False),
]


@pytest.mark.parametrize(("pickups", "wanted", "way", "is_needed"), NEEDED)
def test_when_a_courier_is_wanted(pickups: list[PickupView], wanted: str, way: str, is_needed: bool) -> None:
    assert needs_pickup(goods(*pickups, wanted=Goods(wanted)), Route(way), POLICY) is is_needed


def test_what_the_warehouse_has_needs_no_courier() -> None:
    assert not needs_pickup(goods(received=True), Route.PICKUP, POLICY)


@pytest.mark.parametrize(
    ("pickups", "numbers"),
    [
        ([], ()),
        ([pickup("booked")], ()),
        ([pickup("missed", missed=1)], ("RF-1-P1",)),
        ([pickup("missed", missed=2)], ("RF-1-P1",)),
        ([pickup("missed", missed=3)], ()),
        # While nobody has said what became of a call about it, nothing new is begun.
        ([pickup("missed", missed=1, call=OUT)], ()),
        ([pickup("missed", missed=1), pickup("booked", 2)], ()),
    ],
)
def test_which_visits_are_booked_again(pickups: list[PickupView], numbers: tuple[str, ...]) -> None:
    assert rebooked(goods(*pickups), POLICY) == numbers


@pytest.mark.parametrize("pay_on", ["inspection", "receipt", "collection"])
@pytest.mark.parametrize(
    ("state", "verb"), [("collected", None), ("in_transit", None), ("received", "receive"), ("lost", "return_fails")]
)
def test_what_is_doubted_is_paid_by_nothing_but_a_person(pay_on: str, state: str, verb: str | None) -> None:
    seen = goods(pickup(state, collected_at=FIRST_SENT), doubted=True)
    policy = PolicySpec(pay_on=pay_on)
    assert returning_verb(seen, Route.PICKUP, policy, overdue=False, now=at(DAY)) == verb


@pytest.mark.parametrize(
    ("state", "days", "verb"),
    [
        # Nobody comes: who has a label is late himself, as soon as his time is over.
        ("booked", 15, "expire"),
        ("booked", 13, None),
        # The courier has not made it: he is waited for, then a person looks.
        ("intended", 15, "return_fails"),
        ("collected", 13, None),
    ],
)
def test_who_is_late_with_a_label(state: str, days: int, verb: str | None) -> None:
    handed = at(DAY) if state == "collected" else None
    seen = goods(pickup(state, drop_off=True, collected_at=handed, call=IDLE), wanted=Goods.RETURN)
    overdue = days > 14
    assert returning_verb(seen, Route.PICKUP, POLICY, overdue=overdue, now=at(days * DAY)) == verb
    assert no_show(seen, POLICY, now=at(days * DAY)) == ""


@pytest.mark.parametrize(
    ("state", "collected", "handed_over"),
    [
        ("intended", False, False),
        ("booked", False, False),
        ("missed", False, False),
        ("collected", True, True),
        ("in_transit", True, True),
        ("received", True, True),
        ("lost", True, True),
        ("lost", False, False),
        ("refused", False, False),
    ],
)
def test_when_the_customer_has_done_his_part(state: str, collected: bool, handed_over: bool) -> None:
    seen = goods(pickup(state, collected_at=FIRST_SENT if collected else None))
    assert is_handed_over(seen) is handed_over


@pytest.mark.parametrize(
    ("pickups", "is_off"),
    [
        ([], True),
        ([pickup()], True),
        ([pickup(call=OUT)], False),
        ([pickup("booked")], False),
        ([pickup("collected")], False),
        ([pickup("missed")], True),
        ([pickup("cancelled"), pickup("booked", 2)], False),
        ([pickup("in_transit", by_courier=False)], True),
    ],
)
def test_when_no_courier_can_come_any_more(pickups: list[PickupView], is_off: bool) -> None:
    assert is_called_off(goods(*pickups)) is is_off


def test_the_warehouse_s_word_comes_before_the_courier_s() -> None:
    seen = goods(pickup("missed", missed=3), received=True)
    assert returning_verb(seen, Route.PICKUP, POLICY, overdue=True, now=at(0)) == "receive"


def test_a_parcel_that_is_received_counts_though_another_was_to_be_booked() -> None:
    seen = goods(pickup("received", unwanted=True), pickup("booked", 2))
    assert returning_verb(seen, Route.PICKUP, POLICY, overdue=False, now=at(0)) == "receive"


def test_nobody_is_booked_while_another_courier_may_still_come() -> None:
    """Controller check 43; upstream: TestControllerSyncJob "too many active pods"."""
    for first in (pickup("booked", unwanted=True), pickup(call=OUT, unwanted=True), pickup("collected")):
        called = calls_due(goods(first, pickup(n=2)), Route.PICKUP, WANTED, now=at(HOUR))
        assert "book" not in [call.act for call in called]


def test_parcels_on_their_way_out_are_stopped_on_that_way_only() -> None:
    parcel = ParcelView("RF-S1", ShipmentState.SHIPPED, IDLE, CAN_BE_ASKED, "T1")
    seen = goods(parcels=(parcel,))
    assert [c.act for c in calls_due(seen, Route.INTERCEPT, WANTED, now=at(0))] == ["intercept"]
    assert calls_due(seen, Route.PICKUP, WANTED, now=at(0)) == ()


LOOKS = [
    # the pickup                                                         looked at, in hours
    (pickup("booked", call=replace(IDLE, retry_at=at(HOUR)), slot_to=at(DAY)), [1, 24 + 48, 24 + 4]),
    (pickup(call=replace(IDLE, retry_at=at(HOUR), failures=1)), [1, 48]),
    (pickup(call=replace(IDLE, retry_at=at(HOUR)), fact_at=at(DAY)), [1, 24 + 48]),
    (pickup("in_transit", call=replace(IDLE, retry_at=at(HOUR)), collected_at=at(0)), [1, 14 * 24]),
    (pickup("in_transit", by_courier=False, collected_at=at(0)), [14 * 24]),
    (pickup("missed", missed=1), [48]),
    (pickup("cancelled"), [48]),
]


@pytest.mark.parametrize(("held", "hours"), LOOKS)
def test_a_courier_is_looked_at_when_he_is_due_and_when_patience_with_him_ends(
    held: PickupView, hours: list[int]
) -> None:
    assert next_times(goods(held), Route.PICKUP, WANTED, POLICY, now=at(0)) == [at(h * HOUR) for h in hours]
