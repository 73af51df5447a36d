"""What others do at the gateway reaches the ledger here, through real processes."""

import pytest

from tests.stories.shop import Shop, ShopOrder
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("stories")


def test_what_the_shop_pays_back_in_the_gateways_dashboard_is_not_paid_a_second_time(shop: Shop) -> None:
    """Of one the gateway tells, the other one stands in its list alone."""
    told, listed = shop.place_order(quantity=2), shop.place_order(quantity=2)
    pay_back(told, "succeed")
    pay_back(listed, "no_webhook")
    eventually(lambda: left_of(told), lambda left: left == 500)
    shop.stack.query("UPDATE refunds_gatewayscan SET next_scan_at = refundry_now()")
    eventually(lambda: left_of(listed), lambda left: left == 500)
    for order in (told, listed):
        assert shop.send(*order.asking()[:3]).status == 409
        kinds = [incident["kind"] for incident in shop.get(f"/incidents?order={order.number}")["items"]]
        assert kinds == ["orphaned_refund"]


def pay_back(order: ShopOrder, behaviour: str) -> None:
    """1500 of 2000, by hand."""
    body = {"reference": order.payment, "amount_minor": 1500, "currency": "EUR", "behaviour": behaviour}
    order.shop.gateway("POST", "/refunds", body, status=201)


def left_of(order: ShopOrder) -> int:
    """What may still be paid back, in minor units."""
    [payment] = order.look()["payments"]
    return int(payment["free_minor"])
