"""Money, decided: (state, its movements) -> arrows, calls, messages, cases for people. The rules are in
`test_decide_rules`."""

from datetime import datetime, timedelta

import pytest

from refunds.conditions import Condition
from refunds.decide import Plan, decide, next_look
from refunds.observing import observe
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import FINAL_STATES, RefundState, Route
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, NEITHER, ONLY_KEYS, TIMING, movement, replace, second
from workers.ports import Capabilities

POLICY = PolicySpec(instant_limit_minor={"EUR": 50_000})
OPEN_STATES = [state for state in RefundState if state not in FINAL_STATES]


def seen(state: str, *held: str, can: Capabilities = CAN_BE_ASKED, **facts: object) -> Seen:
    """An instant refund asked for when its movements left, each of 10.00 EUR and written in short."""
    defaults = {
        "route": Route.INSTANT,
        "amount_minor": 1000 * max(1, len(held)),
        "currency": "EUR",
        "created_at": FIRST_SENT,
    }
    movements = tuple(replace(movement(text, can), number=f"RF-1-{n}") for n, text in enumerate(held, start=1))
    return Seen(RefundState(state), movements=movements, **(defaults | facts))


ARROWS = [
    # the refund is        its money is                        it goes
    ("requested", ["intended idle"], "pay_at_once"),
    ("refunding", ["intended idle"], "-"),
    ("refunding", ["intended sent"], "-"),
    ("refunding", ["intended unknown"], "-"),
    ("refunding", ["pending idle id:a"], "-"),
    ("refunding", ["succeeded idle id:a"], "succeed"),
    ("refunding", ["external idle"], "succeed"),
    ("refunding", ["failed idle"], "fail"),
    ("refunding", ["reversed idle id:a"], "fail"),
    ("refunding", ["cancelled idle"], "fail"),
    # Several payments: done when every movement is, failed when nothing is under way any more.
    ("refunding", ["succeeded idle id:a", "succeeded idle id:b"], "succeed"),
    ("refunding", ["succeeded idle id:a", "pending idle id:b"], "-"),
    ("refunding", ["succeeded idle id:a", "intended unknown"], "-"),
    ("refunding", ["succeeded idle id:a", "failed idle"], "fail"),
    ("refunding", ["failed idle", "pending idle id:b"], "-"),
    ("refunding", ["failed idle", "intended sent"], "-"),
    ("refunding", ["failed idle", "intended idle"], "-"),
    # Moved, but a later attempt is still out: it may have moved money too.
    ("refunding", ["succeeded sent #2 id:a"], "-"),
    ("refunding", ["failed unknown #2"], "-"),
    # After all.
    ("failed", ["succeeded idle id:a"], "settle"),
    ("failed", ["succeeded idle id:a", "external idle"], "settle"),
    ("failed", ["succeeded idle id:a", "failed idle"], "-"),
    ("failed", ["pending idle id:a"], "-"),
    ("failed", ["failed idle"], "-"),
    ("failed", ["reversed idle id:a"], "-"),
    ("partially_refunded", ["succeeded idle id:a", "succeeded idle id:b"], "-"),
    ("partially_refunded", ["succeeded idle id:a", "failed idle"], "-"),
    # Taken back by the gateway.
    ("refunded", ["reversed idle id:a"], "reverse"),
    ("refunded", ["succeeded idle id:a", "reversed idle id:b"], "reverse"),
    ("partially_refunded", ["reversed idle id:a", "failed idle"], "reverse"),
    ("refunded", ["succeeded idle id:a"], "-"),
    # Paid again under another number: what was reversed is over.
    ("refunding", ["reversed idle id:a replaced", "intended idle"], "-"),
    ("refunding", ["reversed idle id:a replaced", "failed idle"], "fail"),
    ("refunded", ["reversed idle id:a replaced", "reversed idle id:b"], "reverse"),
    # People's states: the engine waits.
    ("in_review", ["intended idle"], "-"),
    ("offered", ["intended idle"], "-"),
    ("awaiting_return", ["intended idle"], "-"),
    ("inspecting", ["intended idle"], "-"),
    ("cancelled", ["cancelled idle"], "-"),
    ("rejected", ["cancelled idle"], "-"),
    ("expired", ["cancelled idle"], "-"),
]


@pytest.mark.parametrize(("state", "held", "verbs"), ARROWS)
def test_which_arrow_is_taken(state: str, held: list[str], verbs: str) -> None:
    assert " ".join(decide(seen(state, *held), POLICY, now=second(20)).verbs) == verbs.strip("-")


