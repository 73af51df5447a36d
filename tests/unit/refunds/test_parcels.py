"""A courier's parcel by itself: which one counts, what is called about it next, and when."""

from datetime import datetime, timedelta

import pytest

from orders.states import ShipmentState
from refunds.calls import CallPhase, CallState
from refunds.parcels import (
    ParcelAct,
    ParcelView,
    PickupView,
    Wants,
    counting,
    due_at,
    has_goods,
    may_come,
    parcel_act,
    pickup_act,
)
from refunds.states import PickupState
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, replace

IDLE = CallState()
OUT = CallState(CallPhase.SENT, "book", 1, sent_at=FIRST_SENT, answer_due_at=FIRST_SENT + timedelta(seconds=10))
UNKNOWN = replace(OUT, call=CallPhase.UNKNOWN)
NOTHING, HELD = Wants(), Wants(keep=True)
FETCH = Wants(fetch=True, keep=True)
ENDED = Wants(follow=False)


def at(seconds: float) -> datetime:
    return FIRST_SENT + timedelta(seconds=seconds)


def pickup(state: str = "intended", call: CallState = IDLE, **fields: object) -> PickupView:
    given: dict[str, object] = {"number": "P1", "created_at": FIRST_SENT, "can": CAN_BE_ASKED} | fields
    return PickupView(state=PickupState(state), call=call, **given)  # type: ignore[arg-type]


NEXT = [
    # state         call     wanted   counts   what is called
    ("intended", IDLE, FETCH, True, "book"),
    ("intended", IDLE, FETCH, False, None),
    ("intended", IDLE, HELD, True, None),
    ("intended", IDLE, NOTHING, True, None),
    ("booked", IDLE, FETCH, True, "track"),
    ("booked", IDLE, HELD, True, "track"),
    ("booked", IDLE, FETCH, False, "cancel"),
    ("booked", IDLE, NOTHING, True, "cancel"),
    ("booked", IDLE, ENDED, True, "cancel"),
    ("collected", IDLE, NOTHING, True, "track"),
    ("collected", IDLE, ENDED, True, None),
    ("in_transit", IDLE, FETCH, False, "track"),
    ("missed", IDLE, FETCH, True, None),
    ("received", IDLE, FETCH, True, None),
    ("refused", IDLE, FETCH, True, None),
    ("lost", IDLE, FETCH, True, None),
    ("cancelled", IDLE, FETCH, True, None),
    # What became of a call is asked before anything else, whatever is wanted meanwhile.
    ("intended", OUT, FETCH, True, "find"),
    ("intended", UNKNOWN, NOTHING, False, "find"),
    ("booked", UNKNOWN, ENDED, True, "find"),
]


@pytest.mark.parametrize(("state", "call", "wants", "counts", "act"), NEXT)
def test_what_is_called_about_a_pickup(state: str, call: CallState, wants: Wants, counts: bool, act: str) -> None:
    assert pickup_act(pickup(state, call), wants, counts=counts) == act


@pytest.mark.parametrize("state", PickupState)
@pytest.mark.parametrize("call", [IDLE, UNKNOWN])
def test_nobody_is_called_about_what_the_customer_posted(state: PickupState, call: CallState) -> None:
    assert pickup_act(pickup(state, call, by_courier=False), FETCH, counts=True) is None
    assert not may_come(pickup(state, call, by_courier=False))


OUTWARD = [
    # state           call                                    wanted    what is called
    ("shipped", IDLE, FETCH, "intercept"),
    ("shipped", IDLE, HELD, "track"),
    ("shipped", IDLE, NOTHING, None),
    # Refused once, it is only followed; what did not get through is tried again.
    ("shipped", CallState(attempt=1), FETCH, "track"),
    ("shipped", CallState(attempt=1, failures=1), FETCH, "intercept"),
    ("intercepting", IDLE, FETCH, "track"),
    ("returning", IDLE, FETCH, "track"),
    ("refused", IDLE, FETCH, "track"),
    # Nobody answered: the same again under the same key, whatever is wanted meanwhile.
    ("shipped", UNKNOWN, NOTHING, "intercept"),
    ("intercepting", OUT, HELD, "intercept"),
    # Nothing more is to come of it.
    ("delivered", IDLE, FETCH, None),
    ("returned", UNKNOWN, FETCH, None),
    ("lost", IDLE, FETCH, None),
]


@pytest.mark.parametrize(("state", "call", "wants", "act"), OUTWARD)
def test_what_is_called_about_a_parcel_on_its_way_out(state: str, call: CallState, wants: Wants, act: str) -> None:
    assert parcel_act(ParcelView("S1", ShipmentState(state), call, CAN_BE_ASKED, "T1"), wants) == act


@pytest.mark.parametrize("state", ShipmentState)
def test_no_carrier_can_be_asked_about_a_parcel_without_a_tracking_number(state: ShipmentState) -> None:
    assert parcel_act(ParcelView("S1", state, IDLE, CAN_BE_ASKED), FETCH) is None


DUE = [
    # call                                               act         due at
    (IDLE, "book", 100),
    (CallState(retry_at=at(500)), "book", 500),
    (CallState(retry_at=at(50)), "book", 100),
    (CallState(retry_at=at(500)), "track", 500),
    # To be tracked later keeps nobody from being called off; to have failed at that does.
    (CallState(retry_at=at(500)), "cancel", 100),
    (CallState(retry_at=at(500), failures=1), "cancel", 500),
    # A call that is out is asked about when its answer is overdue.
    (replace(OUT, answer_due_at=at(300)), "find", 300),
    (replace(OUT, answer_due_at=at(90)), "find", 100),
    (replace(UNKNOWN, retry_at=at(400)), "find", 400),
]


@pytest.mark.parametrize(("call", "act", "seconds"), DUE)
def test_when_it_is_called(call: CallState, act: str, seconds: float) -> None:
    assert due_at(call, ParcelAct(act), at(100)) == at(seconds)


COUNTS = [
    # pickups, oldest first                                                       which one counts
    ([], None),
    ([("intended", False)], 0),
    ([("missed", False), ("booked", False)], 1),
    ([("booked", False), ("booked", True)], 0),
    ([("booked", True)], None),
    # Who has the goods counts, wanted or not.
    ([("collected", True), ("booked", False)], 0),
    ([("collected", False), ("in_transit", True)], 1),
    ([("received", True), ("missed", False)], 0),
]


@pytest.mark.parametrize(("pickups", "which"), COUNTS)
def test_which_pickup_is_to_bring_the_goods(pickups: list[tuple[str, bool]], which: int | None) -> None:
    held = [
        pickup(state, number=f"P{n}", unwanted=unwanted, collected_at=FIRST_SENT if state == "collected" else None)
        for n, (state, unwanted) in enumerate(pickups)
    ]
    assert counting(held) == (None if which is None else held[which])


def test_goods_lost_on_the_way_home_had_been_handed_over_and_goods_nobody_fetched_had_not() -> None:
    assert has_goods(pickup("lost", collected_at=FIRST_SENT))
    assert not has_goods(pickup("lost"))


@pytest.mark.parametrize(
    ("state", "call", "may"),
    [
        ("intended", IDLE, False),
        ("intended", OUT, True),
        ("booked", IDLE, True),
        ("collected", IDLE, True),
        ("missed", IDLE, False),
        ("cancelled", IDLE, False),
        ("cancelled", UNKNOWN, True),
    ],
)
def test_while_a_courier_may_still_come(state: str, call: CallState, may: bool) -> None:
    assert may_come(pickup(state, call)) is may
