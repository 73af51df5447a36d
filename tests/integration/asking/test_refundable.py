"""What an order says a line can be refunded for is what exactly that line gets, whatever the shop keeps of it."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.models import PaymentShare
from orders.roles import Role
from refunds import records
from refunds.models import LedgerEntry
from refunds.policy import FeeRule
from tests.integration.asking.conftest import Bought, Shop, line, off, units
from tests.integration.engine.returns import in_force

pytestmark = pytest.mark.django_db


def a_gift_and_a_deposit(shop: Shop) -> Bought:
    facts = {"discounts": [off(900, lines=["MUG"])], "non_refundable_minor": 1000, "shipping_minor": 490}
    return shop.order(line("SHIRT", 1000, quantity=2), line("MUG", 900, gift_for="SHIRT"), **facts)


def a_coupon_with_a_minimum(shop: Shop) -> Bought:
    in_force(below_minimum="claw_back")
    return shop.order(line("CUP", 6000), line("POT", 5000), discounts=[off(1000, minimum_minor=10000)])


def a_coupon_taken_before(shop: Shop) -> Bought:
    bought = a_coupon_with_a_minimum(shop)
    bought.refund(units(CUP=1))
    return bought


def fees_of_what_was_sent(shop: Shop) -> Bought:
    in_force(restocking_fee=FeeRule(100), return_shipping_fee=FeeRule(0, {"EUR": 390}))
    bought = shop.order(line("CUP", 2000, quantity=3), line("POT", 300), shipping_minor=500, paid=8800)
    bought.ship()
    bought.put(lines=[line("CUP", 2000, quantity=4), line("POT", 300)])
    return bought


def too_little_money(shop: Shop) -> Bought:
    return shop.order(line("CUP", 1000, quantity=2), line("POT", 500), non_refundable_minor=500, paid=900)


MADE = [a_gift_and_a_deposit, a_coupon_with_a_minimum, a_coupon_taken_before, fees_of_what_was_sent, too_little_money]


@pytest.mark.parametrize("made", MADE)
def test_a_line_is_offered_for_what_exactly_it_gets(shop: Shop, made: Callable[[Shop], Bought]) -> None:
    bought = made(shop)
    told = bought.get()
    offered = [(one["id"], one["refundable"]) for one in told["lines"] if one["refundable"]["quantity"]]
    assert offered
    for line_id, can in offered:
        alone = {"lines": [{"id": line_id, "quantity": can["quantity"]}], "shipping": False}
        assert bought.preview(alone).body["total_minor"] == can["amount_minor"]


@pytest.mark.parametrize("made", MADE[:-1])
def test_an_order_is_offered_for_what_all_of_it_gets(shop: Shop, made: Callable[[Shop], Bought]) -> None:
    bought = made(shop)
    assert bought.preview({"lines": "all"}).body["total_minor"] == bought.get()["refundable"]["amount_minor"]


def test_units_that_the_money_pays_for_once_the_deposit_is_kept_are_offered(shop: Shop) -> None:
    bought = too_little_money(shop)
    cup = bought.get()["lines"][0]
    assert (cup["refundable"]["quantity"], cup["refundable"]["amount_minor"]) == (1, 800)
    assert bought.preview({"lines": [{"sku": "CUP", "quantity": 1}]}).status == 200
    assert bought.preview({"lines": [{"sku": "CUP", "quantity": 2}]}).status == 409


def test_the_customers_page_says_what_he_would_get(shop: Shop) -> None:
    bought = a_gift_and_a_deposit(shop)
    link = shop.by(Role.SHOP).post(f"/orders/{bought.number}/links", {"purpose": "order"})
    page = Client().get(f"{urlsplit(link.body['url']).path}?lang=en").content.decode()
    assert "Can be refunded: €1.00" in page and "€20.00" not in page


def test_what_is_kept_takes_no_more_statements_for_many_lines(shop: Shop) -> None:
    counts = []
    for many in (2, 40):
        bought = shop.order(*(line(f"L{n}", 500, gift_for="L0" if n else "") for n in range(many)))
        bought.get()
        with CaptureQueriesContext(connection) as asked, records.counted() as set_based:
            bought.get()
        counts.append(len(asked) + len(set_based))
    assert counts[0] == counts[1]


def test_a_refund_that_the_shop_begins_waives_the_deposit(shop: Shop) -> None:
    bought = shop.order(line("SOFA", 100000), non_refundable_minor=20000)
    assert bought.get()["refundable"]["amount_minor"] == 80000
    assert bought.preview({"lines": "all", "initiator": "customer"}).body["total_minor"] == 80000
    assert bought.preview({"lines": "all", "initiator": "merchant"}).body["total_minor"] == 100000
    unwanted = {"lines": "all", "initiator": "merchant", "reason": "changed_mind"}
    assert bought.preview(unwanted).body["total_minor"] == 100000


def test_a_payment_tells_what_went_beyond_what_was_captured(shop: Shop) -> None:
    order = shop.order(line("CUP", 1000))
    share = PaymentShare.objects.get(order__number=order.number)
    now = clock.now()
    for kind, minor in (("external", 1200), ("excess", 200)):
        LedgerEntry.objects.create(
            share=share, kind=kind, amount_minor=minor, reference="by hand", occurred_at=now, recorded_at=now
        )
    PaymentShare.objects.filter(pk=share.pk).update(refunded_minor=1200, excess_minor=200)
    [payment] = order.get()["payments"]
    told = {name: payment[name] for name in ("captured_minor", "refunded_minor", "excess_minor", "free_minor")}
    assert told == {"captured_minor": 1000, "refunded_minor": 1200, "excess_minor": 200, "free_minor": 0}
