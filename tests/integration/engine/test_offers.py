"""An amount instead of the goods coming back: offered by an agent, accepted or declined by the customer, or run out."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Conflict, Forbidden, Invalid
from orders.models import OrderLine, PaymentShare
from orders.roles import Actor, Role
from refunds.models import Notification, Refund
from refunds.selectors.message_facts import message_facts
from refunds.services.acts import Approval, Offer, accept_offer, approve, decline_offer, offer, receive
from refunds.states import Goods, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    pass_time,
    state,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
FOR_A_SCRATCH = Offer(300, "It has a scratch: keep it and have a part of the price back.")


@pytest.fixture
def courier() -> Courier:
    return Courier()


def in_review(engine: Engine, courier: Courier, *, quantity: int = 2, **facts: object) -> Refund:
    order = bought(1000, quantity=quantity, **facts)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    assert state(refund) == RefundState.IN_REVIEW
    return refund


def offered(engine: Engine, courier: Courier, **facts: object) -> Refund:
    refund = in_review(engine, courier, **facts)
    offer(target(refund), FOR_A_SCRATCH, actor=AGENT)
    work(engine, courier, refund)
    return refund


def templates(refund: Refund) -> list[str]:
    told = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    return [notification.template for notification in told]


def test_the_mail_names_what_is_offered_why_and_until_when(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    mail = Notification.objects.get(refund=refund, template="offered", channel="email")
    facts = message_facts([mail])[mail.pk]
    assert (facts.offered_minor, facts.offer_note) == (300, FOR_A_SCRATCH.note)
    assert facts.deadline == fresh(refund).deadline is not None


def test_accepted_it_lowers_the_price_and_the_customer_keeps_the_goods(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    assert state(refund) == RefundState.OFFERED and fresh(refund).amount_minor == 2000
    accept_offer(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    paid, line, share = fresh(refund), OrderLine.objects.get(), PaymentShare.objects.get()
    assert (paid.state, paid.amount_minor, paid.goods) == (RefundState.REFUNDED, 300, Goods.KEEP)
    assert (line.held, line.refunded, line.adjusted_minor) == (0, 0, 300)
    assert (share.refunded_minor, share.reserved_minor) == (300, 0)
    assert courier.asked == []
    assert templates(refund) == ["received", "offered", "refunded"]


def test_what_was_kept_can_still_be_asked_back_for_what_it_then_costs(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    accept_offer(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    [again] = request(refund.order).refunds
    assert again.amount_minor == 1700


def test_declined_it_is_looked_at_again_with_all_the_time(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    pass_time(timedelta(days=1))
    decline_offer(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    again = fresh(refund)
    assert again.state == RefundState.IN_REVIEW and again.deadline is not None
    assert again.deadline - clock.now() > timedelta(hours=47)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert templates(refund) == ["received", "offered", "pickup_booked"]
    assert fresh(refund).amount_minor == 2000


def test_nobody_answers_and_it_runs_out_after_a_reminder(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    ends = fresh(refund).deadline
    assert ends is not None
    pass_time(ends - clock.now() - timedelta(days=2))
    work(engine, courier, refund)
    assert templates(refund)[-1] == "offer_reminder" and state(refund) == RefundState.OFFERED
    pass_time(timedelta(days=2, seconds=1))
    work(engine, courier, refund)
    assert templates(refund) == ["received", "offered", "offer_reminder", "offer_expired"]
    assert state(refund) == RefundState.IN_REVIEW
    with pytest.raises(Conflict) as refused:
        accept_offer(target(refund), actor=CUSTOMER)
    assert refused.value.code == "no_offer"


def test_goods_that_come_all_the_same_end_it_without_a_word(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    receive(target(refund), actor=WAREHOUSE)
    with pytest.raises(Conflict) as refused:
        accept_offer(target(refund), actor=CUSTOMER)
    assert refused.value.code == "goods_received"
    work(engine, courier, refund)
    assert state(refund) == RefundState.IN_REVIEW
    assert templates(refund) == ["received", "offered"]


@pytest.mark.parametrize("amount_minor", [0, -1, 2001])
def test_no_more_than_the_goods_cost_is_offered(engine: Engine, courier: Courier, amount_minor: int) -> None:
    refund = in_review(engine, courier)
    with pytest.raises(Invalid) as refused:
        offer(target(refund), Offer(amount_minor, "Keep it."), actor=AGENT)
    assert [(e.field, e.code) for e in refused.value.errors] == [("amount_minor", "out_of_range")]
    assert state(refund) == RefundState.IN_REVIEW


def test_an_offer_says_why(engine: Engine, courier: Courier) -> None:
    refund = in_review(engine, courier)
    with pytest.raises(Invalid):
        offer(target(refund), Offer(300, "  "), actor=AGENT)


def test_who_asked_does_not_answer(engine: Engine, courier: Courier) -> None:
    order = bought(1000, quantity=2)
    ship(order, "delivered")
    [refund] = request(order, actor=AGENT).refunds
    work(engine, courier, refund)
    with pytest.raises(Forbidden) as refused:
        offer(target(refund), FOR_A_SCRATCH, actor=AGENT)
    assert refused.value.code == "own_request"
    offer(target(refund), FOR_A_SCRATCH, actor=Actor("principal:8", Role.SUPPORT))


def test_accepted_twice_it_is_paid_once(engine: Engine, courier: Courier) -> None:
    refund = offered(engine, courier)
    accept_offer(target(refund), actor=CUSTOMER)
    for act in (accept_offer, decline_offer):
        with pytest.raises(Conflict):
            act(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert PaymentShare.objects.get().refunded_minor == 300


def test_several_lines_share_it_by_what_they_cost(engine: Engine, courier: Courier) -> None:
    refund = in_review(engine, courier, quantity=3, captured=(1000, 2000))
    offer(target(refund), Offer(3000, "Keep all of it."), actor=AGENT)
    accept_offer(target(refund), actor=CUSTOMER)
    work(engine, courier, refund)
    assert state(refund) == RefundState.REFUNDED
    assert sorted(PaymentShare.objects.values_list("refunded_minor", flat=True)) == [1000, 2000]