REQUESTS = [
    # route         amount   goes
    ("instant", 1000, "pay_at_once"),
    ("instant", 50_000, "pay_at_once"),
    ("instant", 50_001, "send_to_review"),  # above the policy's limit
    ("intercept", 1000, "send_to_review"),
    ("pickup", 1000, "send_to_review"),
    ("refund_only", 1000, "send_to_review"),
    # Public reports 25 and 53: nothing to move, so nothing to call anybody for.
    ("instant", 0, "pay_at_once succeed"),
    ("pickup", 0, "pay_at_once succeed"),
]


@pytest.mark.parametrize(("way", "amount_minor", "verbs"), REQUESTS)
def test_what_a_request_becomes(way: str, amount_minor: int, verbs: str) -> None:
    held = ["intended idle"] if amount_minor else []
    plan = decide(seen("requested", *held, route=Route(way), amount_minor=amount_minor), POLICY, now=second(0))
    assert " ".join(plan.verbs) == verbs
    assert bool(plan.sends) is (verbs == "pay_at_once")


@pytest.mark.parametrize(
    ("way", "amount_minor", "verbs"),
    [
        ("refund_only", 1000, "pay_at_once"),
        ("refund_only", 50_001, "send_to_review"),  # above the policy's limit
        ("pickup", 1000, "send_to_review"),
    ],
)
def test_what_the_shop_gives_by_itself_becomes(way: str, amount_minor: int, verbs: str) -> None:
    asked = seen("requested", "intended idle", route=Route(way), amount_minor=amount_minor, by_shop=True)
    plan = decide(asked, POLICY, now=second(0))
    assert " ".join(plan.verbs) == verbs
    assert bool(plan.sends) is (verbs == "pay_at_once")


def test_a_currency_without_a_limit_has_none() -> None:
    plan = decide(seen("requested", "intended idle", currency="JPY", amount_minor=10**9), POLICY, now=second(0))
    assert plan.verbs == ("pay_at_once",)


def test_money_that_nothing_moved_is_never_called_refunded() -> None:
    """Public report 8."""
    assert decide(seen("refunding"), POLICY, now=second(0)).verbs == ("fail",)


CALLS = [
    # the refund is    its money is    at s   send   ask
    ("requested", "intended idle", 0, "RF-1-1", ""),
    ("refunding", "intended idle", 0, "RF-1-1", ""),
    ("refunding", "intended sent", 5, "", ""),
    ("refunding", "intended sent", 10, "", "RF-1-1"),
    ("refunding", "intended unknown", 20, "", "RF-1-1"),
    ("refunding", "pending idle id:a", 60, "", "RF-1-1"),
    # Money is sent in `refunding` only; what has left is asked about wherever the refund is.
    ("in_review", "intended idle", 0, "", ""),
    ("failed", "intended idle", 0, "", ""),
    ("failed", "pending idle id:a", 60, "", "RF-1-1"),
    ("cancelled", "intended unknown", 20, "", "RF-1-1"),
]


@pytest.mark.parametrize(("state", "held", "at", "sends", "asks"), CALLS)
def test_what_is_called(state: str, held: str, at: float, sends: str, asks: str) -> None:
    plan = decide(seen(state, held), POLICY, now=second(at))
    assert (" ".join(plan.sends), " ".join(plan.asks)) == (sends, asks)


def test_movements_back_off_one_by_one() -> None:
    """One that waits does not hold up the other. Controller check 20; upstream:
    TestGetPodCreationInfoForIndependentIndexes, TestGetRemainingBackoffTimePerIndex."""
    both = seen("refunding", "intended idle", "intended idle")
    waiting = replace(both.movements[0], call=replace(both.movements[0].call, retry_at=second(60)))
    both = replace(both, movements=(waiting, both.movements[1]))
    assert decide(both, POLICY, now=second(0)).sends == ("RF-1-2",)
    assert decide(both, POLICY, now=second(60)).sends == ("RF-1-1", "RF-1-2")


MESSAGES = [
    # the refund is   its money is   at s   told before   is told
    ("requested", "intended idle", 0, False, ""),
    ("refunding", "intended sent", 59, False, ""),
    ("refunding", "intended sent", 60, False, "received"),
    ("refunding", "intended sent", 60, True, ""),
    ("in_review", "intended idle", 60, False, "received"),
    # Ended within the minute, one message says both.
    ("refunding", "succeeded idle id:a", 2, False, "refunded_at_once"),
    ("refunding", "succeeded idle id:a", 99, False, "refunded_at_once"),
    ("refunding", "succeeded idle id:a", 99, True, "refunded"),
    ("refunding", "failed idle", 2, False, "failed"),
    ("refunding", "failed idle", 99, True, "failed"),
    ("failed", "succeeded idle id:a", 99, True, "refunded"),
    ("refunded", "reversed idle id:a", 99, True, "reversed"),
    ("refunding", "reversed idle id:a", 99, True, "reversed"),
    ("refunded", "succeeded idle id:a", 99, False, ""),
    ("cancelled", "cancelled idle", 99, False, ""),
]


