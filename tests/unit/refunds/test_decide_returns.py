"""The way back of goods, decided: every arrow out of `awaiting_return`, what couriers are asked, and that all of it
ends."""

from datetime import timedelta

import pytest

from refunds.calls import CallPhase, CallState
from refunds.goods import GoodsSeen
from refunds.observing import observe
from refunds.parcels import ParcelView, PickupView
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.states import Goods, Place, RefundState, Route
from tests.unit.refunds.homeward import DAY, HOUR, POLICY, at, called, parcel, pickup, plan, returning
from tests.unit.refunds.shorthand import movement, replace

FAILING = CallState(failures=4, retry_at=at(2 * DAY))
OUT = CallState(CallPhase.SENT, "book", 1, sent_at=at(0), answer_due_at=at(10))
UNKNOWN = replace(OUT, call=CallPhase.UNKNOWN, retry_at=at(0))
TRACKED = CallState(attempt=1, retry_at=at(2 * HOUR))

OUT_OF_AWAITING_RETURN = [
    # what became of the pickup                                  after   takes
    ([pickup()], HOUR, ()),
    ([pickup("booked")], HOUR, ()),
    ([pickup("collected", collected_at=at(0))], HOUR, ()),
    ([pickup("received")], HOUR, ("receive",)),
    ([pickup("refused")], HOUR, ("return_fails",)),
    ([pickup("missed", missed=1)], HOUR, ()),
    ([pickup("missed", missed=3)], HOUR, ("return_fails",)),
    # The customer has them still: another courier is asked, until none is worth asking.
    ([pickup("lost")], HOUR, ()),
    ([pickup("lost", number=f"RF-1-P{n}") for n in (1, 2, 3)], HOUR, ("return_fails",)),
    ([pickup("lost", collected_at=at(0))], HOUR, ("pay_uninspected",)),
    ([pickup(refusal="bad_address")], HOUR, ("return_fails",)),
    ([pickup(call=FAILING, refusal="none_available")], DAY, ()),
    ([pickup(call=FAILING, refusal="none_available")], 2 * DAY, ("return_fails",)),
    # Nobody has tried yet, or only since the last visit was missed: no patience is used up.
    ([pickup()], 3 * DAY, ()),
    ([pickup(call=FAILING, missed=1, fact_at=at(3 * DAY))], 4 * DAY, ()),
    # A courier who calls off himself is replaced, but not for ever.
    ([pickup("cancelled")], HOUR, ()),
    ([pickup("cancelled")] * 3, HOUR, ("return_fails",)),
    # The time to hand over is up: it is the customer, or it is the courier.
    ([], 14 * DAY, ("expire",)),
    ([pickup("missed", missed=1, fact_at=at(13 * DAY))], 14 * DAY, ()),
    ([pickup("missed", missed=1)], 14 * DAY, ("return_fails",)),
    ([pickup("cancelled", fact_at=at(13 * DAY))], 14 * DAY, ()),
    ([pickup("cancelled", fact_at=at(0))], 14 * DAY, ("return_fails",)),
    ([pickup("booked", slot_to=at(20 * DAY))], 14 * DAY, ()),
    ([pickup("booked", slot_to=at(20 * DAY))], 22 * DAY, ("return_fails",)),
    ([pickup(call=UNKNOWN)], 14 * DAY, ("return_fails",)),
    ([pickup("in_transit", collected_at=at(13 * DAY))], 14 * DAY, ()),
    ([pickup("in_transit", collected_at=at(13 * DAY))], 27 * DAY, ("return_fails",)),
    ([pickup("in_transit", by_courier=False)], 14 * DAY, ("return_fails",)),
    ([pickup("lost", by_courier=False)], HOUR, ("return_fails",)),
    # The one that has the goods counts, wanted or not.
    ([pickup("collected", unwanted=True, collected_at=at(0)), pickup("missed", missed=3)], HOUR, ()),
]


@pytest.mark.parametrize(("pickups", "now", "verbs"), OUT_OF_AWAITING_RETURN)
def test_what_becomes_of_a_pickup(pickups: list[PickupView], now: float, verbs: tuple[str, ...]) -> None:
    """Controller check 46; upstream: TestJobBackoffOnRestartPolicyNever, TestSyncJobPastDeadline."""
    assert plan(returning(*pickups), now=now).verbs == verbs


@pytest.mark.parametrize(
    ("states", "now", "verbs"),
    [
        (["intercepting"], HOUR, ()),
        (["returning"], HOUR, ()),
        (["refused"], HOUR, ()),
        (["returned"], HOUR, ("pay_uninspected",)),
        (["lost"], HOUR, ("pay_uninspected",)),
        (["returned", "intercepting"], HOUR, ()),
        (["returned", "lost"], HOUR, ("pay_uninspected",)),
        (["intercepting"], 14 * DAY, ("return_fails",)),
    ],
)
def test_what_becomes_of_an_intercepted_parcel(states: list[str], now: float, verbs: tuple[str, ...]) -> None:
    seen = returning(place=Place.IN_TRANSIT, parcels=[parcel(state) for state in states])
    assert plan(seen, now=now).verbs == verbs


