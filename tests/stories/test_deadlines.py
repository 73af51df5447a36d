"""Every clock of every waiting state runs out with Valkey emptied, nobody acting, and only the sweep alive.

All refunds are brought to where they wait; then business time passes for all of them at once, to where the next clock
runs out, and the next.
"""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime

import pytest
import redis

from refunds.actions import WAITING
from refunds.decide import decide
from refunds.policy import BUILT_IN, PolicySpec
from refunds.seen import Seen
from refunds.states import RefundState, Route
from tests.consistency import violations
from tests.processes import Stack
from tests.stories import waits
from tests.stories.road import Road
from tests.stories.shop import Shop, expect
from tests.stories.waits import Begin
from tests.waiting import eventually

# One of the tests brings all refunds to where they wait and lets all the time pass.
pytestmark = [pytest.mark.xdist_group("deadlines"), pytest.mark.timeout(400)]

DAY = 24 * 3600
#: Setting up takes some seconds, and not all clocks start in the same one.
MARGIN = 120
Fired = Callable[[Road], bool]


@dataclass(frozen=True)
class Clock:
    """`rule` of the policy, in `state`, of a refund that was brought there by `begin`: it `fires` after `seconds`."""

    rule: str
    state: RefundState
    begin: Begin
    seconds: int
    fires: Fired


def told(template: str) -> Fired:
    return lambda road: template in road.mails()


def case_of(kind: str) -> Fired:
    return lambda road: kind in road.incidents()


def becomes(state: str, *, mail: str) -> Fired:
    return lambda road: road.case.look()["status"]["state"] == state and mail in road.mails()


def back_to_a_person(road: Road) -> bool:
    return road.case.look()["status"]["state"] == "in_review" and road.incidents() == ["return_failed"]


def counted_as_left(road: Road) -> bool:
    status = road.case.look()["status"]
    return (status["state"], status["route"]) == ("in_review", "intercept") and not road.case.order.sends()


def resumed(road: Road) -> bool:
    status = road.case.look()["status"]
    return status["hold"] is None and "refund.resumed" in [event["type"] for event in road.case.trail()]


S = RefundState
CLOCKS = {
    "a stop nobody confirms": Clock(
        "confirm_seconds", S.REQUESTED, waits.stopped_for_all_anybody_says, DAY, counted_as_left
    ),
    "a slow refund is acknowledged": Clock(
        "acknowledge_after_seconds", S.REFUNDING, waits.paid_slowly, 60, told("received")
    ),
    "a gateway that takes too long": Clock(
        "pending_incident_seconds", S.REFUNDING, waits.paid_slowly, 7 * DAY, case_of("outcome_pending")
    ),
    "a review nobody ends": Clock(
        "review_seconds", S.IN_REVIEW, waits.reviewed_by_nobody, 2 * DAY, case_of("review_overdue")
    ),
    "a review that the policy ends": Clock(
        "review_seconds",
        S.IN_REVIEW,
        waits.reviewed_by_nobody_under_a_policy_that_rejects,
        2 * DAY,
        becomes("rejected", mail="rejected"),
    ),
    "a hold with an end": Clock("hold_seconds", S.IN_REVIEW, waits.held_for_a_day, DAY, resumed),
    "a review that was held": Clock(
        "review_seconds", S.IN_REVIEW, waits.held_for_a_day, 3 * DAY, case_of("review_overdue")
    ),
    "a customer is reminded": Clock(
        "remind_before_seconds", S.AWAITING_RETURN, waits.booked_and_never_there, 11 * DAY, told("reminder")
    ),
    "goods that were sent and never arrive": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.posted_by_nobody, 14 * DAY, back_to_a_person
    ),
    "the longest hold": Clock("hold_seconds", S.AWAITING_RETURN, waits.posted_by_nobody_and_held, 30 * DAY, resumed),
    "goods that never arrive after a hold": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.posted_by_nobody_and_held, 44 * DAY, back_to_a_person
    ),
    "no courier to be had": Clock(
        "courier_patience_seconds", S.AWAITING_RETURN, waits.fetched_by_nobody, 2 * DAY, back_to_a_person
    ),
    "a courier who never comes": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.booked_and_never_there, 14 * DAY, back_to_a_person
    ),
    "a courier who never arrives": Clock(
        "transit_seconds", S.AWAITING_RETURN, waits.collected_and_never_there, 14 * DAY, back_to_a_person
    ),
    "a parcel that was posted and never arrives": Clock(
        "transit_seconds", S.AWAITING_RETURN, waits.posted_and_never_there, 14 * DAY, back_to_a_person
    ),
    "a carrier who never brings it back": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.stopped_by_nobody, 14 * DAY, back_to_a_person
    ),
    "a bank that never decides": Clock(
        "dispute_seconds", S.REFUNDING, waits.disputed_for_ever, 180 * DAY, becomes("failed", mail="failed")
    ),
    "money that nobody captures": Clock(
        "capture_seconds", S.REFUNDING, waits.held_and_never_captured, 31 * DAY, becomes("failed", mail="failed")
    ),
    "an inspection nobody makes": Clock(
        "inspect_seconds", S.INSPECTING, waits.inspected_by_nobody, 7 * DAY, becomes("refunded", mail="refunded")
    ),
    "a hold of the warehouse": Clock(
        "hold_seconds", S.INSPECTING, waits.inspected_by_nobody_and_held, 3 * DAY, resumed
    ),
    "an inspection that was held": Clock(
        "inspect_seconds",
        S.INSPECTING,
        waits.inspected_by_nobody_and_held,
        10 * DAY,
        becomes("refunded", mail="refunded"),
    ),
}
#: Rules with a story of their own below.
ALONE = {"unknown_incident_seconds", "send_seconds"}
#: No door leads to an offer yet.
NOBODY_WAITS_IN = {S.OFFERED}
#: Begun one after another, before the others: each with a policy in force for itself.
UNDER_A_POLICY_OF_THEIR_OWN = (
    waits.reviewed_by_nobody_under_a_policy_that_rejects,
    waits.stopped_for_all_anybody_says,
)