@pytest.mark.parametrize(("state", "held", "at", "acknowledged", "message"), MESSAGES)
def test_what_the_customer_is_told(state: str, held: str, at: float, acknowledged: bool, message: str) -> None:
    plan = decide(seen(state, held, acknowledged=acknowledged), POLICY, now=second(at))
    assert " ".join(plan.messages) == message


HOUR, WEEK = 3600, 7 * 24 * 3600
INCIDENTS = [
    # gateway      the refund is   its money is   at s        a person looks at
    (CAN_BE_ASKED, "refunding", "failed idle", 2, "refund_failed"),
    (CAN_BE_ASKED, "refunded", "reversed idle id:a", 2, "refund_reversed"),
    (CAN_BE_ASKED, "refunding", "intended unknown", HOUR, ""),
    (CAN_BE_ASKED, "refunding", "intended unknown", HOUR + 1, "outcome_unknown"),
    (CAN_BE_ASKED, "refunding", "intended sent", HOUR + 1, "outcome_unknown"),
    (ONLY_KEYS, "refunding", "intended unknown", 60, ""),
    (ONLY_KEYS, "refunding", "intended unknown", HOUR, "outcome_unknown"),  # the key is forgotten from now on
    (NEITHER, "refunding", "intended sent", 9, ""),
    (NEITHER, "refunding", "intended sent", 10, "outcome_unknown"),
    (NEITHER, "refunding", "intended unknown", 1, "outcome_unknown"),
    (CAN_BE_ASKED, "refunding", "pending idle id:a", WEEK, ""),
    (CAN_BE_ASKED, "refunding", "pending idle id:a", WEEK + 1, "outcome_pending"),
    (NEITHER, "refunding", "pending idle id:a", WEEK + 1, "outcome_pending"),
]


@pytest.mark.parametrize(("can", "state", "held", "at", "kind"), INCIDENTS)
def test_what_a_person_looks_at(can: Capabilities, state: str, held: str, at: float, kind: str) -> None:
    it = seen(state, held, can=can, acknowledged=True)
    assert " ".join(decide(it, POLICY, now=second(at)).incidents) == kind
    if not decide(it, POLICY, now=second(at)).verbs:
        assert decide(replace(it, incidents=frozenset([kind])), POLICY, now=second(at)).incidents == ()


def test_a_review_has_a_deadline_and_is_shown_when_it_is_over() -> None:
    plan = decide(seen("requested", "intended idle", route=Route.PICKUP), POLICY, now=second(0))
    assert plan.deadline == second(48 * HOUR)
    waiting = seen("in_review", "intended idle", deadline=plan.deadline, acknowledged=True)
    assert decide(waiting, POLICY, now=second(48 * HOUR - 1)) == Plan(Route.INSTANT, deadline=plan.deadline)
    assert decide(waiting, POLICY, now=second(48 * HOUR)).incidents == ("review_overdue",)


NEXT_LOOKS = [
    # gateway      told   the refund is   its money is   at s   next look at
    (CAN_BE_ASKED, False, ("refunding", "intended sent"), 2, 10),
    (CAN_BE_ASKED, False, ("refunding", "pending idle id:a"), 2, 2),
    (CAN_BE_ASKED, False, ("in_review", "intended idle"), 2, 60),  # "received" is due then
    (CAN_BE_ASKED, True, ("in_review", "intended idle"), 70, 70 + 6 * HOUR),
    (CAN_BE_ASKED, True, ("failed", "failed idle"), 70, 70 + 6 * HOUR),
    (NEITHER, True, ("refunding", "intended unknown"), 70, 70 + 6 * HOUR),
    (ONLY_KEYS, True, ("refunding", "intended unknown"), 2, 15),
    (CAN_BE_ASKED, False, ("refunded", "succeeded idle id:a"), 2, None),
    (CAN_BE_ASKED, False, ("cancelled", "cancelled idle"), 2, None),
    # A final one keeps its clock until none of its calls is open.
    (CAN_BE_ASKED, False, ("cancelled", "intended sent"), 2, 10),
]