def test_a_hold_stops_the_clock_and_keeps_the_courier() -> None:
    """Controller check 44; upstream: TestControllerSyncJob "resuming a suspended job", TestSyncJobPastDeadline."""
    held = returning(pickup("booked", TRACKED), held_until=at(20 * DAY))
    assert (plan(held, now=15 * DAY).verbs, called(plan(held, now=3 * HOUR))) == ((), ["track RF-1-P1"])
    assert plan(returning(held_until=at(20 * DAY))).new_pickup is False
    assert called(plan(returning(pickup(), held_until=at(20 * DAY)))) == []


@pytest.mark.parametrize(
    ("held", "verbs"),
    [
        (pickup("received"), ("receive",)),
        (pickup("refused"), ("return_fails",)),
        (pickup("lost", collected_at=at(0)), ("pay_uninspected",)),
        (pickup(call=FAILING, refusal="none_available"), ()),
    ],
)
def test_what_happens_to_the_goods_does_not_wait_for_a_hold(held: PickupView, verbs: tuple[str, ...]) -> None:
    done = plan(returning(held, held_from=at(HOUR), held_until=at(20 * DAY)), now=15 * DAY)
    assert (done.verbs, done.sends) == (verbs, ())


def test_the_time_of_a_state_that_is_entered_on_hold_begins_when_it_ends() -> None:
    """Controller check 44; upstream: TestControllerSyncJob "resuming a suspended job", TestSyncJobPastDeadline."""
    held = returning(pickup("received"), held_from=at(HOUR), held_until=at(20 * DAY))
    assert plan(held, now=15 * DAY).deadline == at(HOUR) + timedelta(seconds=POLICY.inspect_seconds)


def test_goods_that_come_back_by_themselves_need_no_courier() -> None:
    seen = returning(wanted="already_sent")
    assert plan(seen).new_pickup is False
    assert plan(seen, now=11 * DAY).messages == ()
    assert plan(seen, now=14 * DAY).verbs == ("return_fails",)


CALLS = [
    ([pickup()], {}, ["book RF-1-P1"]),
    ([pickup(call=FAILING)], {}, []),
    ([pickup(call=OUT)], {}, ["find RF-1-P1"]),
    ([pickup(call=UNKNOWN)], {}, ["find RF-1-P1"]),
    ([pickup("booked", TRACKED)], {}, []),
    ([pickup("booked", CallState(attempt=1))], {}, ["track RF-1-P1"]),
    # To be tracked later keeps nobody from being called off now.
    ([pickup("booked", TRACKED)], {"cancel_wanted": True}, ["cancel RF-1-P1"]),
    ([pickup("booked", TRACKED)], {"state": RefundState.IN_REVIEW}, ["cancel RF-1-P1"]),
    ([pickup("booked", TRACKED)], {"state": RefundState.REJECTED}, ["cancel RF-1-P1"]),
    # Cancellations before creations, and no creation while another courier may still come.
    ([pickup("booked", TRACKED, unwanted=True), pickup(number="RF-1-P2")], {}, ["cancel RF-1-P1"]),
    ([pickup(call=UNKNOWN, unwanted=True), pickup(number="RF-1-P2")], {}, ["find RF-1-P1"]),
    ([pickup("cancelled", unwanted=True), pickup(number="RF-1-P2")], {}, ["book RF-1-P2"]),
    # The one with the goods counts; the other is called off.
    (
        [pickup("collected", TRACKED, unwanted=True), pickup("booked", TRACKED, number="RF-1-P2")],
        {},
        ["cancel RF-1-P2"],
    ),
    ([pickup("missed", missed=1)], {"state": RefundState.REJECTED}, []),
    ([pickup("collected")], {"state": RefundState.REJECTED}, []),
    ([pickup("in_transit", by_courier=False)], {}, []),
]


@pytest.mark.parametrize(("pickups", "facts", "calls"), CALLS)
def test_what_couriers_are_asked(pickups: list[PickupView], facts: dict[str, object], calls: list[str]) -> None:
    assert called(plan(returning(*pickups, **facts))) == calls


@pytest.mark.parametrize(
    ("outward", "calls"),
    [
        (parcel(), ["intercept RF-S1"]),
        (parcel(call=CallState(attempt=1, last_error="too_late", retry_at=at(2 * HOUR))), []),
        (parcel(call=CallState(attempt=1, last_error="too_late", retry_at=at(0))), ["track RF-S1"]),
        (parcel(call=UNKNOWN), ["intercept RF-S1"]),
        (parcel("intercepting", call=UNKNOWN), ["intercept RF-S1"]),
        (parcel("refused"), ["track RF-S1"]),
        (parcel("returned", call=UNKNOWN), []),
        (parcel(tracking_number=""), []),
    ],
)
def test_what_a_carrier_is_asked_of_a_parcel_on_its_way_out(outward: ParcelView, calls: list[str]) -> None:
    assert called(plan(returning(place=Place.IN_TRANSIT, parcels=[outward]))) == calls


