"""Who may do what, as a table."""

import pytest

from orders.errors import Forbidden
from orders.roles import Actor, Role
from refunds.actions import RULES, Action, allowed, hindrance, permit
from refunds.needs import Position
from refunds.states import RefundState, Route

S = RefundState
READERS = (Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR)
ACTORS = (Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.CUSTOMER, Role.SYSTEM)


def test_every_action_has_one_rule() -> None:
    assert sorted(rule.action for rule in RULES) == sorted(Action)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", [Action.READ, Action.PREVIEW])
def test_everybody_reads(action, role) -> None:
    permit(action, Actor("principal:1", role))


@pytest.mark.parametrize("action", [Action.REQUEST, Action.CANCEL])
def test_readers_do_not_act(action) -> None:
    for role in ACTORS:
        permit(action, Actor("principal:1", role))
    for role in READERS:
        with pytest.raises(Forbidden) as refused:
            permit(action, Actor("principal:1", role))
        assert (refused.value.status, refused.value.code) == (403, "role_forbidden")


@pytest.mark.parametrize(
    ("state", "claimed", "expected"),
    [
        (RefundState.REQUESTED, False, (Action.CANCEL, Action.WRITE)),
        (RefundState.REFUNDING, False, (Action.CANCEL, Action.WRITE)),
        (RefundState.REFUNDING, True, (Action.WRITE,)),
        (RefundState.INSPECTING, False, (Action.WRITE, Action.EVIDENCE)),
        (RefundState.REFUNDED, False, (Action.WRITE,)),
        (RefundState.FAILED, False, (Action.WRITE,)),
    ],
)
def test_a_refund_is_cancelled_only_before_its_money_is_claimed(state, claimed, expected) -> None:
    assert allowed(Position(state, claimed=claimed), Actor("principal:1", Role.SHOP)) == expected


