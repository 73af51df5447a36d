"""An order edited after a refund: the same money never looks as if it had been paid too much besides."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.db import transaction

from orders import clock
from orders.models import Order, PaymentShare
from refunds.models import LedgerEntry
from tests.integration.asking.conftest import Bought, Shop, line, off, pay, units

CUP, TEA = line("CUP", 1000, quantity=2), line("TEA", 500)
PAID = 2800
OWN_IDEA = {"initiator": "merchant"}


def outside(order: Bought, minor: int) -> None:
    """The shop gave it back at its gateway, of which the order says nothing."""
    [share] = PaymentShare.objects.filter(order__number=order.number)
    share.refunded_minor += minor
    share.save()
    now = clock.now()
    LedgerEntry.objects.create(
        share=share, kind="external", amount_minor=minor, reference="by hand", occurred_at=now, recorded_at=now
    )


def asking(body: dict[str, Any], *, paid: bool = True) -> Callable[[Bought], None]:
    def refund(order: Bought) -> None:
        made = order.refund(body | OWN_IDEA)
        if paid:
            assert pay(made) == ["refunded"]

    return refund


#: What happened first: how, and the edit by which a shop would say the same once more.
REFUNDS: dict[str, Callable[[Bought], None]] = {
    "a unit": asking(units(CUP=1)),
    "a unit, not paid yet": asking(units(CUP=1), paid=False),
    "a line": asking(units(TEA=1)),
    "off a price": asking({"adjustments": [{"sku": "CUP", "amount_minor": 300}]}),
    "an amount": asking({"amount_minor": 400}),
    "shipping": asking({"shipping": True}),
    "a unit at the gateway": lambda order: outside(order, 1000),
    "shipping at the gateway": lambda order: outside(order, 300),
}
EDITS: dict[str, dict[str, Any]] = {
    "a unit less": {"lines": [CUP | {"quantity": 1}, TEA]},
    "a line less": {"lines": [CUP]},
    "the other line less": {"lines": [TEA]},
    "a price lower": {"lines": [CUP | {"unit_price_minor": 850}, TEA]},
    "the other price lower": {"lines": [CUP, TEA | {"unit_price_minor": 100}]},
    "a unit more at half the price": {"lines": [CUP | {"quantity": 4, "unit_price_minor": 250}, TEA]},
    "no shipping": {"shipping_minor": 0},
    "less shipping": {"shipping_minor": 100},
    "a discount": {"discounts": [off(400)]},
    "a discount on a line": {"discounts": [off(300, lines=["TEA"])]},
    "a unit less and a dearer line": {"lines": [CUP | {"quantity": 1}, TEA | {"unit_price_minor": 700}]},
    "less captured": {"captured": PAID - 1000},
    "more captured": {"captured": PAID + 700},
}
#: Edits that say the refund again: each is refused, or offers nothing.
SAYS_AGAIN = {
    "a unit": {
        "a unit less",
        "the other line less",
        "a price lower",
        "a unit more at half the price",
        "a discount",
        "a unit less and a dearer line",
        "less captured",
    },
    "a unit, not paid yet": {"a unit less", "a price lower"},
    "a line": {"a line less", "the other price lower", "a discount on a line"},
    "off a price": {"a price lower", "a unit less"},
    "an amount": {"a discount", "a price lower", "the other price lower"},
    "shipping": {"no shipping", "less shipping", "a discount on a line"},
    "a unit at the gateway": {"a unit less", "a line less"},
    "shipping at the gateway": {"no shipping", "a discount on a line"},
}


@pytest.mark.parametrize("refund", REFUNDS)
def test_an_edit_after_a_refund_never_offers_its_money_once_more(shop: Shop, refund: str) -> None:
    order = shop.order(CUP, TEA, shipping_minor=300, paid=PAID)
    REFUNDS[refund](order)
    for edit in EDITS:
        stated, before = dict(order.body), order.get()
        with transaction.atomic():
            refused = _edit(order, edit) == 409
            after = order.get()
            spare = _spare(after)
            transaction.set_rollback(True)
        order.body = stated
        assert not refused or after == before, edit
        assert after["overpaid_minor"] <= spare, edit
        assert edit not in SAYS_AGAIN[refund] or after["overpaid_minor"] == 0, edit


def _edit(order: Bought, edit: str) -> int:
    changes = dict(EDITS[edit])
    if "captured" in changes:
        changes = {"payments": [order.payment(changes.pop("captured"))]}
    answer = order.put(**changes)
    assert answer.status == 200 or answer.code in ("below_taken", "below_refunded"), answer
    return answer.status


def _spare(order: Any) -> int:
    """What is left of the captured money once all that no refund took is paid back, in minor units."""
    row = Order.objects.get(number=order["number"])
    taken = sum(line.refunded_minor + line.adjusted_minor for line in row.lines.all()) + row.shipping_refunded_minor
    [payment] = order["payments"]
    gone = payment["reserved_minor"] + payment["refunded_minor"]
    return max(0, payment["captured_minor"] - gone - (order["total_minor"] - taken))


def test_what_no_refund_has_touched_may_go_and_is_paid_back(shop: Shop) -> None:
    order = shop.order(CUP, TEA)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[CUP]).status == 200
    assert order.get()["overpaid_minor"] == 500
    assert pay(order.refund({"overpaid": True} | OWN_IDEA)) == ["refunded"]
    assert order.worth({"lines": "all"}) == 1000


def test_a_unit_less_is_told_with_both_figures(shop: Shop) -> None:
    order = shop.order(CUP)
    pay(order.refund(units(CUP=1)))
    answer = order.put(lines=[CUP | {"quantity": 1}])
    assert (answer.status, answer.code) == (409, "below_taken")
    assert answer.body["errors"][0]["field"] == "lines[0].quantity"
    assert "a quantity of 1 is below 2" in answer.body["detail"] and "1 refunded" in answer.body["detail"]
    assert order.get()["state"] == "paid"


def test_more_may_be_stated_after_a_refund(shop: Shop) -> None:
    order = shop.order(CUP)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[CUP | {"quantity": 3}, TEA], payments=[order.payment(3500)]).status == 200
    assert order.worth({"lines": "all"}) == 2500


def test_a_line_with_history_joins_an_order_with_discounts(shop: Shop) -> None:
    order = shop.order(CUP, discounts=[off(100)])
    came_back = TEA | {"refunded_before": {"quantity": 1, "amount_minor": 400}}
    assert order.put(lines=[CUP, came_back], discounts=[off(200)]).status == 200
    assert order.get()["refund_state"] == "partially_refunded"


SLIPS: dict[str, dict[str, Any]] = {
    "a quantity": {"lines": [CUP | {"quantity": 20}, TEA]},
    "a price": {"lines": [CUP | {"unit_price_minor": 10000}, TEA]},
    "tax on top": {"lines": [CUP | {"tax_minor": 900}, TEA], "prices_include_tax": False},
    "shipping": {"shipping_minor": 3000},
    "a discount": {"discounts": []},
}


@pytest.mark.parametrize("paid", [PAID, PAID + 500, 0], ids=["as it costs", "too much", "not at all"])
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_after_a_refund_can_be_put_back(shop: Shop, slip: str, paid: int) -> None:
    order = shop.order(CUP, TEA, shipping_minor=400, discounts=[off(100)], paid=paid)
    if paid:
        pay(order.refund(units(CUP=1)))
        pay(order.refund({"shipping": True} | OWN_IDEA))
    else:
        order.cancel()
    stated, before = dict(order.body), order.get()
    assert order.put(**SLIPS[slip]).status == 200
    assert order.put(customer={"name": "Ada"}).status == 200
    order.body = {"customer": {"name": "Ada"}}
    assert order.put(**stated).status == 200
    after = order.get()
    assert [after[name] for name in WORTH] == [before[name] for name in WORTH]
    assert [line["refundable"] for line in after["lines"]] == [line["refundable"] for line in before["lines"]]


WORTH = ("total_minor", "refundable", "overpaid_minor", "refund_state", "state")


def test_a_slip_with_its_money_can_be_put_back(shop: Shop) -> None:
    order = shop.order(CUP)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[CUP | {"quantity": 20}], payments=[order.payment(20000)]).status == 200
    assert order.put(lines=[CUP], payments=[order.payment(2000)]).status == 200
    assert order.worth({"lines": "all"}) == 1000


@pytest.mark.parametrize("slip", [{"quantity": 20}, {"unit_price_minor": 1500}], ids=["a quantity", "a price"])
def test_a_slip_that_another_refund_took_from_comes_down_to_what_was_paid_and_no_further(
    shop: Shop, slip: dict[str, Any]
) -> None:
    cups = CUP | {"quantity": 3}
    order = shop.order(cups)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[cups | slip]).status == 200
    pay(order.refund(units(CUP=1)))
    low = order.put(lines=[cups | {"quantity": 2}])
    assert low.status == 409, low
    assert order.put(lines=[cups]).status == 200
    assert order.get()["overpaid_minor"] == 0
    left = 3000 - sum(order.get()["payments"][0][name] for name in ("refunded_minor", "reserved_minor"))
    assert order.worth({"lines": "all"}) == left


def test_more_that_was_stated_and_then_refunded_stays(shop: Shop) -> None:
    order = shop.order(CUP)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[CUP | {"quantity": 3}], payments=[order.payment(3000)]).status == 200
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[CUP]).code == "below_taken"


def test_what_no_refund_touched_may_go_under_a_discount_on_all(shop: Shop) -> None:
    cups = CUP | {"quantity": 3}
    order = shop.order(cups, TEA, discounts=[off(300)])
    assert pay(order.refund(units(CUP=1))) == ["refunded"]
    assert order.put(lines=[cups]).status == 200
    assert order.get()["overpaid_minor"] == 500
    assert order.worth({"overpaid": True} | OWN_IDEA) == 500
    assert order.worth({"lines": "all"}) == 3200 - 500 - 914


def test_a_discount_that_a_line_gone_leaves_to_one_paid_back_is_what_is_refused(shop: Shop) -> None:
    order = shop.order(CUP, TEA, discounts=[off(300)])
    assert order.worth(units(CUP=2)) == 1760
    answer = order.put(lines=[CUP])
    assert (answer.status, answer.code, answer.body["errors"][0]["field"]) == (409, "below_refunded", "discounts")
    assert "1700" in answer.body["detail"] and "1760" in answer.body["detail"]
    assert order.put(discounts=[off(240)]).status == 200
    assert order.get()["overpaid_minor"] == 440


def test_tax_on_top_follows_the_discount(shop: Shop) -> None:
    cups, tea = line("CUP", 1000, quantity=3, tax_minor=549), line("TEA", 500, tax_minor=91)
    order = shop.order(cups, tea, discounts=[off(300)], prices_include_tax=False)
    pay(order.refund(units(CUP=1)))
    assert order.put(lines=[cups | {"tax_minor": 500}]).body["errors"][0]["field"] == "lines[0].tax_minor"
    assert order.put(lines=[cups | {"tax_minor": 540}]).status == 200


TEAS = [line(sku, price, quantity=2) for sku, price in (("OOLONG", 333), ("ASSAM", 450))]


def _random_edit(random: Random, body: dict[str, Any]) -> dict[str, Any]:
    """One slip or honest change of what is stated."""
    index = random.randrange(len(body["lines"]))
    changed = dict(body["lines"][index])
    rest = [one for i, one in enumerate(body["lines"]) if i != index]
    kind = random.choice(["quantity", "unit_price_minor", "drop", "add", "discount", "shipping"])
    if kind == "drop" and rest:
        return {"lines": rest}
    if kind == "add":
        return {"lines": [*body["lines"], line(f"NEW-{random.random()}", random.randrange(1, 900))]}
    if kind == "discount":
        return {"discounts": [off(random.choice([100, 299, 300, 310, 700]))]}
    if kind == "shipping":
        return {"shipping_minor": random.choice([0, 300, 400, 3000])}
    name = "unit_price_minor" if kind == "unit_price_minor" else "quantity"
    changed[name] = max(1, changed[name] + random.choice([-1, 1, changed[name] * 9, -changed[name] // 2]))
    return {"lines": [*body["lines"][:index], changed, *body["lines"][index + 1 :]]}


@pytest.mark.parametrize("seed", range(6))
def test_edits_at_random_after_refunds_offer_no_money_twice_and_can_be_put_back(shop: Shop, seed: int) -> None:
    random = Random(seed)
    order = shop.order(CUP | {"quantity": 3}, *TEAS, shipping_minor=400, discounts=[off(300)])
    paid = order.cost
    for _ in range(2):
        pay(order.refund(units(**{random.choice(["CUP", "OOLONG"]): 1})))
        asked, then = dict(order.body), order.get()
        for _ in range(6):
            stated = dict(order.body)
            if order.put(**_random_edit(random, order.body)).status != 200:
                order.body = stated
                continue
            now = order.get()
            assert now["overpaid_minor"] <= min(_spare(now), max(0, paid - then["total_minor"] + _gone(then, now)))
            assert now["refundable"]["amount_minor"] + now["overpaid_minor"] <= now["payments"][0]["free_minor"]
        order.body = asked
        assert order.put().status == 200
        assert [order.get()[name] for name in WORTH] == [then[name] for name in WORTH]
    assert order.worth({"lines": "all"}) == order.get()["payments"][0]["reserved_minor"]
    assert order.get()["payments"][0]["free_minor"] == 0


def _gone(then: Any, now: Any) -> int:
    """By how much what no refund had touched is stated lower, lines and shipping, in minor units."""
    prices = {one["id"]: one["line_total_minor"] for one in now["lines"]}
    free = [one for one in then["lines"] if not (one["held"] or one["refunded"])]
    lines = sum(max(0, one["line_total_minor"] - prices.get(one["id"], 0)) for one in free)
    return lines + max(0, then["shipping_minor"] - now["shipping_minor"])
