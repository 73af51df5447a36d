"""What a customer is told of his money before he confirms: deposits, gifts, minimums, sets, what he paid too much."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from orders.models import Channel, OrderLine
from orders.roles import Role
from refunds.models import Refund
from tests.integration.asking.conftest import Bought, Shop, line, off
from tests.integration.engine.returns import in_force

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop(Channel.objects.get(is_default=True))


def home(bought: Bought) -> str:
    link = bought.shop.by(Role.SHOP).post(f"/orders/{bought.number}/links", {"purpose": "order"})
    return urlsplit(link.body["url"]).path


def text_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def step_two(bought: Bought, *skus: str, language: str = "en") -> str:
    lines = OrderLine.objects.filter(order__number=bought.number, sku__in=skus)
    said = {f"units-{row.pk}": str(row.quantity) for row in lines} | {"reason": "", "goods": "return"}
    return text_of(Client().post(f"{home(bought)}/refund?lang={language}", said))


def test_a_gift_that_would_stay_is_said_before_it_is_deducted(shop: Shop) -> None:
    bag = line("BAG", 2900, name="Bag", gift_for="MACHINE")
    bought = shop.order(line("MACHINE", 30000), bag, discounts=[off(2900, lines=["BAG"])])
    text = step_two(bought, "MACHINE")
    assert "Choose the gift too (Bag), or €29.00 is deducted." in text
    assert "Gift that you keep: Bag" in text and "€271.00" in text
    assert "gift" not in step_two(bought, "MACHINE", "BAG").lower()


def test_a_minimum_that_would_be_missed_is_said(shop: Shop) -> None:
    in_force(below_minimum="claw_back")
    bought = shop.order(line("CUP", 6000), line("POT", 5000), discounts=[off(1000, minimum_minor=10000)])
    text = step_two(bought, "POT")
    assert "less than the spend that Coupon was given for, so €5.45 of it is deducted." in text


def test_a_deposit_that_is_kept_is_said(shop: Shop) -> None:
    text = step_two(shop.order(line("SOFA", 100000), non_refundable_minor=20000), "SOFA")
    assert "Of your deposit €200.00 is not refunded." in text and "€800.00" in text


def test_a_refund_that_deductions_have_eaten_up_says_what_is_kept(shop: Shop) -> None:
    mug = line("MUG", 900, name="Mug", gift_for="SHIRT")
    terms = {"discounts": [off(900, lines=["MUG"])], "non_refundable_minor": 1000}
    text = step_two(shop.order(line("SHIRT", 1000), mug, **terms), "SHIRT")
    assert "There is no money to pay back. Not refunded: " in text and "of your deposit" in text
    assert "It has not been sent, and is cancelled at once." in text
    assert "Nothing was charged" not in text and "the money goes back" not in text


def test_a_set_is_refused_at_its_line(shop: Shop) -> None:
    parts = [line(f"P{n}", price, bundle="desk") for n, price in enumerate((600, 0, 0))]
    assert "Sold as a set: return all 3." in step_two(shop.order(*parts), "P0")


def test_what_was_paid_too_much_is_asked_for_in_one_step(shop: Shop) -> None:
    bought = shop.order(line("CUP", 2000), paid=5000)
    client, page = Client(), home(bought)
    shown = client.get(page)
    assert "You paid €30.00 more than the order costs." in text_of(shown)
    said = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', shown.content.decode()))
    for _ in range(2):
        assert client.post(f"{page}/overpaid", said).status_code == 303
    refund = Refund.objects.get()
    assert (refund.amount_minor, refund.goods, refund.sheet["overpaid_minor"]) == (3000, "keep", 3000)
    assert "more than the order costs" not in text_of(client.get(page))


def test_another_sum_than_was_shown_is_not_asked_for(shop: Shop) -> None:
    bought = shop.order(line("CUP", 2000), paid=5000)
    client, page = Client(), home(bought)
    said = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', client.get(page).content.decode()))
    bought.put(lines=[line("CUP", 2500)])
    assert client.post(f"{page}/overpaid", said).status_code == 409
    assert not Refund.objects.exists()
