"""What the customer reads of customer service at his page, and how he answers: offers, questions, refusals."""

import pytest

from refunds.models import CaseMessage, Refund
from refunds.services.acts import Offer, ask, offer, reject, write
from refunds.states import RefundState
from tests.factories import ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, fresh, target, work
from tests.integration.pages.conftest import Customer, MakeCustomer, text_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asking(customer_of: MakeCustomer) -> Customer:
    """His request is being looked at."""
    customer = customer_of(1000, quantity=2)
    ship(customer.order, "delivered")
    customer.confirm(A=2)
    work(Engine(), Courier(), customer.refund())
    assert fresh(customer.refund()).state == RefundState.IN_REVIEW
    return customer


def page(customer: Customer) -> str:
    return text_of(customer.get(f"/requests/{customer.refund().number}"))


def test_each_side_s_words_stand_in_the_order_they_were_written(asking: Customer) -> None:
    refund = asking.refund()
    assert asking.act(refund, "write", text="Where <is> it?").status_code == 303
    write(target(refund), text="On its way.", actor=AGENT)
    text = page(asking)
    assert text.index("Where <is> it?") < text.index("On its way.")


def test_a_question_stands_out_until_it_is_answered(asking: Customer) -> None:
    refund = asking.refund()
    ask(target(refund), text="Which side?", actor=AGENT)
    text = page(asking)
    assert "We have a question for you" in text and "Please answer below by" in text
    assert asking.act(refund, "write", text="The left one.").status_code == 303
    assert "We have a question for you" not in page(asking)
    assert [letter.text for letter in CaseMessage.objects.order_by("id")] == ["Which side?", "The left one."]


@pytest.mark.parametrize(
    ("answer", "state"), [("accept_offer", RefundState.REFUNDING), ("decline_offer", RefundState.IN_REVIEW)]
)
def test_an_offer_says_what_and_why_and_is_answered(asking: Customer, answer: str, state: RefundState) -> None:
    refund = asking.refund()
    offer(target(refund), Offer(300, "The scratch is small."), actor=AGENT)
    work(Engine(), Courier(), refund)
    text = page(asking)
    assert "€3.00" in text and "The scratch is small." in text and "by " in text
    assert asking.act(refund, answer).status_code == 303
    assert fresh(refund).state == state


def test_who_does_not_agree_says_so_once_and_why(asking: Customer) -> None:
    refund = asking.refund()
    reject(target(refund), reason="Worn.", actor=AGENT)
    assert "I do not agree" in page(asking)
    assert asking.act(refund, "contest", note="").status_code == 422
    assert asking.act(refund, "contest", note="It was whole.").status_code == 303
    assert Refund.objects.get(pk=refund.pk).state == RefundState.IN_REVIEW
    assert "It was whole." in page(asking) and "I do not agree" not in page(asking)
