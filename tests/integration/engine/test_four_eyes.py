"""Above the policy's limit a second person agrees to just this refund, or no money leaves."""

from datetime import timedelta
from functools import partial

import pytest

from orders import clock
from orders.errors import Conflict, Forbidden
from orders.models import PaymentShare
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import Refund, RefundEvent
from refunds.services.acts import (
    Approval,
    Inspected,
    approve,
    bypass_second,
    inspect,
    receive,
    second_approve,
)
from refunds.states import RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    FINANCE,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    in_force,
    pass_time,
    state,
    target,
    work,
)
from tests.integration.engine.threads import together

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
BOSS = Actor("principal:7", Role.SUPERVISOR)


@pytest.fixture
def courier() -> Courier:
    in_force(second_approval_minor={"EUR": 1500})
    return Courier()


def asked(engine: Engine, courier: Courier, *, quantity: int = 2, where: str = "") -> Refund:
    order = bought(1000, quantity=quantity)
    if where:
        ship(order, where)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    return refund


def conformant(refund: Refund) -> str:
    [found] = [c for c in fresh(refund).conditions if c["type"] == "ApprovalConformant"]
    return found["reason"]


def test_much_money_is_not_paid_at_once_nor_by_one_person(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier)
    assert (state(refund), conformant(refund)) == (RefundState.IN_REVIEW, "Missing")
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDING and PaymentShare.objects.get().refunded_minor == 0
    second_approve(target(refund), actor=BOSS)
    work(engine, courier, refund)
    assert (state(refund), conformant(refund)) == (RefundState.REFUNDED, "Approved")
    assert RefundEvent.objects.get(kind="refund.second_approved").data == {"amount_minor": 2000}


def test_little_money_needs_nobody(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier, quantity=1)
    assert state(refund) == RefundState.REFUNDED


def test_the_second_person_is_neither_who_asked_nor_who_approved(engine: Engine, courier: Courier) -> None:
    order = bought(1000, quantity=2)
    [refund] = request(order, actor=BOSS).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    for actor, code in ((BOSS, "own_request"), (AGENT, "approved_before")):
        with pytest.raises(Forbidden) as refused:
            second_approve(target(refund), actor=actor)
        assert refused.value.code == code
    second_approve(target(refund), actor=FINANCE)
    with pytest.raises(Conflict):
        work(engine, courier, refund)
        second_approve(target(refund), actor=Actor("principal:11", Role.FINANCE))
    assert state(refund) == RefundState.REFUNDED


def test_goods_come_back_meanwhile_and_what_was_found_less_needs_no_new_word(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier, quantity=4, where="delivered")
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == RefundState.AWAITING_RETURN and courier.booked == 1
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), accepted=3, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    second_approve(target(refund), actor=BOSS)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED and PaymentShare.objects.get().refunded_minor == 3000


def test_a_word_given_before_the_inspection_lapses_with_the_units(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier, quantity=4, where="delivered")
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    second_approve(target(refund), actor=BOSS)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), accepted=3, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), conformant(refund)) == (RefundState.REFUNDING, "Invalid")
    assert PaymentShare.objects.get().refunded_minor == 0


def test_nobody_agrees_and_it_is_reviewed_again(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    pass_time(timedelta(days=7, seconds=1))
    work(engine, courier, refund)
    again = fresh(refund)
    assert (again.state, again.approved_by, again.second_by) == (RefundState.IN_REVIEW, "", "")
    assert again.deadline is not None and again.deadline > clock.now()


def test_finance_lets_it_pass_alone_where_the_policy_says_so_and_the_reason_is_kept(courier: Courier) -> None:
    in_force(second_approval_minor={"EUR": 1500}, second_bypass=True)
    engine = Engine()
    refund = asked(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    bypass_second(target(refund), reason="alone today", actor=FINANCE)
    work(engine, courier, refund)
    assert (state(refund), conformant(refund), fresh(refund).second_bypass) == ("refunded", "Bypassed", "alone today")
    [event] = RefundEvent.objects.filter(refund=refund, kind="refund.second_bypassed")
    assert event.data == {"amount_minor": 2000, "reason": "alone today"}


def test_by_another_policy_nobody_does_and_no_support_agent_ever_does(courier: Courier) -> None:
    engine = Engine()
    refund = asked(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    with pytest.raises(Forbidden) as refused:
        bypass_second(target(refund), reason="alone today", actor=FINANCE)
    assert refused.value.code == "no_bypass"
    with pytest.raises(Forbidden, match="role support"):
        bypass_second(target(refund), reason="alone today", actor=AGENT)


def test_of_several_who_are_the_second_person_at_once_one_is(courier: Courier) -> None:
    engine = Engine()
    refund = asked(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    others = [Actor(f"principal:{n}", Role.FINANCE) for n in (21, 22, 23)]
    answers = together(*(partial(second_approve, target(refund), actor=actor) for actor in others))
    assert sorted(getattr(answer, "code", "agreed") for answer in answers) == ["agreed", *["no_second_needed"] * 2]
    assert RefundEvent.objects.filter(refund=refund, kind="refund.second_approved").count() == 1
