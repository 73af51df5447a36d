"""Which incidents a person may close, and which end by themselves: as a table."""

import pytest

from orders.errors import Forbidden
from orders.roles import Actor, Role
from refunds.incidents import ABOUT_MONEY, DOUBTS, INCIDENT_RULES, Cause, ended_in, lasting, may_close, permit_closing
from refunds.states import FINAL_STATES, RefundState

S = RefundState
LASTING = [
    # kind                       where the refund stands      is closed by hand
    ("refund_failed", Cause(S.FAILED, False), False),
    ("refund_failed", Cause(S.REFUNDING, False), True),
    ("refund_reversed", Cause(S.FAILED, False), False),
    ("outcome_unknown", Cause(S.REFUNDING, True), False),
    ("outcome_unknown", Cause(S.REFUNDING, False), True),
    ("outcome_unknown", Cause(S.REFUNDED, True), False),
    ("outcome_pending", Cause(S.REFUNDING, True), False),
    ("pay_by_hand", Cause(S.REFUNDING, False), False),
    ("pay_by_hand", Cause(S.FAILED, False), True),
    ("review_overdue", Cause(S.IN_REVIEW, False), False),
    ("return_failed", Cause(S.IN_REVIEW, False), False),
    ("return_failed", Cause(S.AWAITING_RETURN, False), True),
    ("shipped_after_refund", Cause(S.REFUNDED, False), True),
    ("delivered_after_refund", Cause(S.REFUNDED, False), True),
    ("goods_arrived", Cause(S.CANCELLED, False), True),
    ("second_refund_at_gateway", Cause(S.FAILED, True), True),
    ("excess", None, True),
    ("money_for_cancelled_order", None, True),
    ("message_refused", Cause(S.IN_REVIEW, False), True),
    ("dispute_opened", Cause(S.REFUNDING, True), True),
    ("told.by.some.gateway", Cause(S.REFUNDING, True), True),
]


@pytest.mark.parametrize(("kind", "cause", "is_closed"), LASTING)
def test_an_incident_is_closed_once_its_cause_is_over(kind, cause, is_closed) -> None:
    supervisor = Actor("principal:1", Role.SUPERVISOR)
    assert may_close(kind, cause, supervisor) is is_closed
    problem = lasting(kind, cause)
    assert problem is None if is_closed else problem and (problem.status, problem.code) == (409, "incident_lasts")


@pytest.mark.parametrize("state", RefundState)
def test_the_engine_ends_those_of_the_review_with_it_and_those_of_failed_money_with_the_refund(state) -> None:
    review, money = {"review_overdue", "return_failed", "proof_missing"}, {"refund_failed", "refund_reversed"}
    money |= {"outcome_unknown", "outcome_pending"}
    expected = (set() if state == S.IN_REVIEW else review) | (money if state in FINAL_STATES else set())
    # What is at home, or on its way there, can be looked at.
    expected |= set() if state in (S.AWAITING_RETURN, S.INSPECTING) else DOUBTS
    expected |= set() if state == S.REFUNDING else {"pay_by_hand"}
    assert ended_in(state, INCIDENT_RULES) == expected


@pytest.mark.parametrize("kind", INCIDENT_RULES)
def test_what_ends_by_itself_is_over_when_it_does(kind) -> None:
    rule = INCIDENT_RULES[kind]
    assert not rule.lasts_in & rule.ends_in


@pytest.mark.parametrize("role", Role)
def test_finance_closes_what_is_about_money_and_customer_service_the_rest(role) -> None:
    actor = Actor("principal:1", role)
    for kind in INCIDENT_RULES:
        of_both = kind in ("shipped_after_refund", "delivered_after_refund", "return_short")
        may = role is Role.SUPERVISOR or (role is Role.FINANCE and kind in ABOUT_MONEY)
        may = may or (role is Role.SUPPORT and (kind not in ABOUT_MONEY or of_both))
        if may:
            permit_closing(kind, actor)
        else:
            with pytest.raises(Forbidden):
                permit_closing(kind, actor)
        assert may_close(kind, None, actor) is may
