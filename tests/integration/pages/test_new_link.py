"""A new link goes to the address of the order, and the page that promises it tells nothing of what there is."""

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from orders.models import Order
from refunds.messages.render import render_message
from refunds.models import Incident, Notification
from tests.factories import make_order
from tests.integration.engine.returns import pass_time
from tests.integration.notifications.owed import answer, claim, claim_one, make_case
from tests.integration.pages.conftest import Customer, hidden, text_of
from tests.integration.pages.test_lookup import ADDRESSES
from workers.ports import Delivered, Refused


@pytest.fixture
def asker(redis_client: redis.Redis, db: None) -> Client:
    return Client(enforce_csrf_checks=True, REMOTE_ADDR=next(ADDRESSES), headers={"accept-language": "en"})


def ask(asker: Client, **fields: str) -> HttpResponse:
    return asker.post("/r/new-link", fields)


def test_a_link_that_ran_out_is_replaced_by_mail(customer: Customer, asker: Client) -> None:
    pass_time(timedelta(days=2))
    dead = asker.get(f"/r/{customer.token}")
    assert "Send me a new link" in text_of(dead)
    assert "Check your e-mail" in text_of(ask(asker, **hidden(dead, "/r/new-link")))
    facts = claim_one(Notification.objects.get()).facts
    assert (facts.to, facts.channel) == (customer.order.customer_email, "email")
    assert facts.identity.startswith(f"order{customer.order.pk}.")
    mail = render_message(facts)
    assert f"Your new link to order {customer.order.number}" == mail.subject and facts.page in mail.text
    assert "3 × Thing A" in text_of(asker.get(facts.page.removeprefix(settings.BASE_URL)))


def test_a_look_up_that_failed_leads_there_too(customer: Customer, asker: Client) -> None:
    failed = asker.post("/r/", {"number": customer.order.number, "email": "another@example.org"})
    ask(asker, **hidden(failed, "/r/new-link"))
    assert Notification.objects.get().order == customer.order


def test_whatever_is_asked_for_the_answer_is_the_same(customer: Customer, asker: Client) -> None:
    nobody = make_order(customer_email="")
    told = [
        ask(asker, number=customer.order.number),
        ask(asker, token=customer.token),
        ask(asker, number=nobody.number),
        ask(asker, number="O-404"),
        ask(asker, token=customer.token[:-1]),
        ask(asker, number="x\x00", token="y" * 3000),
        ask(asker),
    ]
    assert {(page.status_code, page.content) for page in told} == {(200, told[0].content)}
    assert {row.order_id for row in Notification.objects.all()} == {customer.order.pk, nobody.pk}


def test_nobody_chooses_where_it_goes(customer: Customer, asker: Client) -> None:
    ask(asker, number=customer.order.number, email="mallory@example.org", to="mallory@example.org")
    assert claim_one(Notification.objects.get()).facts.to == customer.order.customer_email


def test_within_an_hour_it_is_one_mail_under_one_identity(customer: Customer, asker: Client) -> None:
    for _ in range(3):
        ask(asker, token=customer.token)
    first = claim_one(Notification.objects.get()).facts
    pass_time(timedelta(minutes=5))
    assert claim_one(Notification.objects.get()).facts == first
    pass_time(timedelta(hours=1))
    ask(asker, token=customer.token)
    assert Notification.objects.count() == 2


def test_asking_often_ends(asker: Client) -> None:
    statuses = [ask(asker, number=f"O-{n}-404").status_code for n in range(12)]
    assert statuses[:10] == [200] * 10 and statuses[-1] == 429
    assert asker.get("/r/new-link").status_code == 302


def test_while_nobody_can_count_none_is_sent(customer: Customer, asker: Client, settings: Any) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    assert ask(asker, token=customer.token).status_code == 503
    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    ("reply", "state"), [(Delivered("x"), "sent"), (Refused("smtp_550"), "failed")], ids=["delivered", "refused"]
)
def test_one_that_does_not_get_through_is_no_case_of_an_agent(
    customer: Customer, asker: Client, reply: Delivered | Refused, state: str
) -> None:
    ask(asker, token=customer.token)
    assert answer(Notification.objects.get(), reply) is None
    assert (Notification.objects.get().state, Incident.objects.count()) == (state, 0)


def test_it_is_written_in_the_language_of_the_order_and_beside_messages_about_refunds(
    customer: Customer, asker: Client
) -> None:
    Order.objects.filter(pk=customer.order.pk).update(customer_locale="zh-CN")
    ask(asker, token=customer.token)
    case = make_case()
    case.owe()
    told = [render_message(claimed.facts).subject for claimed in claim(*Notification.objects.order_by("id"))]
    assert told == [f"订单 {customer.order.number} 的新链接", f"Refund RFTEST-R{case.refund.pk} for order 1001"]
