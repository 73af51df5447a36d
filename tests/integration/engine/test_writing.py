"""What the customer and customer service write to each other, and a review that waits for an answer."""

from datetime import timedelta

import pytest

from orders import clock
from orders.errors import Forbidden, Invalid
from refunds.models import CaseMessage, Notification, Refund, RefundEvent
from refunds.pages.facts import requests_of
from refunds.selectors.message_facts import message_facts
from refunds.services.acts import ask, contest, hold, reject, resume, write
from refunds.states import HeldFor, RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    SHOP,
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


@pytest.fixture
def courier() -> Courier:
    return Courier()


@pytest.fixture
def refund(engine: Engine, courier: Courier) -> Refund:
    order = bought(1000)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    return refund


def templates(refund: Refund) -> list[str]:
    told = Notification.objects.filter(refund=refund, channel="email").order_by("event_seq")
    return [notification.template for notification in told]


def test_each_side_reads_the_other(refund: Refund) -> None:
    write(target(refund), text="Where is it?", actor=CUSTOMER)
    assert fresh(refund).customer_wrote_at is not None
    write(target(refund), text="On its way.", actor=AGENT)
    assert fresh(refund).customer_wrote_at is None
    assert [(m.text, m.role) for m in CaseMessage.objects.order_by("id")] == [
        ("Where is it?", "customer"),
        ("On its way.", "support"),
    ]
    assert templates(refund) == ["received", "message"]


def test_the_shop_says_what_its_customer_says(refund: Refund) -> None:
    ask(target(refund), text="Which side?", actor=AGENT)
    write(target(refund), text="The left one.", actor=SHOP)
    answered = fresh(refund)
    assert answered.customer_wrote_at is not None and answered.held_until is None
    assert templates(refund) == ["received", "question"]


def test_what_an_agent_contests_for_the_customer_is_the_customers_word(refund: Refund) -> None:
    reject(target(refund), reason="It was not sealed.", actor=AGENT)
    contest(target(refund), note="It was.", actor=AGENT)
    said = CaseMessage.objects.get()
    assert (said.author, said.role, said.text) == (AGENT.reference, "customer", "It was.")
    assert refund.events.get(kind="case.message").role == "support"
    [request] = requests_of([fresh(refund)], refund.events.all(), [said], CUSTOMER)
    assert [letter.own for letter in request.parts[0].thread] == [True]
    assert fresh(refund).customer_wrote_at is None, "he waits for no answer but the review"


def test_a_message_brings_what_was_written_when_it_was_owed_and_a_question_says_by_when(refund: Refund) -> None:
    write(target(refund), text="On its way.", actor=AGENT)
    ask(target(refund), text="Which side <is> it?", actor=AGENT)
    told = list(Notification.objects.filter(refund=refund, template__in=("message", "question"), channel="email"))
    facts = message_facts(told)
    assert {n.template: facts[n.pk].said for n in told} == {"message": "On its way.", "question": "Which side <is> it?"}
    assert {facts[n.pk].answer_by for n in told} == {fresh(refund).held_until}


def test_the_trail_says_that_something_was_written_and_not_what(refund: Refund) -> None:
    write(target(refund), text="My name is Ada.", actor=CUSTOMER)
    event = RefundEvent.objects.get(kind="case.message")
    assert event.data == {"message": CaseMessage.objects.get().pk}


def test_a_question_stops_the_review_s_clock_until_the_answer(engine: Engine, courier: Courier, refund: Refund) -> None:
    left = (fresh(refund).deadline or clock.now()) - clock.now()
    ask(target(refund), text="Have you a photo?", actor=AGENT)
    assert fresh(refund).held_for == HeldFor.CUSTOMER
    pass_time(timedelta(days=3))
    work(engine, courier, refund)
    write(target(refund), text="No.", actor=CUSTOMER)
    work(engine, courier, refund)
    again = fresh(refund)
    assert (again.held_until, again.held_for, again.state) == (None, "", RefundState.IN_REVIEW)
    assert again.deadline is not None and again.deadline - clock.now() > left - timedelta(minutes=1)
    assert templates(refund) == ["received", "question"]


def test_nobody_answers_and_the_review_goes_on(engine: Engine, courier: Courier, refund: Refund) -> None:
    ask(target(refund), text="Have you a photo?", actor=AGENT)
    until = fresh(refund).held_until
    assert until is not None and (until.hour, until.minute) == (0, 0)
    pass_time(until - clock.now() + timedelta(seconds=1))
    work(engine, courier, refund)
    again = fresh(refund)
    assert (again.held_until, again.held_for) == (None, "")
    assert state(refund) == RefundState.IN_REVIEW


def test_a_hold_of_the_shop_is_not_ended_by_the_customer(refund: Refund) -> None:
    hold(target(refund), until=None, actor=AGENT)
    write(target(refund), text="Hello?", actor=CUSTOMER)
    assert fresh(refund).held_until is not None
    resume(target(refund), actor=AGENT)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 2001])
def test_something_is_written_and_not_too_much(refund: Refund, text: str) -> None:
    for act, actor in ((write, CUSTOMER), (ask, AGENT)):
        with pytest.raises(Invalid) as refused:
            act(target(refund), text=text, actor=actor)
        assert refused.value.errors[0].field == "text"
    assert not CaseMessage.objects.exists() and fresh(refund).held_until is None


def test_the_warehouse_does_not_write_to_customers(refund: Refund) -> None:
    with pytest.raises(Forbidden):
        write(target(refund), text="Hello.", actor=WAREHOUSE)
