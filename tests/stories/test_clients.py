"""Clients that come together, or twice: the money is asked for once."""

import pytest

from tests.sizes import size
from tests.stories.shop import Shop

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.sized]

ROUNDS = size(50)


def test_of_two_clients_at_once_one_gets_the_money_and_the_other_is_told_what_is_left(shop: Shop):
    orders = [shop.place_order(quantity=3) for _ in range(ROUNDS)]
    for order in orders:
        two = [{"sku": "MUG", "quantity": 2}]
        refused, accepted = sorted(shop.send_together([order.asking(two), order.asking(two)]), reverse=True)
        assert (accepted.status, refused.status) == (202, 409)
        assert (refused.body["code"], refused.body["left"]) == ("units_not_left", 1)
    for order in orders:
        assert order.becomes("partially_refunded")["payments"][0]["refunded_minor"] == 2000
        assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [2000]


def test_the_same_key_again_is_the_same_refund(shop: Shop):
    order = shop.place_order(quantity=2)
    click = order.asking([{"sku": "MUG", "quantity": 1}], key="click")
    first, again = shop.send(*click[:3], key=click.key), shop.send(*click[:3], key=click.key)
    assert first == again and first.status == 202
    other = shop.send(click.method, click.path, {"lines": "all"}, key=click.key)
    assert (other.status, other.body["code"]) == (422, "idempotency_key_reused")
    order.becomes("partially_refunded")
    assert len(order.gateway_refunds()) == 1


def test_the_same_key_twice_at_once_is_one_refund(shop: Shop):
    orders = [shop.place_order(quantity=2) for _ in range(ROUNDS)]
    for order in orders:
        click = order.asking([{"sku": "MUG", "quantity": 1}], key="click")
        answers = shop.send_together([click, click])
        assert {answer.status for answer in answers} <= {202, 409}
        assert all(answer.status == 202 or answer.body["code"] == "idempotency_key_in_use" for answer in answers)
        assert shop.send(*click[:3], key=click.key) in answers
    for order in orders:
        order.becomes("partially_refunded")
        assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [1000]