@pytest.mark.parametrize(("can", "is_told", "refund", "at", "look"), NEXT_LOOKS)
def test_when_it_looks_again(can, is_told: bool, refund: tuple[str, str], at: float, look: float | None) -> None:
    it = seen(*refund, can=can, acknowledged=is_told)
    expected = None if look is None else second(look)
    assert next_look(it, POLICY, now=second(at), timing=TIMING) == expected


def test_a_deadline_wakes_it() -> None:
    """At the deadline, never earlier; a shorter one re-arms. Controller check 27; upstream:
    TestPastDeadlineJobFinished."""
    it = seen("in_review", "intended idle", acknowledged=True, deadline=second(HOUR))
    assert next_look(it, POLICY, now=second(0), timing=TIMING) == second(HOUR)
    shorter = replace(it, deadline=second(60))
    assert next_look(shorter, POLICY, now=second(0), timing=TIMING) == second(60)


@pytest.mark.parametrize("state", OPEN_STATES)
@pytest.mark.parametrize("held", ["intended idle", "intended unknown", "pending idle id:a", "failed idle"])
@pytest.mark.parametrize("can", [CAN_BE_ASKED, ONLY_KEYS, NEITHER])
def test_an_open_refund_is_always_looked_at_again_and_at_least_four_times_a_day(state, held, can) -> None:
    look = next_look(seen(state, held, can=can), POLICY, now=second(99), timing=TIMING)
    assert isinstance(look, datetime)
    assert look <= second(99) + timedelta(hours=6)


CONDITIONS = [
    # the refund is   its money is        MoneyMoved, Succeeded
    ("requested", ["intended idle"], "False NotYet", "Unknown Requested"),
    ("refunding", ["intended sent"], "False NotYet", "Unknown Refunding"),
    ("refunding", ["intended unknown"], "Unknown NoAnswer", "Unknown Refunding"),
    ("refunding", ["pending idle id:a"], "Unknown Pending", "Unknown Refunding"),
    ("refunding", ["succeeded idle id:a", "intended idle"], "False NotYet", "Unknown Refunding"),
    ("refunded", ["succeeded idle id:a"], "True Succeeded", "True Refunded"),
    ("refunded", ["external idle"], "True Succeeded", "True Refunded"),
    ("failed", ["failed idle"], "False Failed", "False Failed"),
    ("failed", ["succeeded idle id:a", "failed idle"], "False Failed", "False Failed"),
    ("failed", ["reversed idle id:a"], "False Reversed", "False Failed"),
    ("refunding", ["reversed idle id:a replaced", "pending idle id:b"], "Unknown Pending", "Unknown Refunding"),
    ("refunded", ["reversed idle id:a replaced", "succeeded idle id:b"], "True Succeeded", "True Refunded"),
    ("cancelled", ["cancelled idle"], "False NotYet", "False Cancelled"),
    ("partially_refunded", ["succeeded idle id:a", "failed idle"], "False Failed", "False PartiallyRefunded"),
    ("awaiting_return", ["intended idle"], "False NotYet", "Unknown AwaitingReturn"),
]


@pytest.mark.parametrize(("state", "held", "money_moved", "succeeded"), CONDITIONS)
def test_what_is_observed(state: str, held: list[str], money_moved: str, succeeded: str) -> None:
    """Controller check 52; upstream: Test_calculateCondition, TestCalculateCondition,
    TestNonStructuralSchemaConditionUpdate."""
    shown = conditions_of(seen(state, *held))
    assert (shown["MoneyMoved"], shown["Succeeded"]) == (money_moved, succeeded)


def conditions_of(it: Seen, *, at: float = 5) -> dict[str, str]:
    observed: list[Condition] = list(observe(it, now=second(at)))
    assert len({c.type for c in observed}) == len(observed)
    return {c.type: f"{c.status} {c.reason}" for c in observed}


def test_what_is_only_said_when_it_is_so() -> None:
    assert set(conditions_of(seen("refunding", "intended idle"))) == {"RouteDecided", "MoneyMoved", "Succeeded"}
    assert conditions_of(seen("refunding", "intended unknown"))["OutcomeUnknown"] == "True NoAnswer"
    assert conditions_of(seen("refunding", "intended sent"), at=10)["OutcomeUnknown"] == "True NoAnswer"
    assert conditions_of(seen("refunding", "intended idle", reachable=False))["Unreachable"] == "True NoContact"
    assert conditions_of(seen("refunded", amount_minor=0))["MoneyMoved"] == "True NothingToMove"


@pytest.mark.parametrize("way", Route)
def test_the_route_is_said(way: Route) -> None:
    shown = conditions_of(seen("requested", "intended idle", route=way))
    assert shown["RouteDecided"] == f"True {way.title().replace('_', '')}"
