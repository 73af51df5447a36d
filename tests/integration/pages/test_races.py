"""The same form pressed several times in the same moment, and an order that somebody else is working on."""

import pytest
from django.test import Client

from refunds.models import Refund
from tests.integration.engine.threads import somebody_holds, together
from tests.integration.pages.conftest import Customer, hidden, text_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_form_pressed_in_the_same_moment_is_one_request_and_every_press_is_led_there(customer: Customer) -> None:
    form = hidden(customer.choose(A=1), "/refund/confirm")
    address = f"/r/{customer.token}/refund/confirm"
    answers = together(*[lambda: Client().post(address, form)] * 4)
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert Refund.objects.count() == 1


def test_while_somebody_holds_the_order_the_customer_is_asked_to_try_again(customer: Customer) -> None:
    form = hidden(customer.choose(A=1), "/refund/confirm")
    with somebody_holds(customer.order.pk):
        page = customer.post("/refund/confirm", **form)
    assert page.status_code == 503 and page.headers["Retry-After"]
    assert "Somebody else is working on this order." in text_of(page)
    assert customer.post("/refund/confirm", **form).status_code == 303
