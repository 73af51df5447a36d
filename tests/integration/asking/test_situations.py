"""Situations of a shop's week, each with its figures: stated over PUT, asked for over POST."""

from typing import Any

import pytest

from orders.models import OrderLine
from orders.roles import Role
from refunds.models import Notification, Refund
from refunds.selectors.message_facts import message_facts
from tests.integration.asking.conftest import Bought, Shop, entries, line, off, pay, units
from tests.integration.engine.returns import in_force

pytestmark = pytest.mark.django_db


def balance(shop: Shop) -> Bought:
    """A deposit of 200.00 and the balance of 800.00."""
    return shop.order(
        line("SOFA", 100000),
        non_refundable_minor=20000,
        payments=[
            {"gateway": "sandbox", "reference": "deposit", "captured_minor": 20000},
            {"gateway": "sandbox", "reference": "balance", "captured_minor": 80000},
        ],
    )


def test_a_deposit_is_kept_and_the_sheet_says_so(shop: Shop) -> None:
    refund = balance(shop).refund({"lines": "all"})
    assert entries(refund) == [("line", 100000), ("deposit", -20000)]
    assert refund["spec"]["amount_minor"] == 80000
    assert pay(refund) == ["refunded"]


def test_a_deposit_is_waived_when_the_seller_is_at_fault(shop: Shop) -> None:
    assert balance(shop).worth({"lines": "all", "reason": "out_of_stock"}) == 100000


def test_no_reason_of_who_has_the_goods_waives_a_deposit_of_what_never_left(shop: Shop) -> None:
    assert balance(shop).worth({"lines": "all", "reason": "damaged"}) == 80000


@pytest.mark.parametrize("funded_by", ["platform", "points"])
def test_a_coupon_paid_by_another_keeps_both_amounts_and_the_message_names_his(shop: Shop, funded_by: str) -> None:
    order = shop.order(
        line("CUP", 5000, quantity=2),
        discounts=[off(2000, funded_by=funded_by)],
        customer={"email": "ada@example.test"},
    )
    refund = order.refund(units(CUP=1))
    assert refund["spec"]["amount_minor"] == 4000
    assert refund["sheet"]["funded"] == {funded_by: 1000}
    assert pay(refund) == ["refunded"]
    [told] = message_facts(Notification.objects.filter(template="refunded_at_once", channel="email")).values()
    assert told.funded == ((funded_by, 1000),)
    assert order.refund({"lines": "all"})["sheet"]["funded"] == {funded_by: 1000}


def test_points_spent_are_a_payment_and_points_earned_are_taken_back_by_their_share(shop: Shop) -> None:
    order = shop.order(line("CUP", 5000, quantity=3), points_earned=100, paid=15000)
    order.put(payments=[order.payment(15000, method="points")])
    assert order.get()["payments"][0]["method"] == "points"
    shares = [order.refund(units(CUP=1)) for _ in range(3)]
    assert [refund["sheet"]["points"] for refund in shares] == [33, 34, 33]
    pay(*shares)
    events = shop.by(Role.AUDITOR).get(f"/refunds/{shares[0]['metadata']['number']}/events").body["items"]
    assert [event["data"] for event in events if event["type"] == "refund.refunded"] == [{"points": 33}]


def coupon(shop: Shop) -> Bought:
    """10.00 off, from 100.00 on."""
    return shop.order(line("CUP", 6000), line("POT", 5000), discounts=[off(1000, minimum_minor=10000)])


def test_a_minimum_that_is_missed_is_kept_by_default(shop: Shop) -> None:
    assert coupon(shop).worth(units(POT=1)) == 4545


def test_a_minimum_that_is_missed_is_clawed_back_where_the_policy_says_so_and_given_back_at_the_end(shop: Shop) -> None:
    in_force(below_minimum="claw_back")
    order = coupon(shop)
    part = order.refund(units(POT=1))
    assert entries(part) == [("line", 5000), ("discount", -455), ("claw_back", -545)]
    assert part["spec"]["amount_minor"] == 4000
    rest = order.refund({"lines": "all"})
    assert part["spec"]["amount_minor"] + rest["spec"]["amount_minor"] == 10000


def gift(shop: Shop) -> Bought:
    """A bag of 29.00 came free with the machine."""
    machine = line("MACHINE", 30000)
    return shop.order(machine, line("BAG", 2900, gift_for="MACHINE"), discounts=[off(2900, lines=["BAG"])])


