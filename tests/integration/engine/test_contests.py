"""A refusal is contested: in time, so often, and looked at by somebody else, over goods that may be here already."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Conflict, Forbidden, Invalid
from orders.models import Channel, OrderLine, PaymentShare
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import CaseMessage, Refund
from refunds.services.acts import Approval, Inspected, approve, contest, inspect, receive, reject, reopen
from refunds.services.wishes import LineWish
from refunds.states import RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
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

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
COLLEAGUE = Actor("principal:8", Role.SUPPORT)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def in_review(engine: Engine, courier: Courier, *, quantity: int = 3) -> Refund:
    order = bought(1000, quantity=quantity)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    return refund


def rejected(engine: Engine, courier: Courier) -> Refund:
    refund = in_review(engine, courier)
    reject(target(refund), reason="It was worn.", actor=AGENT)
    work(engine, courier, refund)
    return refund


def inspected(engine: Engine, courier: Courier, **found: int) -> Refund:
    refund = in_review(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), **found)], actor=WAREHOUSE)
    work(engine, courier, refund)
    return refund


def others(refund: Refund) -> list[Refund]:
    return list(Refund.objects.filter(request_id=refund.request_id).exclude(pk=refund.pk))


def test_a_rejection_is_reviewed_again_by_somebody_else(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    contest(target(refund), note="It was never worn.", actor=CUSTOMER)
    work(engine, courier, refund)
    again = fresh(refund)
    assert (again.state, again.amount_minor, again.contest_until) == (RefundState.IN_REVIEW, 3000, None)
    assert PaymentShare.objects.get().reserved_minor == 3000
    assert CaseMessage.objects.get().text == "It was never worn."
    for act in (
        lambda: approve(target(refund), Approval(), actor=AGENT),
        lambda: reject(target(refund), reason="Still worn.", actor=AGENT),
    ):
        with pytest.raises(Forbidden) as refused:
            act()
        assert refused.value.code == "decided_before"
    approve(target(refund), Approval(), actor=COLLEAGUE)
    work(engine, courier, refund)
    assert state(refund) == RefundState.AWAITING_RETURN


def test_it_is_contested_once(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    contest(target(refund), note="It was never worn.", actor=CUSTOMER)
    reject(target(refund), reason="It smells.", actor=COLLEAGUE)
    work(engine, courier, refund)
    with pytest.raises(Conflict) as refused:
        contest(target(refund), note="It does not.", actor=CUSTOMER)
    assert refused.value.code == "not_contestable"


def test_the_time_to_contest_ends_with_a_day(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    until = fresh(refund).contest_until
    assert until is not None and (until.hour, until.minute) == (0, 0)
    pass_time(until - clock.now() + timedelta(seconds=1))
    work(engine, courier, refund)
    assert fresh(refund).contest_until is None and fresh(refund).next_reconcile_at is None
    with pytest.raises(Conflict) as refused:
        contest(target(refund), note="Too late.", actor=CUSTOMER)
    assert refused.value.code == "not_contestable"


def test_a_policy_may_take_no_contest(engine: Engine, courier: Courier) -> None:
    in_force(contest_attempts=0)
    refund = rejected(engine, courier)
    assert fresh(refund).contest_until is None


def test_units_asked_for_anew_meanwhile_are_not_taken_twice(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    request(refund.order, ("A", 1))
    with pytest.raises(Conflict) as refused:
        contest(target(refund), note="All three.", actor=CUSTOMER)
    assert refused.value.code == "taken_since"
    assert state(refund) == RefundState.REJECTED and not CaseMessage.objects.exists()


def test_nothing_is_contested_in_silence(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    with pytest.raises(Invalid) as refused:
        contest(target(refund), note=" ", actor=CUSTOMER)
    assert refused.value.errors[0].field == "note"


def test_an_agent_reopens_it_however_long_ago(engine: Engine, courier: Courier) -> None:
    refund = rejected(engine, courier)
    pass_time(timedelta(days=60))
    work(engine, courier, refund)
    reopen(target(refund), note="The photos prove it.", actor=COLLEAGUE)
    assert state(refund) == RefundState.IN_REVIEW
    assert PaymentShare.objects.get().reserved_minor == 3000


def test_refused_in_the_warehouse_it_is_paid_on_a_second_look(engine: Engine, courier: Courier) -> None:
    refund = inspected(engine, courier, damaged=3)
    assert state(refund) == RefundState.REJECTED
    contest(target(refund), note="The courier dropped it.", actor=CUSTOMER)
    work(engine, courier, refund)
    assert state(refund) == RefundState.IN_REVIEW
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED
    assert PaymentShare.objects.get().refunded_minor == 3000


def test_goods_that_were_looked_at_can_be_refused_for_good(engine: Engine, courier: Courier) -> None:
    refund = inspected(engine, courier, damaged=3)
    contest(target(refund), note="The courier dropped it.", actor=CUSTOMER)
    reject(target(refund), reason="It was not the courier.", actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REJECTED
    assert PaymentShare.objects.get().reserved_minor == 0


def test_of_a_part_that_was_refused_there_is_a_further_refund(engine: Engine, courier: Courier) -> None:
    refund = inspected(engine, courier, accepted=2, damaged=1)
    assert fresh(refund).amount_minor == 2000 and state(refund) == RefundState.REFUNDED
    contest(target(refund), note="It was whole.", actor=CUSTOMER)
    [rest] = others(refund)
    work(engine, courier, rest)
    rest = fresh(rest)
    assert (rest.state, rest.amount_minor, rest.contests) == (RefundState.IN_REVIEW, 1000, 1)
    approve(target(rest), Approval(), actor=AGENT)
    work(engine, courier, rest)
    assert state(rest) == RefundState.REFUNDED and courier.asked == []
    assert PaymentShare.objects.get().refunded_minor == 3000
    assert OrderLine.objects.get().refunded == 3


def test_what_is_contested_stays_in_its_request_though_the_channel_s_prefix_has_changed(
    engine: Engine, courier: Courier
) -> None:
    refund = inspected(engine, courier, accepted=2, damaged=1)
    Channel.objects.update(number_prefix="FX")
    contest(target(refund), note="It was whole.", actor=CUSTOMER)
    [rest] = others(refund)
    assert rest.number == f"RF-{rest.pk}"


def test_what_was_not_approved_is_with_the_customer_still(engine: Engine, courier: Courier) -> None:
    refund = in_review(engine, courier)
    approve(target(refund), Approval([LineWish(Sku("A"), 2)]), actor=AGENT)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), accepted=1, damaged=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    contest(target(refund), note="All of it, please.", actor=CUSTOMER)
    kept, looked_at = sorted(others(refund), key=lambda one: one.received_at is not None)
    assert (kept.amount_minor, kept.received_at) == (1000, None)
    assert (looked_at.amount_minor, looked_at.inspected_at is None) == (1000, False)
    for rest in (kept, looked_at):
        work(engine, courier, rest)
        assert state(rest) == RefundState.IN_REVIEW
    approve(target(kept), Approval(), actor=COLLEAGUE)
    work(engine, courier, kept)
    assert state(kept) == RefundState.AWAITING_RETURN


def test_two_who_contest_at_once_contest_once(engine: Engine, courier: Courier) -> None:
    refund = inspected(engine, courier, accepted=2, missing=1)
    contest(target(refund), note="It was there.", actor=CUSTOMER)
    with pytest.raises(Conflict):
        contest(target(refund), note="It was there.", actor=CUSTOMER)
    assert len(others(refund)) == 1
