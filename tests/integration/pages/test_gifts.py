"""A gift's own link: the goods and no money, and what the recipient may do (row 40)."""

import json
from datetime import timedelta

import pytest

from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from refunds.models import Refund
from tests.fingerprint import fingerprint
from tests.integration.engine.returns import in_force
from tests.integration.pages.conftest import Customer, text_of


@pytest.fixture
def recipient(customer: Customer) -> Customer:
    wish = LinkWish(customer.order.number, "gift", timedelta(days=90))
    customer.token = make_link(wish, channel_id=customer.order.channel_id, actor=SYSTEM).token
    return customer


def test_it_names_the_goods_and_no_amount_and_says_what_he_can_do(recipient: Customer) -> None:
    page = recipient.get()
    said = text_of(page)
    assert page.status_code == 200
    assert "3 × Thing A" in said
    assert "The refund goes to whoever paid" in said and "Ask whoever gave it to you" in said
    assert "10.00" not in said and "€" not in said and "Refund" not in said.replace("Refundry", "")
    assert "another one instead" not in said
    in_force(replacements=True)
    assert "another one instead" in text_of(recipient.get())


def test_nothing_else_opens_and_nothing_is_asked_for(recipient: Customer) -> None:
    before = fingerprint()
    pages = [recipient.get("/refund"), recipient.get("/requests/RF-R1"), recipient.get("/requests/RF-R1/live")]
    pages += [recipient.choose(A=1), recipient.post("/refund/confirm"), recipient.post("/cancel")]
    pages += [recipient.post("/overpaid"), recipient.post("/refunds/RF-1/cancel", form_token="t")]
    assert {page.status_code for page in pages} == {409}
    assert all("The refund goes to whoever paid, so only they can ask for it." in text_of(page) for page in pages)
    button = recipient.get("/state.json")
    assert (button.status_code, json.loads(button.content)["code"]) == (409, "payer_only")
    assert fingerprint() == before
    assert not Refund.objects.exists()


def test_it_is_in_the_readers_language_and_not_the_payers(recipient: Customer) -> None:
    assert "您收到的礼物" in text_of(recipient.get(**{"accept-language": "zh-CN"}))


def test_what_the_payer_has_asked_for_is_not_told(customer: Customer, recipient: Customer) -> None:
    payer = Customer(customer.order)
    payer.confirm(A=1, reason="changed_mind")
    assert payer.refund().number not in recipient.get().content.decode()
