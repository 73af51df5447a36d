"""From every state an end is reached, by a person's act or by time alone: over the tables and the acts, purely."""

from datetime import UTC, datetime, timedelta

import pytest

from orders.roles import KEY_ROLES
from refunds.actions import RULES, Action
from refunds.decide import decide
from refunds.goods import GoodsSeen
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.states import FINAL_STATES, REFUND_ARROWS, Place, RefundState, Route, Stop
from tests.unit.refunds.shorthand import movement, replace

NOW = datetime(2026, 6, 1, tzinfo=UTC)
#: The arrows an act takes, by verb; the others move none.
TAKES = {
    Action.CANCEL: {"cancel"},
    Action.OFFER: {"offer"},
    Action.ACCEPT_OFFER: {"accept_offer"},
    Action.DECLINE_OFFER: {"decline_offer"},
    Action.CONTEST: {"reopen"},
    Action.REOPEN: {"reopen"},
    Action.APPROVE: {"approve_return", "approve_refund"},
    Action.REJECT: {"reject"},
    Action.RECEIVE: {"receive", "goods_arrive"},
    Action.INSPECT: {"accept_goods", "refuse_goods"},
    Action.RETRY: {"retry"},
    Action.RECORD_EXTERNAL: {"settle"},
    Action.CLOSE: {"close_partly", "close_unmoved"},
}
WAYS = {(source, arrow.verb): RefundState(arrow.target) for arrow in REFUND_ARROWS for source in arrow.sources}
OPEN = [state for state in RefundState if state not in FINAL_STATES]


def by_people(state: RefundState) -> set[RefundState]:
    """Where acts that somebody with a key may do lead next."""
    rules = [r for r in RULES if state in r.states and r.roles & set(KEY_ROLES)]
    return {WAYS[state, verb] for r in rules for verb in TAKES.get(r.action, ()) if (state, verb) in WAYS}


def by_time(state: RefundState, policy: PolicySpec) -> set[RefundState]:
    """Where the engine leads it when its time is over and nobody has said a word."""
    seen = Seen(state, Route.PICKUP, 1000, "EUR", NOW - timedelta(days=99), (movement("intended idle"),))
    for verb in decide(replace(seen, approved=True, deadline=NOW), policy, now=NOW).verbs:
        state = WAYS[state, verb]
    return {state}


def reached(start: RefundState, policy: PolicySpec, *, people: bool) -> set[RefundState]:
    found, new = set(), {start}
    while new:
        found |= new
        new = {s for state in new for s in by_time(state, policy) | (by_people(state) if people else set())} - found
    return found


@pytest.mark.parametrize("state", OPEN)
def test_a_person_can_end_it(state: RefundState) -> None:
    assert FINAL_STATES & reached(state, PolicySpec(), people=True)


@pytest.mark.parametrize("state", [RefundState.REQUESTED, RefundState.IN_REVIEW, RefundState.AWAITING_RETURN])
def test_time_alone_ends_what_nobody_agreed_to(state: RefundState) -> None:
    policy = PolicySpec(review_outcome="reject")
    assert FINAL_STATES & reached(state, policy, people=False)


def test_time_alone_brings_a_stop_nobody_confirmed_to_a_person() -> None:
    asked = Seen(RefundState.REQUESTED, Route.INSTANT, 1000, "EUR", NOW, stop=Stop.AWAITED, deadline=NOW)
    assert decide(asked, PolicySpec(), now=NOW).counts_as_left
    left = replace(asked, stop=Stop.UNCONFIRMED, goods=GoodsSeen(units=(UnitsAt("A", Place.IN_TRANSIT, 1, 1),)))
    assert decide(left, PolicySpec(), now=NOW).verbs == ("send_to_review",)


def test_time_alone_brings_goods_that_are_here_to_their_money() -> None:
    assert reached(RefundState.INSPECTING, PolicySpec(), people=False) >= {RefundState.REFUNDING}


@pytest.mark.parametrize("rule", [r for r in RULES if r.action in TAKES], ids=lambda rule: rule.action)
def test_an_act_is_allowed_where_its_arrows_begin(rule) -> None:
    begins = {source for source, verb in WAYS if verb in TAKES[rule.action]}
    # Received before the approval; and what keeps one that is inspected from being cancelled is said by a need. While
    # it is being paid a person can say what became of money that no gateway answers about.
    more = {Action.RECEIVE: {RefundState.IN_REVIEW}, Action.CANCEL: {RefundState.INSPECTING}}
    more |= dict.fromkeys((Action.RETRY, Action.RECORD_EXTERNAL), {RefundState.REFUNDING})
    # Money may go before the goods are looked at, and what was refused of a part is contested by a refund of its own.
    paid = {RefundState.REFUNDING, RefundState.REFUNDED, RefundState.PARTIALLY_REFUNDED, RefundState.FAILED}
    more |= dict.fromkeys((Action.INSPECT, Action.CONTEST), paid)
    more[Action.RECEIVE] |= paid | {RefundState.OFFERED}
    assert rule.states == begins | more.get(rule.action, set())