HINDRANCES = [
    # at                                                           to                    answers
    (Position(S.IN_REVIEW, requested_by="principal:1"), Action.APPROVE, "403 own_request"),
    (Position(S.IN_REVIEW, requested_by="principal:2"), Action.APPROVE, "-"),
    (Position(S.REQUESTED, Route.PICKUP), Action.EVIDENCE, "-"),
    (Position(S.REQUESTED, Route.INSTANT), Action.EVIDENCE, "409 refunded_at_once"),
    (Position(S.IN_REVIEW), Action.EVIDENCE, "-"),
    (Position(S.REJECTED, contestable=True), Action.EVIDENCE, "-"),
    (Position(S.REJECTED), Action.EVIDENCE, "409 not_contestable"),
    (Position(S.REFUNDED, contestable=True), Action.EVIDENCE, "409 wrong_state"),
    (Position(S.IN_REVIEW), Action.RESUME, "409 not_on_hold"),
    (Position(S.IN_REVIEW, held=True), Action.RESUME, "-"),
    (Position(S.REFUNDING, claimed=True), Action.HOLD, "409 money_claimed"),
    (Position(S.AWAITING_RETURN, Route.PICKUP), Action.REBOOK_PICKUP, "-"),
    (Position(S.AWAITING_RETURN, Route.PICKUP), Action.DROP_OFF, "-"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, labelled=True), Action.DROP_OFF, "409 label_given"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, labelled=True), Action.REBOOK_PICKUP, "-"),
    (Position(S.AWAITING_RETURN, Route.INTERCEPT), Action.REBOOK_PICKUP, "409 not_fetched"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, sent=True), Action.REBOOK_PICKUP, "409 not_fetched"),
    # Nobody sends back what he does not have, unless he says that he has sent it already.
    (Position(S.AWAITING_RETURN, Route.PICKUP), Action.SHIP_BACK, "-"),
    (Position(S.AWAITING_RETURN, Route.INTERCEPT), Action.SHIP_BACK, "409 not_delivered"),
    (Position(S.AWAITING_RETURN, Route.INTERCEPT, sent=True), Action.SHIP_BACK, "-"),
    # Posted by the customer's word it may still be corrected; what a carrier has is on its way.
    (Position(S.AWAITING_RETURN, Route.PICKUP, under_way=True, sent=True), Action.SHIP_BACK, "-"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, under_way=True), Action.REBOOK_PICKUP, "409 already_collected"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, under_way=True), Action.CANCEL, "409 already_collected"),
    (Position(S.AWAITING_RETURN, under_way=True, carried=True), Action.SHIP_BACK, "409 already_collected"),
    # What no carrier reports has arrived by the customer's word.
    (Position(S.IN_REVIEW, Route.INTERCEPT, outward=True), Action.CONFIRM_ARRIVAL, "-"),
    (Position(S.AWAITING_RETURN, Route.INTERCEPT, outward=True), Action.CONFIRM_ARRIVAL, "-"),
    (Position(S.IN_REVIEW, Route.INTERCEPT), Action.CONFIRM_ARRIVAL, "409 not_on_its_way"),
    (Position(S.IN_REVIEW, Route.REFUND_ONLY, outward=True), Action.CONFIRM_ARRIVAL, "409 not_on_its_way"),
    (Position(S.REFUNDING, Route.INTERCEPT, outward=True), Action.CONFIRM_ARRIVAL, "409 wrong_state"),
    (
        Position(S.AWAITING_RETURN, Route.INTERCEPT, outward=True, cancel_wanted=True),
        Action.CONFIRM_ARRIVAL,
        "409 cancel_requested",
    ),
    (Position(S.IN_REVIEW), Action.PROVE_DELIVERY, "409 no_proof_awaited"),
    (Position(S.IN_REVIEW, proof_awaited=True), Action.PROVE_DELIVERY, "-"),
    (Position(S.REFUNDING, proof_awaited=True), Action.PROVE_DELIVERY, "409 wrong_state"),
    (Position(S.REQUESTED), Action.CONFIRM_STOP, "409 stop_not_awaited"),
    (Position(S.REQUESTED, unconfirmed=True), Action.CONFIRM_STOP, "-"),
    (Position(S.REQUESTED, unconfirmed=True), Action.CANCEL, "-"),
    (Position(S.REFUNDING, unconfirmed=True), Action.CONFIRM_STOP, "409 stop_not_awaited"),
    # Who has the goods decides whether it can be cancelled, or rejected without a look at them.
    (Position(S.AWAITING_RETURN, being_stopped=True), Action.CANCEL, "409 being_stopped"),
    (Position(S.REFUNDING, turned_back=True), Action.CANCEL, "409 goods_returned"),
    (Position(S.IN_REVIEW, received=True), Action.CANCEL, "409 goods_received"),
    (Position(S.REFUNDING, received=True), Action.CANCEL, "409 goods_received"),
    (Position(S.REFUNDING, received=True, claimed=True), Action.CANCEL, "409 money_claimed"),
    (Position(S.INSPECTING), Action.CANCEL, "409 goods_received"),
    (Position(S.IN_REVIEW, received=True), Action.REJECT, "409 goods_received"),
    (Position(S.IN_REVIEW, under_way=True, carried=True), Action.REJECT, "409 already_collected"),
    (Position(S.IN_REVIEW, under_way=True), Action.REJECT, "-"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, cancel_wanted=True), Action.REBOOK_PICKUP, "409 cancel_requested"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, cancel_wanted=True), Action.SHIP_BACK, "-"),
    # Goods that arrive after all are taken in, once; where none were to come back there is nothing to take in.
    (Position(S.CANCELLED, Route.PICKUP), Action.RECEIVE, "-"),
    (Position(S.EXPIRED, Route.INTERCEPT), Action.RECEIVE, "-"),
    (Position(S.CANCELLED, Route.PICKUP, received=True), Action.RECEIVE, "409 goods_received"),
    (Position(S.IN_REVIEW, Route.PICKUP, received=True), Action.RECEIVE, "409 goods_received"),
    (Position(S.OFFERED, Route.PICKUP, received=True), Action.RECEIVE, "409 goods_received"),
    (Position(S.AWAITING_RETURN, Route.PICKUP, received=True), Action.RECEIVE, "409 goods_received"),
    (Position(S.CANCELLED, Route.INSTANT), Action.RECEIVE, "409 nothing_to_receive"),
    (Position(S.FAILED), Action.RETRY, "409 nothing_to_retry"),
    (Position(S.FAILED, missing=True), Action.RETRY, "-"),
    (Position(S.FAILED, missing=True, doubted=True), Action.RETRY, "409 outcome_open"),
    (Position(S.FAILED, missing=True, doubted=True), Action.CLOSE, "-"),
    (Position(S.FAILED, open_outcome=True), Action.CLOSE, "409 outcome_open"),
    # Nobody checks himself: not who asked for it, not who approved it, not who refused it before.
    (Position(S.FAILED, missing=True, approved_by="principal:1"), Action.RECORD_EXTERNAL, "403 decided_before"),
    (Position(S.FAILED, missing=True, requested_by="principal:1"), Action.RECORD_EXTERNAL, "403 decided_before"),
    (Position(S.REFUNDING, lacks_second=True), Action.SECOND_APPROVE, "-"),
    (Position(S.REFUNDING), Action.SECOND_APPROVE, "409 no_second_needed"),
    (Position(S.REFUNDING, lacks_second=True, approved_by="principal:1"), Action.SECOND_APPROVE, "403 approved_before"),
    (Position(S.REFUNDING, lacks_second=True, requested_by="principal:1"), Action.SECOND_APPROVE, "403 own_request"),
    (Position(S.REFUNDING, lacks_second=True, may_bypass=True), Action.BYPASS_SECOND, "-"),
    (Position(S.REFUNDING, lacks_second=True), Action.BYPASS_SECOND, "403 no_bypass"),
    (Position(S.REFUNDING, may_bypass=True), Action.BYPASS_SECOND, "409 no_second_needed"),
    (Position(S.IN_REVIEW, rejected_by="principal:1"), Action.APPROVE, "403 decided_before"),
    (Position(S.IN_REVIEW, rejected_by="principal:1"), Action.REJECT, "403 decided_before"),
    (Position(S.IN_REVIEW, rejected_by="principal:1"), Action.OFFER, "403 decided_before"),
    (Position(S.IN_REVIEW, received=True, inspected=True), Action.REJECT, "-"),
    # Two agents do not work on one case; whoever takes it over may.
    (Position(S.IN_REVIEW, assignee="principal:2"), Action.APPROVE, "409 assigned_to_another"),
    (Position(S.IN_REVIEW, assignee="principal:2"), Action.REJECT, "409 assigned_to_another"),
    (Position(S.IN_REVIEW, assignee="principal:2"), Action.OFFER, "409 assigned_to_another"),
    (Position(S.IN_REVIEW, assignee="principal:2"), Action.ASK, "409 assigned_to_another"),
    (Position(S.IN_REVIEW, assignee="principal:2"), Action.ASSIGN, "-"),
    (Position(S.IN_REVIEW, assignee="principal:1"), Action.APPROVE, "-"),
    # An offer is for goods that stay where they are.
    (Position(S.IN_REVIEW, requested_by="principal:1"), Action.OFFER, "403 own_request"),
    (Position(S.IN_REVIEW, under_way=True), Action.OFFER, "409 already_collected"),
    (Position(S.OFFERED, received=True), Action.ACCEPT_OFFER, "409 goods_received"),
    (Position(S.OFFERED, received=True), Action.DECLINE_OFFER, "-"),
    (Position(S.IN_REVIEW), Action.ACCEPT_OFFER, "409 no_offer"),
    (Position(S.REJECTED), Action.CONTEST, "409 not_contestable"),
    (Position(S.REJECTED, contestable=True), Action.CONTEST, "-"),
    (Position(S.REFUNDED, contestable=True), Action.CONTEST, "-"),
    (Position(S.IN_REVIEW, contestable=True), Action.CONTEST, "409 not_contestable"),
]


@pytest.mark.parametrize(("at", "action", "answer"), HINDRANCES)
def test_what_hinders_an_action_is_said_and_the_action_not_offered(at, action, answer) -> None:
    actor = Actor("principal:1", Role.FINANCE if action is Action.BYPASS_SECOND else Role.SUPERVISOR)
    problem = hindrance(action, at, actor)
    assert (f"{problem.status} {problem.code}" if problem else "-") == answer
    assert (action in allowed(at, actor)) == (problem is None)