def test_a_missed_visit_is_booked_again_and_a_courier_who_called_off_replaced() -> None:
    assert plan(returning(pickup("missed", missed=2))).rebook == ("RF-1-P1",)
    assert plan(returning(pickup("missed", missed=3))).rebook == ()
    assert plan(returning(pickup("cancelled"))).new_pickup is True
    assert plan(returning(pickup("missed", missed=1), pickup("collected", number="RF-1-P2"))).rebook == ()


@pytest.mark.parametrize("state", [RefundState.AWAITING_RETURN, RefundState.IN_REVIEW])
@pytest.mark.parametrize(
    ("held", "verbs"),
    [
        ([pickup("booked")], ()),
        ([pickup(call=UNKNOWN)], ()),
        ([pickup("collected", collected_at=at(0))], ()),
        ([pickup("cancelled")], ("cancel",)),
        ([pickup("missed", missed=1)], ("cancel",)),
        ([pickup(refusal="none_available", call=FAILING)], ("cancel",)),
    ],
)
def test_a_wish_to_cancel_waits_for_the_courier(
    state: RefundState, held: list[PickupView], verbs: tuple[str, ...]
) -> None:
    assert plan(returning(*held, state=state, cancel_wanted=True)).verbs == verbs


# --- routes


def test_the_furthest_place_decides_and_a_claim_fixes_the_route() -> None:
    apart = GoodsSeen(units=(UnitsAt("A", Place.UNSHIPPED, 1), UnitsAt("B", Place.IN_TRANSIT, 1, 1)))
    seen = returning(place=Place.UNSHIPPED, state=RefundState.REFUNDING, approved=False)
    before = replace(seen, goods=apart)
    assert (plan(before).route, plan(before).verbs, plan(before).sends) == (Route.INTERCEPT, ("recall",), ())
    claimed = replace(before, movements=(movement("intended unknown"),))
    assert (plan(claimed).route, plan(claimed).verbs) == (Route.INSTANT, ())


@pytest.mark.parametrize("wanted", [Goods.RETURN, Goods.KEEP])
def test_an_approval_of_goods_at_home_is_none_for_goods_that_left(wanted: Goods) -> None:
    left = GoodsSeen(wanted=wanted, units=(UnitsAt("A", Place.IN_TRANSIT, 1, 1),))
    seen = replace(returning(state=RefundState.REFUNDING, route=Route.INSTANT), goods=left)
    assert (plan(seen).verbs, plan(seen).sends) == (("recall",), ())


def test_a_parcel_delivered_after_all_becomes_a_pickup_under_the_same_approval() -> None:
    seen = returning(route=Route.INTERCEPT, parcels=[parcel("delivered")])
    assert (plan(seen).route, plan(seen).verbs, plan(seen).new_pickup) == (Route.PICKUP, (), True)


@pytest.mark.parametrize("state", [RefundState.REFUNDING, RefundState.REFUNDED])
def test_goods_that_left_after_their_money_are_stopped_and_shown_once(state: RefundState) -> None:
    paid = movement("succeeded idle id:a" if state is RefundState.REFUNDED else "pending idle id:a")
    seen = returning(
        place=Place.IN_TRANSIT, state=state, route=Route.INSTANT, movements=(paid,), deadline=None, parcels=[parcel()]
    )
    assert (plan(seen).route, called(plan(seen)), plan(seen).incidents) == (
        Route.INSTANT,
        ["intercept RF-S1"],
        ("shipped_after_refund",),
    )
    assert "ShippedAfterRefund" in {c.type for c in observe(seen, now=at(HOUR))}
    assert plan(replace(seen, knows_shipped_after=True)).incidents == ()


# --- clocks


def test_the_customer_is_reminded_once_and_not_when_the_goods_are_gone() -> None:
    late = 11 * DAY
    assert plan(returning(pickup("booked")), now=late).messages == ("reminder",)
    assert plan(returning(pickup("booked")), now=late - HOUR).messages == ()
    assert plan(returning(pickup("booked"), reminded=True), now=late).messages == ()
    assert plan(returning(pickup("collected", collected_at=at(0))), now=late).messages == ()
    assert plan(returning(pickup("booked"), held_until=at(20 * DAY)), now=late).messages == ()


@pytest.mark.parametrize(
    ("outcome", "verbs", "incidents"), [("wait", (), ("review_overdue",)), ("reject", ("reject",), ())]
)
def test_a_review_nobody_ends(outcome: str, verbs: tuple[str, ...], incidents: tuple[str, ...]) -> None:
    done = plan(returning(state=RefundState.IN_REVIEW, deadline=at(0)), policy=PolicySpec(review_outcome=outcome))
    assert (done.verbs, done.incidents) == (verbs, incidents)


def test_an_inspection_nobody_makes_counts_as_accepted() -> None:
    assert plan(returning(state=RefundState.INSPECTING, deadline=at(0))).verbs == ("accept_goods",)


def test_money_of_a_refund_closed_in_part_does_not_count_as_all_of_it() -> None:
    seen = returning(
        state=RefundState.PARTIALLY_REFUNDED, movements=(movement("succeeded idle id:a"),), amount_minor=1500
    )
    assert plan(seen).verbs == ()
