"""Refunds that somebody made by hand, with a number, an amount or a currency that makes no sense here."""

from typing import Any

import pytest

from orders.errors import Conflict
from refunds.models import GatewayRefund, Incident
from refunds.services.requests import request_refunds
from tests.factories import request, wish
from tests.integration.engine.returns import bought, fresh
from tests.integration.orphans.world import World, cases, entries, states, sums

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.mark.parametrize("number", ["a\x00b", "9" * 300, "two\nlines"])
def test_money_under_a_number_that_nobody_can_keep_counts_all_the_same(world: World, number: str) -> None:
    """The list says it at every scan, and our own money must not go on top of it."""
    order = bought(1000)
    made = world.make(order, number=number)
    world.find()
    assert (states(made), sums(order), cases(order)) == (["adopted"], {"refunded": 1000}, ["orphaned_refund"])
    [refused] = request_refunds([wish(order)])
    assert isinstance(refused, Conflict)


@pytest.mark.parametrize("nonsense", [{"amount_minor": 10**19}, {"currency": "\x00"}, {"currency": "E" * 300}])
def test_money_that_nobody_can_count_is_a_case_once_and_no_sum(world: World, nonsense: dict[str, Any]) -> None:
    order = bought(1000)
    made = world.make(order, **nonsense)
    for _ in range(2):
        world.find()
        world.later()
    assert (entries(order), cases(order)) == ([], ["orphaned_refund"])
    told = Incident.objects.get(order=order).data
    assert (told["gateway_refund_id"], told["amount_minor"]) == (made, None)


def test_money_under_our_number_that_nobody_can_count_is_a_case_of_its_refund(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    world.run(refund)
    world.make(order, 10**19, number=GatewayRefund.objects.get(refund=refund).number)
    world.find()
    assert (fresh(refund).state, sums(order)) == ("refunded", {"refunded": 1000})
    assert [case.kind for case in Incident.objects.filter(refund=refund)] == ["orphaned_refund"]
