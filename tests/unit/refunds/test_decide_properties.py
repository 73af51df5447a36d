"""What holds of every plan, whatever a refund and its world look like."""

from dataclasses import replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.decide import Plan, Seen, decide, next_look, observe
from refunds.movements import MovementView
from refunds.policy import PolicySpec
from refunds.states import FINAL_STATES, REFUND_ARROWS, MovementState, RefundState, Route
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, NEITHER, ONLY_KEYS, TIMING, second

POLICY = PolicySpec(instant_limit_minor={"EUR": 50_000})
TARGETS = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
SECONDS = st.integers(0, 3 * 24 * 3600)


@st.composite
def movements(draw: st.DrawFn, number: str) -> MovementView:
    state = draw(st.sampled_from(MovementState))
    phase = draw(st.sampled_from(CallPhase))
    sent = draw(SECONDS)
    was_sent = phase is not CallPhase.IDLE or draw(st.booleans())
    retry_at = draw(st.none() | SECONDS.map(second))
    call = CallState(phase, retry_at=retry_at)
    if was_sent:
        call = CallState(phase, "refund", draw(st.integers(1, 3)), second(sent), second(sent + 10), retry_at=retry_at)
    return MovementView(
        number=number,
        state=state,
        amount_minor=500,
        currency="EUR",
        call=call,
        can=draw(st.sampled_from([CAN_BE_ASKED, ONLY_KEYS, NEITHER])),
        gateway_refund_id=draw(st.none() | st.just("a")),
        open_since=second(sent) if state is MovementState.PENDING else None,
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
        acknowledged=draw(st.booleans()),
        reachable=draw(st.booleans()),
        deadline=draw(st.none() | SECONDS.map(second)),
        incidents=draw(st.frozensets(st.sampled_from(["outcome_unknown", "outcome_pending", "review_overdue"]))),
    )


def applied(seen: Seen, plan: Plan, now: datetime) -> Seen:
    """The world once everything in the plan was done, before anybody answered."""
    state = seen.state
    for verb in plan.verbs:
        state = RefundState(TARGETS[state, verb])
    return replace(
        seen,
        state=state,
        movements=tuple(_called(m, plan, now) for m in seen.movements),
        acknowledged=seen.acknowledged or bool(plan.messages),
        deadline=plan.deadline,
        incidents=seen.incidents | set(plan.incidents),
    )


def _called(movement: MovementView, plan: Plan, now: datetime) -> MovementView:
    if movement.number in plan.sends:
        return replace(movement, call=calls.claim(movement.call, "refund", now=now, timing=TIMING))
    if movement.number in plan.asks:
        return replace(movement, call=calls.asked(movement.call, now=now, timing=TIMING))
    return movement


@given(worlds(), SECONDS.map(second))
def test_a_plan_once_done_leaves_nothing_to_do(seen: Seen, now: datetime) -> None:
    plan = decide(seen, POLICY, now=now)
    after = applied(seen, plan, now)
    assert decide(after, POLICY, now=now) == Plan(deadline=after.deadline)


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
    after = applied(seen, decide(seen, POLICY, now=now), now)
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
