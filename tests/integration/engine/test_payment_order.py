"""Public report 32: by card and by gift card, each gives in the order the policy states, never above what it had."""

from typing import Any

import pytest

from orders.models import Order, Payment, PaymentShare
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Refund
from refunds.services.acts import Approval, approve
from refunds.services.requests import LineWish, preview_refund
from tests.factories import request, ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, Courier, bought, target, work
from tests.policies import put_in_force

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def order_of(payment_order: str, **fields: Any) -> Order:
    """60.00 by card and 40.00 by gift card."""
    put_in_force(payment_order=payment_order)
    order = bought(8000, 2000, captured=(6000, 4000), **fields)
    Payment.objects.filter(shares__order=order, total_minor=4000).update(method="gift_card")
    return order


def given(refund: Refund) -> dict[str, int]:
    live = GatewayRefund.objects.filter(refund=refund).exclude(state="cancelled").select_related("share__payment")
    return {m.share.payment.method: m.amount_minor for m in live}


@pytest.mark.parametrize(
    ("payment_order", "parts"),
    [
        ("proportional", {"card": 4800, "gift_card": 3200}),
        ("card_first", {"card": 6000, "gift_card": 2000}),
        ("gift_card_first", {"card": 4000, "gift_card": 4000}),
    ],
)
def test_80_of_60_by_card_and_40_by_gift_card(payment_order, parts):
    order = order_of(payment_order)
    previewed = {p.reference: p.amount_minor for p in preview_refund(wish(order, ("A", 1))).payments}
    refund = request(order, ("A", 1)).refunds[0]
    assert given(refund) == parts
    assert sorted(previewed.values()) == sorted(parts.values())


@pytest.mark.parametrize("payment_order", ["proportional", "card_first", "gift_card_first"])
def test_the_last_part_ends_each_payment_exactly(engine, payment_order):
    order = order_of(payment_order)
    for sku in "BA":
        engine.run(request(order, (sku, 1)).refunds[0])
    sums = PaymentShare.objects.filter(order=order).order_by("id").values_list("refunded_minor", flat=True)
    assert list(sums) == [6000, 4000]


def test_an_approval_in_part_takes_back_from_the_last_to_give(engine: Engine):
    order = order_of("card_first")
    ship(order)
    refund = request(order, ("A", 1), ("B", 1)).refunds[0]
    assert given(refund) == {"card": 6000, "gift_card": 4000}
    work(engine, Courier(), refund)
    approve(target(refund), Approval(lines=(LineWish(Sku("A"), 1),)), actor=AGENT)
    assert given(refund) == {"card": 6000, "gift_card": 2000}
