"""Every clock of every waiting state runs out with Valkey emptied, nobody acting, and only the sweep alive.

All refunds are brought to where they wait; then business time passes for all of them at once, to where the next clock
runs out, and the next.
"""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta

import pytest

from refunds.actions import WAITING
from refunds.decide import decide
from refunds.policy import BUILT_IN, PolicySpec
from refunds.seen import Seen
from refunds.states import RefundState, Route
from tests.processes import Stack
from tests.stories import waits
from tests.stories.deadlines import CLOCKS
from tests.stories.road import Road
from tests.stories.shop import Shop, expect
from tests.stories.waits import Begin
from tests.waiting import eventually

# One of the tests brings all refunds to where they wait and lets all the time pass.
pytestmark = [pytest.mark.xdist_group("deadlines"), pytest.mark.timeout(400)]

#: Setting up takes some seconds, and not all clocks start in the same one.
MARGIN = 120
#: Rules with a story of their own below.
ALONE = {"unknown_incident_seconds", "send_seconds"}
#: Begun one after another, before the others: each with a policy in force for itself.
UNDER_A_POLICY_OF_THEIR_OWN = (
    waits.reviewed_by_nobody_under_a_policy_that_rejects,
    waits.stopped_for_all_anybody_says,
    waits.approved_by_one_person_alone,
)


@dataclass(frozen=True)
class Timeline:
    """What was begun, and after how many seconds each clock was first seen to have run out."""

    roads: dict[Begin, Road]
    fired: dict[str, int]

    def fires(self, name: str) -> bool:
        return CLOCKS[name].fires(self.roads[CLOCKS[name].begin])


@pytest.fixture(scope="module")
def shop(ahead: Stack) -> Shop:
    return Shop(ahead)


@pytest.fixture(scope="module")
def timeline(shop: Shop) -> Timeline:
    line = Timeline(_begun(shop), {})
    line.fired.update((name, 0) for name in CLOCKS if line.fires(name))
    passed = 0
    for seconds in sorted({at for clock in CLOCKS.values() for at in (clock.seconds, clock.latest)}):
        waits.pass_time(shop.stack, seconds + MARGIN - passed)
        passed = seconds + MARGIN
        due = [name for name, clock in CLOCKS.items() if clock.latest == seconds and name not in line.fired]
        with suppress(AssertionError):
            eventually(lambda due=due: all(map(line.fires, due)))
        line.fired.update((name, seconds) for name in CLOCKS.keys() - line.fired.keys() if line.fires(name))
    return line


def _begun(shop: Shop) -> dict[Begin, Road]:
    """Four at a time, once those are under way that have a policy of their own."""
    roads = {begin: begin(shop) for begin in UNDER_A_POLICY_OF_THEIR_OWN}
    others = list({clock.begin for clock in CLOCKS.values()} - roads.keys())
    with ThreadPoolExecutor(4) as pool:
        return roads | dict(zip(others, pool.map(lambda begin: begin(shop), others), strict=True))


@pytest.mark.parametrize("name", CLOCKS)
def test_it_runs_out_in_time(name: str, timeline: Timeline):
    clock = CLOCKS[name]
    fired = timeline.fired.get(name, -1)
    road = timeline.roads[clock.begin]
    assert clock.seconds <= fired <= clock.latest, (fired, road.incidents(), road.trail(), road.case.look()["status"])


def test_an_outcome_nobody_can_tell_becomes_a_case(shop: Shop):
    order = shop.place_order()
    shop.stack.send("sandbox", signal.SIGSTOP)
    try:
        road = Road(order.request_refund())
        eventually(lambda: _call_of(road) == "unknown")
        waits.pass_time(shop.stack, BUILT_IN.unknown_incident_seconds + MARGIN)
        eventually(lambda: road.incidents() == ["outcome_unknown"])
    finally:
        shop.stack.send("sandbox", signal.SIGCONT)
    waits.pass_time(shop.stack, 6 * 3600)
    road.case.comes_to_rest("refunded")
    assert len(order.gateway_refunds()) == 1


def test_money_no_gateway_takes_becomes_a_case_and_can_be_tried_again(shop: Shop):
    order = shop.place_order()
    shop.stack.kill("sandbox")
    try:
        road = Road(order.request_refund())
        road.case.becomes("refunding")
        waits.pass_time(shop.stack, BUILT_IN.send_seconds + MARGIN)
        road.ends("failed")
        assert (road.incidents(), road.mails()) == (["refund_failed"], ["failed"])
    finally:
        shop.stack.restart("sandbox")
    expect(road.act("retry", "finance"), 200)
    road.ends("refunded")
    assert len(order.gateway_refunds()) == len(order.sends()) == 1


def test_an_agent_is_silent_for_48_hours_over_a_holiday(shop: Shop):
    """Two days off do not count: by the wall clock four days pass until it is somebody's case. The customer is told
    what was decided, and nothing of who was late."""
    now = waits.business_time(shop)
    road = waits.reviewed_by_nobody_over(shop, waits.two_days_off(shop))
    road.ends("in_review")
    deadline = datetime.fromisoformat(road.case.look()["status"]["deadline"])
    assert timedelta(hours=94) < deadline - now < timedelta(hours=98)
    for hours in (48, 93):
        waits.until(shop, now + timedelta(hours=hours))
        assert (road.case.look()["status"]["state"], road.incidents(), road.mails()) == ("in_review", [], ["received"])
    waits.until(shop, deadline + timedelta(seconds=MARGIN))
    eventually(lambda: road.incidents() == ["review_overdue"])
    road.agent("approve", goods="keep")
    road.ends("refunded")
    assert (road.incidents(), road.mails(), road.texts()) == ([], ["received", "refunded"], ["refunded"])
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (2, 1)


def test_every_clock_of_the_policy_has_a_story():
    rules = {rule.name for rule in fields(PolicySpec) if rule.name.endswith("_seconds")}
    assert rules == {clock.rule for clock in CLOCKS.values()} | ALONE


def test_every_state_that_waits_has_a_story():
    states = {clock.state for clock in CLOCKS.values()}
    assert states == WAITING | {RefundState.REJECTED}
    assert {state for state in RefundState if _has_deadline(state)} <= states


def _has_deadline(state: RefundState) -> bool:
    now = datetime.now(UTC)
    plan = decide(Seen(state, Route.PICKUP, 1000, "EUR", now), BUILT_IN, now=now)
    return plan.deadline is not None and not plan.verbs


def _call_of(road: Road) -> str:
    [(call,)] = road.case.order.shop.stack.query(
        "SELECT call FROM refunds_gatewayrefund WHERE number LIKE %s", f"{road.case.number}-%"
    )
    return call
