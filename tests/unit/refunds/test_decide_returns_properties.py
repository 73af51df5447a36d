"""The way back of goods, whatever is seen: it goes on."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from orders.states import ShipmentState
from refunds.calls import CallPhase, CallState
from refunds.decide import Plan, decide, next_look
from refunds.movements import give_up
from refunds.parcels import PickupView
from refunds.seen import Seen
from refunds.states import FINAL_STATES, REFUND_ARROWS, Goods, PickupState, Place, RefundState
from tests.unit.refunds.homeward import DAY, HOUR, POLICY, at, parcel, pickup, returning
from tests.unit.refunds.shorthand import TIMING, movement, replace

TIMES = st.sampled_from([0.0, HOUR, 2 * DAY, 13 * DAY, 20 * DAY])


@st.composite
def calls_made(draw: st.DrawFn) -> CallState:
    phase = draw(st.sampled_from(CallPhase))
    sent = None if phase is CallPhase.IDLE else at(draw(TIMES))
    due = sent and sent + timedelta(seconds=10)
    retry_at = draw(st.none() | st.builds(at, TIMES))
    kind = draw(st.sampled_from(["book", "cancel"]))
    return CallState(phase, kind, draw(st.integers(0, 3)), sent, due, None, retry_at, draw(st.integers(0, 3)))


@st.composite
def pickups_seen(draw: st.DrawFn) -> PickupView:
    state = draw(st.sampled_from(PickupState))
    return pickup(
        state,
        draw(calls_made()),
        number=f"RF-1-P{draw(st.integers(1, 10**6))}",
        by_courier=draw(st.booleans()),
        unwanted=draw(st.booleans()),
        missed=draw(st.integers(0, 3)),
        refusal=draw(st.sampled_from(["", "none_available", "bad_address"])),
        fact_at=draw(st.none() | st.builds(at, TIMES)),
        collected_at=at(draw(TIMES)) if state in ("collected", "in_transit", "received") else None,
    )


@st.composite
def worlds(draw: st.DrawFn) -> Seen:
    place = draw(st.sampled_from(Place))
    states = st.sampled_from([s for s in ShipmentState if (s == "delivered") == (place is Place.DELIVERED)])
    outward = [] if place is Place.UNSHIPPED else [parcel(draw(states), draw(calls_made()))]
    return returning(
        *draw(st.lists(pickups_seen(), max_size=3)),
        place=place,
        state=draw(st.sampled_from(RefundState)),
        wanted=draw(st.sampled_from(Goods)),
        parcels=outward,
        received=draw(st.booleans()),
        movements=(movement(draw(st.sampled_from(["intended idle", "succeeded idle id:a", "failed idle"]))),),
        acknowledged=draw(st.booleans()),
        approved=draw(st.booleans()),
        cancel_wanted=draw(st.booleans()),
        held_until=draw(st.none() | st.builds(at, TIMES)),
        deadline=draw(st.none() | st.builds(at, TIMES)),
        incidents=frozenset(draw(st.sets(st.sampled_from(["review_overdue", "return_failed"])))),
    )


def settled(seen: Seen, now: datetime) -> tuple[Seen, Plan]:
    """The world after the plan, calls apart."""
    done = decide(seen, POLICY, now=now)
    state = decide_state(seen.state, done.verbs)
    approved = seen.approved and not {"return_fails", "recall"} & set(done.verbs)
    told = seen.acknowledged or bool(done.messages)
    left = tuple(give_up(m) if m.number in done.given_up else m for m in seen.movements)
    after = replace(
        seen, state=state, route=done.route, deadline=done.deadline, approved=approved, acknowledged=told, reminded=True
    )
    after = replace(after, movements=left)
    return after, done


def decide_state(state: RefundState, verbs: tuple[str, ...]) -> RefundState:
    from_to = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
    for verb in verbs:
        state = RefundState(from_to[state, verb])
    return state


@given(worlds(), TIMES)
def test_an_open_refund_is_always_looked_at_again_and_never_without_a_reason(seen: Seen, now: float) -> None:
    after, done = settled(seen, at(now))
    look = next_look(after, POLICY, now=at(now), timing=TIMING)
    if after.state not in FINAL_STATES:
        assert look is not None and look <= at(now) + timedelta(hours=6)
    if look is not None and look <= at(now):
        assert done.parcels or done.sends or done.asks or done.new_pickup or done.rebook
    if done.parcels:
        assert look is not None and look <= at(now)
