"""What holds of every plan, whatever a refund and its world look like."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orders.states import ShipmentState
from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.decide import Plan, decide, next_look
from refunds.goods import GoodsSeen
from refunds.movements import MovementView, give_up
from refunds.observing import observe
from refunds.parcels import ParcelAct, ParcelView, PickupView
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.states import (
    FINAL_STATES,
    REFUND_ARROWS,
    Goods,
    MovementState,
    PickupState,
    Place,
    Proof,
    RefundState,
    Route,
    Stop,
)
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, NEITHER, ONLY_KEYS, TIMING, replace, second

POLICY = PolicySpec(instant_limit_minor={"EUR": 50_000})
TARGETS = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
SECONDS = st.integers(0, 3 * 24 * 3600)


@st.composite
def outside_calls(draw: st.DrawFn, kinds: tuple[str, ...]) -> CallState:
    phase = draw(st.sampled_from(CallPhase))
    sent = draw(SECONDS)
    was_sent = phase is not CallPhase.IDLE or draw(st.booleans())
    retry_at = draw(st.none() | SECONDS.map(second))
    if not was_sent:
        return CallState(phase, retry_at=retry_at)
    kind, attempt = draw(st.sampled_from(kinds)), draw(st.integers(1, 3))
    return CallState(phase, kind, attempt, second(sent), second(sent + 10), retry_at=retry_at)


@st.composite
def movements(draw: st.DrawFn, number: str) -> MovementView:
    state = draw(st.sampled_from(MovementState))
    call = draw(outside_calls(("refund",)))
    return MovementView(
        number=number,
        state=state,
        amount_minor=500,
        currency="EUR",
        call=call,
        can=draw(st.sampled_from([CAN_BE_ASKED, ONLY_KEYS, NEITHER])),
        gateway_refund_id=draw(st.none() | st.just("a")),
        open_since=call.sent_at if state is MovementState.PENDING else None,
    )


@st.composite
def pickups(draw: st.DrawFn, number: str) -> PickupView:
    return PickupView(
        number=number,
        state=draw(st.sampled_from(PickupState)),
        call=draw(outside_calls(("book", "cancel"))),
        can=CAN_BE_ASKED,
        created_at=draw(SECONDS.map(second)),
        by_courier=draw(st.booleans()),
        missed=draw(st.integers(0, 4)),
        refusal=draw(st.sampled_from(["", "none_available", "bad_address"])),
        unwanted=draw(st.booleans()),
        collected_at=draw(st.none() | SECONDS.map(second)),
    )


@st.composite
def goods_seen(draw: st.DrawFn) -> GoodsSeen:
    parcels = [
        ParcelView("RF-I7", draw(st.sampled_from(ShipmentState)), draw(outside_calls(("intercept",))), CAN_BE_ASKED)
        for _ in range(draw(st.integers(0, 1)))
    ]
    places = draw(st.lists(st.sampled_from(Place), max_size=3))
    return GoodsSeen(
        wanted=draw(st.sampled_from(Goods)),
        units=tuple(UnitsAt("A", place, 1, None if place is Place.UNSHIPPED else 7) for place in places),
        pickups=tuple(draw(pickups(f"RF-1-P{n}")) for n in range(draw(st.integers(0, 2)))),
        parcels=tuple(parcels),
        received=draw(st.booleans()),
    )


@st.composite
def worlds(draw: st.DrawFn) -> Seen:
    count = draw(st.integers(0, 3))
    return Seen(
        state=draw(st.sampled_from(RefundState)),
        route=draw(st.sampled_from(Route)),
        amount_minor=500 * count,
        currency=draw(st.sampled_from(["EUR", "JPY"])),
        created_at=FIRST_SENT,
        movements=tuple(draw(movements(f"RF-1-{n}")) for n in range(count)),
        goods=draw(goods_seen()),
        acknowledged=draw(st.booleans()),
        reminded=draw(st.booleans()),
        reachable=draw(st.booleans()),
        approved=draw(st.booleans()),
        cancel_wanted=draw(st.booleans()),
        held_until=draw(st.none() | SECONDS.map(second)),
        deadline=draw(st.none() | SECONDS.map(second)),
        stop=draw(st.sampled_from(Stop)),
        incidents=draw(st.frozensets(st.sampled_from(["outcome_unknown", "outcome_pending", "review_overdue"]))),
    )


def applied(seen: Seen, plan: Plan, now: datetime) -> Seen:
    """The world once everything in the plan was done, before anybody answered."""
    state, approved, stop = seen.state, seen.approved, seen.stop
    for verb in plan.verbs:
        state = RefundState(TARGETS[state, verb])
        approved = verb == "await_return" or (approved and verb not in ("return_fails", "recall"))
    if plan.counts_as_left:
        stop = Stop.UNCONFIRMED
    return replace(
        seen,
        state=state,
        stop=stop,
        route=plan.route,
        approved=approved,
        movements=tuple(_called(m, (*plan.sends, *plan.asks), plan.asks, now) for m in _left(seen, plan)),
        goods=_fetched(seen.goods, plan, now),
        acknowledged=seen.acknowledged or bool(plan.messages),
        reminded=seen.reminded or bool({"reminder", "offer_reminder"} & set(plan.messages)),
        deadline=plan.deadline,
        proof=Proof.AWAITED if plan.asks_proof else seen.proof,
        incidents=seen.incidents | set(plan.incidents),
        knows_shipped_after=seen.knows_shipped_after or "shipped_after_refund" in plan.incidents,
    )


def _left(seen: Seen, plan: Plan) -> list[MovementView]:
    return [give_up(m) if m.number in plan.given_up else m for m in seen.movements]


def _fetched(goods: GoodsSeen, plan: Plan, now: datetime) -> GoodsSeen:
    called = [call.subject for call in plan.parcels]
    asked = [call.subject for call in plan.parcels if call.act.asks]
    found = [_called(_rebooked(p, plan), called, asked, now) for p in goods.pickups]
    if plan.new_pickup:
        found.append(PickupView("RF-1-P9", PickupState.INTENDED, CallState(), CAN_BE_ASKED, now))
    if plan.counts_as_left:
        goods = replace(goods, units=(UnitsAt("A", Place.IN_TRANSIT, 1, 7),))
    return replace(goods, pickups=tuple(found), parcels=tuple(_called(p, called, asked, now) for p in goods.parcels))


def _rebooked(pickup: PickupView, plan: Plan) -> PickupView:
    if pickup.number not in plan.rebook:
        return pickup
    return replace(pickup, state=PickupState.INTENDED, call=replace(pickup.call, retry_at=None))


def _called(it: Any, called: Collection[str], asked: Collection[str], now: datetime) -> Any:
    if it.number in asked:
        return replace(it, call=calls.asked(it.call, now=now, timing=TIMING))
    if it.number in called:
        return replace(it, call=calls.claim(it.call, it.call.call_kind, now=now, timing=TIMING))
    return it


def nothing(seen: Seen) -> Plan:
    return Plan(route=seen.route, deadline=seen.deadline)


@given(worlds(), SECONDS.map(second))
def test_a_plan_once_done_leaves_nothing_to_do(seen: Seen, now: datetime) -> None:
    """A pickup that is wanted is made in one pass and called about in the next, and cancellations go first; nobody is
    reminded in the pass that first tells him of it."""
    for _ in range(4):
        plan = decide(seen, POLICY, now=now)
        is_more_to_come = plan.new_pickup or plan.rebook or plan.counts_as_left or "received" in plan.messages
        is_more_to_come = is_more_to_come or any(c.act is ParcelAct.CANCEL for c in plan.parcels)
        seen = applied(seen, plan, now)
        if not is_more_to_come:
            break
    assert decide(seen, POLICY, now=now) == nothing(seen)


@given(worlds(), SECONDS.map(second))
def test_the_same_world_gives_the_same_plan(seen: Seen, now: datetime) -> None:
    assert decide(seen, POLICY, now=now) == decide(seen, POLICY, now=now)


@given(worlds(), SECONDS.map(second))
def test_a_movement_is_sent_or_asked_about_or_left_alone(seen: Seen, now: datetime) -> None:
    plan = decide(seen, POLICY, now=now)
    assert not set(plan.sends) & set(plan.asks)
    for movement in seen.movements:
        out = calls.is_out(movement.call, now)
        assert not (out and movement.number in (*plan.sends, *plan.asks))
        if movement.number in plan.sends:
            assert movement.state is MovementState.INTENDED
            assert movement.call.call is CallPhase.IDLE or not movement.can.look_up
            assert movement.call.call is CallPhase.IDLE or movement.can.idempotency_keys
        if movement.number in plan.asks:
            assert movement.can.look_up


@given(worlds(), SECONDS.map(second))
def test_money_is_sent_in_refunding_only(seen: Seen, now: datetime) -> None:
    plan = decide(seen, POLICY, now=now)
    if plan.sends:
        assert applied(seen, plan, now).state is RefundState.REFUNDING


@given(worlds(), SECONDS.map(second))
def test_what_is_done_with_is_looked_at_later_and_never_in_a_loop(seen: Seen, now: datetime) -> None:
    after = seen
    for _ in range(3):
        after = applied(after, decide(after, POLICY, now=now), now)
    look = next_look(after, POLICY, now=now, timing=TIMING)
    if after.state not in FINAL_STATES:
        assert look is not None
    if look is not None:
        assert now < look


@given(worlds(), SECONDS.map(second))
def test_something_can_always_be_said_once_of_each_kind(seen: Seen, now: datetime) -> None:
    types = [c.type for c in observe(seen, now=now)]
    assert {"RouteDecided", "MoneyMoved", "Succeeded"} <= set(types)
    assert len(types) == len(set(types))