@dataclass(frozen=True)
class Timeline:
    """What was begun, and the clocks that ran out when they should: neither before nor never."""

    roads: dict[Begin, Road]
    in_time: set[str]

    def fires(self, name: str) -> bool:
        return CLOCKS[name].fires(self.roads[CLOCKS[name].begin])


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack().running() as running:
        yield running
        with running.connect() as connection:
            assert violations(connection) == []


@pytest.fixture(scope="module")
def shop(stack: Stack) -> Shop:
    return Shop(stack)


@pytest.fixture(scope="module")
def timeline(shop: Shop) -> Timeline:
    line = Timeline(_begun(shop), set())
    passed = 0
    for seconds in sorted({clock.seconds for clock in CLOCKS.values()}):
        silent = [name for name, clock in CLOCKS.items() if clock.seconds == seconds and not line.fires(name)]
        _pass_time(shop.stack, seconds + MARGIN - passed)
        passed = seconds + MARGIN
        with suppress(AssertionError):
            eventually(lambda silent=silent: all(map(line.fires, silent)))
        line.in_time.update(filter(line.fires, silent))
    return line


def _begun(shop: Shop) -> dict[Begin, Road]:
    """Four at a time, once those are under way that have a policy of their own."""
    roads = {begin: begin(shop) for begin in UNDER_A_POLICY_OF_THEIR_OWN}
    others = list({clock.begin for clock in CLOCKS.values()} - roads.keys())
    with ThreadPoolExecutor(4) as pool:
        return roads | dict(zip(others, pool.map(lambda begin: begin(shop), others), strict=True))


@pytest.mark.parametrize("name", CLOCKS)
def test_it_runs_out_in_time(name: str, timeline: Timeline):
    assert name in timeline.in_time, timeline.roads[CLOCKS[name].begin].case.look()


def test_an_outcome_nobody_can_tell_becomes_a_case(shop: Shop):
    order = shop.place_order()
    shop.stack.send("sandbox", signal.SIGSTOP)
    try:
        road = Road(order.request_refund())
        eventually(lambda: _call_of(road) == "unknown")
        _pass_time(shop.stack, BUILT_IN.unknown_incident_seconds + MARGIN)
        eventually(lambda: road.incidents() == ["outcome_unknown"])
    finally:
        shop.stack.send("sandbox", signal.SIGCONT)
    _pass_time(shop.stack, 6 * 3600)
    road.case.comes_to_rest("refunded")
    assert len(order.gateway_refunds()) == 1


def test_money_no_gateway_takes_becomes_a_case_and_can_be_tried_again(shop: Shop):
    order = shop.place_order()
    shop.stack.kill("sandbox")
    try:
        road = Road(order.request_refund())
        road.case.becomes("refunding")
        _pass_time(shop.stack, BUILT_IN.send_seconds + MARGIN)
        road.ends("failed")
        assert (road.incidents(), road.mails()) == (["refund_failed"], ["failed"])
    finally:
        shop.stack.restart("sandbox")
    expect(road.act("retry", "finance"), 200)
    road.ends("refunded")
    assert len(order.gateway_refunds()) == len(order.sends()) == 1


def test_every_clock_of_the_policy_has_a_story():
    rules = {rule.name for rule in fields(PolicySpec) if rule.name.endswith("_seconds")}
    assert rules == {clock.rule for clock in CLOCKS.values()} | ALONE


def test_every_state_that_waits_has_a_story():
    states = {clock.state for clock in CLOCKS.values()}
    assert states == WAITING - NOBODY_WAITS_IN
    assert {state for state in RefundState if _has_deadline(state)} <= states


def _has_deadline(state: RefundState) -> bool:
    now = datetime.now(UTC)
    plan = decide(Seen(state, Route.PICKUP, 1000, "EUR", now), BUILT_IN, now=now)
    return plan.deadline is not None and not plan.verbs


def _pass_time(stack: Stack, seconds: float) -> None:
    """Nothing but the clock is left to tell that something is due."""
    stack.pass_time(seconds)
    with redis.Redis.from_url(stack.redis_url) as client:
        client.flushall()


def _call_of(road: Road) -> str:
    [(call,)] = road.case.order.shop.stack.query(
        "SELECT call FROM refunds_gatewayrefund WHERE number LIKE %s", f"{road.case.number}-%"
    )
    return call