def test_a_gift_that_stays_is_deducted_at_its_value(shop: Shop) -> None:
    order = gift(shop)
    part = order.refund(units(MACHINE=1))
    assert entries(part) == [("line", 30000), ("gift", -2900)]
    assert part["spec"]["amount_minor"] == 27100
    assert order.worth(units(BAG=1)) == 2900


def test_a_gift_that_comes_back_too_costs_nothing(shop: Shop) -> None:
    assert gift(shop).worth(units(MACHINE=1, BAG=1)) == 30000


def bundle(shop: Shop, *prices: int) -> Bought:
    return shop.order(*(line(f"PART-{n}", price, bundle="desk") for n, price in enumerate(prices)))


@pytest.mark.parametrize("prices, policy", [((100, 200, 300), "whole"), ((600, 0, 0), "split")])
def test_a_set_comes_back_whole_or_not_at_all(shop: Shop, prices: tuple[int, ...], policy: str) -> None:
    in_force(bundles=policy)
    order = bundle(shop, *prices)
    body = {"lines": [{"sku": "PART-0", "quantity": 1}]}
    for answer in (order.ask(body), order.preview(body)):
        assert (answer.status, answer.code, answer.body["units"]) == (422, "sold_as_set", 3)
        assert "Sold as a set: return all 3" in answer.body["detail"]
        assert [error["field"] for error in answer.body["errors"]] == ["lines[0]"]
    assert order.worth({"lines": "all"}) == 600


def test_a_set_of_priced_parts_is_split_where_the_policy_lets_it(shop: Shop) -> None:
    assert bundle(shop, 100, 200, 300).worth({"lines": [{"sku": "PART-1", "quantity": 1}]}) == 200


def test_an_adjustment_lowers_what_its_line_can_still_get(shop: Shop) -> None:
    order = shop.order(line("COAT", 10000))
    order.ship()
    adjusted = order.refund({"adjustments": [{"sku": "COAT", "amount_minor": 1500}], "initiator": "merchant"})
    assert adjusted["status"]["pickup"] is None
    assert pay(adjusted) == ["refunded"]
    assert order.worth({"lines": "all"}) == 8500
    assert OrderLine.objects.get().adjusted_minor == 1500


def express(shop: Shop) -> Bought:
    """15.00 of shipping, 10.00 of them for express."""
    return shop.order(line("COAT", 10000), shipping_minor=1500, shipping_supplement_minor=1000)


def test_after_express_delivery_standard_shipping_comes_back_and_the_supplement_does_not(shop: Shop) -> None:
    order = express(shop)
    order.ship()
    refund = order.refund({"lines": "all"})
    assert entries(refund) == [("line", 10000), ("shipping", 1500), ("supplement", -1000)]
    assert refund["spec"]["amount_minor"] == 10500


def test_what_never_left_gets_its_express_supplement_back(shop: Shop) -> None:
    assert express(shop).worth({"lines": "all"}) == 11500


def test_out_of_stock_is_paid_at_once_with_a_text_of_its_own(shop: Shop) -> None:
    order = shop.order(line("COAT", 10000), customer={"email": "ada@example.test"})
    body = {"lines": "all", "reason": "out_of_stock", "initiator": "merchant", "note": "It is sold out."}
    assert pay(order.refund(body)) == ["refunded"]
    [told] = message_facts(Notification.objects.filter(channel="email")).values()
    assert (told.by_shop, told.asked, told.note) == (True, False, "It is sold out.")


def test_an_order_edited_after_payment_moves_nothing_by_itself(shop: Shop) -> None:
    order = shop.order(line("CUP", 2000), line("POT", 3000))
    order.put(lines=[line("CUP", 2000)])
    assert order.get()["overpaid_minor"] == 3000
    assert not Refund.objects.exists()


def test_an_order_paid_twice_gives_the_second_payment_back_without_lines(shop: Shop) -> None:
    order = shop.order(line("CUP", 2000))
    order.put(payments=[order.payment(2000), order.payment(2000, "again")])
    assert order.get()["overpaid_minor"] == 2000
    refund = order.refund({"overpaid": True, "initiator": "merchant"})
    assert (refund["spec"]["amount_minor"], refund["spec"]["lines"]) == (2000, [])
    assert pay(refund) == ["refunded"]
    assert order.get()["overpaid_minor"] == 0
    assert order.worth({"lines": "all"}) == 2000


def test_a_gift_goes_with_its_giver_however_it_is_asked(shop: Shop) -> None:
    """Any order of partial refunds ends exactly at what was paid."""
    order = gift(shop)
    order.ship()
    amounts: list[Any] = [order.worth(units(BAG=1)), order.worth(units(MACHINE=1))]
    assert amounts == [0, 30000]
