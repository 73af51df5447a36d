"""Disputes: the customer's bank withholds money, and decides. Told by webhooks, in any order, of any order."""

from itertools import count

import pytest

from orders.errors import Conflict
from orders.models import Order, PaymentShare
from orders.services.lines import Sku
from refunds.models import GatewayRefund, Incident, RefundEvent
from refunds.services.acts import Approval, approve
from refunds.services.inbox import store_events
from refunds.services.requests import LineWish, request_refunds
from refunds.states import Goods, Remedy
from tests.factories import request, ship, wish
from tests.integration.engine.money import messages
from tests.integration.engine.returns import AGENT, bought, fresh, leave, target
from tests.integration.orphans.world import World, cases, conditions, entries, payment_of, share_the_payment
from workers.ports import GatewayEvent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
_events = count(1)


def test_what_is_disputed_cannot_be_refunded(world: World) -> None:
    """Public reports, row 12."""
    whole, part = bought(100), bought(100)
    dispute(world, whole, "opened", 100)
    dispute(world, part, "opened", 40)
    [refused] = request_refunds([wish(whole)])
    assert isinstance(refused, Conflict)
    assert (refused.code, "100 are disputed" in refused.detail) == ("money_not_left", True)
    assert cases(whole) == ["dispute_opened"]
    assert sums(part) == {"captured": 100, "disputed": 40}
    assert PaymentShare.objects.get(order=part).free_minor == 60


def test_a_refund_whose_money_is_withheld_waits_and_goes_on_when_it_was_won(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    dispute(world, order, "opened", 1000)
    world.run(refund)
    assert (fresh(refund).state, conditions(refund)["DisputeOpen"]) == ("refunding", "MoneyWithheld")
    assert sums(order) == {"captured": 1000, "disputed": 1000}
    dispute(world, order, "won", 1000)
    world.run(refund)
    assert (fresh(refund).state, "DisputeOpen" in conditions(refund)) == ("refunded", False)
    assert (sums(order), cases(order), len(world.made_for(order))) == ({"captured": 1000, "refunded": 1000}, [], 1)


def test_another_one_that_was_promised_is_promised_once_whatever_the_bank_does(world: World) -> None:
    order = bought(1000)
    ship(order)
    [refund] = request(order, goods=Goods.KEEP, remedy=Remedy.REPLACEMENT).refunds
    world.run(refund)
    approve(target(refund), Approval(), actor=AGENT)
    world.run(refund)
    dispute(world, order, "opened", 1000)
    world.run(refund)
    during = conditions(refund)
    dispute(world, order, "won", 1000)
    world.run(refund)
    assert (fresh(refund).state, conditions(refund)["AwaitingReplacement"]) == ("refunding", "NoOrderYet")
    assert messages(refund).count("replacing") == 1
    assert RefundEvent.objects.filter(refund=refund, kind="refund.replacement_wanted").count() == 1
    assert {"DisputeOpen", "AwaitingReplacement"} <= during.keys() and "DisputeOpen" not in conditions(refund)


def test_a_refund_whose_money_the_bank_has_paid_is_settled_and_sent_by_nobody(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    dispute(world, order, "opened", 1000)
    dispute(world, order, "lost", 1000)
    world.run(refund)
    assert (fresh(refund).state, world.made_for(order)) == ("refunded", [])
    assert (sums(order), cases(order)) == ({"captured": 1000, "refunded": 1000}, ["dispute_lost"])
    assert messages(refund) == ["refunded_at_once"]


def test_of_a_refund_that_is_disputed_in_part_the_rest_is_paid_when_it_was_lost(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    dispute(world, order, "opened", 400)
    world.run(refund)
    assert (fresh(refund).state, sums(order)) == ("refunding", {"captured": 1000, "reserved": 600, "disputed": 400})
    dispute(world, order, "lost", 400)
    world.run(refund)
    assert (fresh(refund).state, sums(order)) == ("refunded", {"captured": 1000, "refunded": 1000})
    moved = GatewayRefund.objects.filter(refund=refund).exclude(state="cancelled").order_by("id")
    assert [(m.kind, m.state, m.amount_minor) for m in moved] == [
        ("dispute", "external", 400),
        ("refund", "succeeded", 600),
    ]


def test_a_refund_that_had_failed_is_settled_by_a_lost_dispute(world: World) -> None:
    order = bought(1000)
    world.script(order, "decline")
    [refund] = request(order).refunds
    world.run(refund)
    assert fresh(refund).state == "failed"
    dispute(world, order, "opened", 1000)
    dispute(world, order, "lost", 1000)
    world.settle()
    assert (fresh(refund).state, messages(refund)) == ("refunded", ["failed", "refunded"])
    assert cases(order) == ["dispute_lost"]


def test_a_dispute_about_what_was_paid_back_already_is_excess_until_it_is_won(world: World) -> None:
    order = bought(1000)
    [refund] = request(order).refunds
    world.run(refund)
    dispute(world, order, "opened", 1000)
    assert sums(order) == {"captured": 1000, "refunded": 1000, "disputed": 1000, "excess": 1000}
    assert cases(order) == ["dispute_opened", "excess"]
    dispute(world, order, "won", 1000)
    assert (sums(order), cases(order)) == ({"captured": 1000, "refunded": 1000}, [])


@pytest.mark.parametrize("taken_by", ["fact", "opened", "lost"])
def test_a_refund_that_gets_smaller_keeps_what_it_is_owed(world: World, taken_by: str) -> None:
    """Its money was taken, withheld or paid by the bank while the goods were looked at."""
    order = bought(500, quantity=2)
    ship(order)
    [refund] = request(order).refunds
    world.run(refund)
    if taken_by == "fact":
        world.make(order, 1000)
        world.find()
    else:
        dispute(world, order, taken_by, 400)
    approve(target(refund), Approval(lines=(LineWish(Sku("A"), 1),), goods=Goods.KEEP), actor=AGENT)
    world.run(refund)
    owed = {"fact": ("failed", 0), "opened": ("refunding", 0), "lost": ("refunded", 500)}[taken_by]
    moved = GatewayRefund.objects.filter(refund=refund, state__in=("succeeded", "external"))
    assert (fresh(refund).state, sum(m.amount_minor for m in moved)) == owed
    assert fresh(refund).amount_minor == 500


@pytest.mark.parametrize(
    ("told", "booked"),
    [
        (["opened", "opened", "won", "won", "opened"], ["dispute", "dispute_won"]),
        (["won", "opened"], []),
        (["lost", "opened", "won"], ["dispute", "dispute_lost"]),
        (["opened", "lost", "lost", "won"], ["dispute", "dispute_lost"]),
    ],
)
def test_in_whatever_order_and_however_often_it_is_told_each_counts_once(
    world: World, told: list[str], booked: list[str]
) -> None:
    order = bought(1000)
    for kind in told:
        dispute(world, order, kind, 1000)
    assert [kind for kind, _ in entries(order)] == booked
    assert [case for case in cases(order) if case == "dispute_opened"] == []


def test_a_dispute_of_a_payment_that_orders_share_takes_from_the_oldest_what_each_has(world: World) -> None:
    old, new = bought(1000), bought(1000)
    share_the_payment(old, new)
    [refund] = request(new).refunds
    dispute(world, old, "opened", 1500)
    assert [sums(order) for order in (old, new)] == [
        {"captured": 1000, "disputed": 1000},
        {"captured": 1000, "reserved": 500, "disputed": 500},
    ]
    world.run(refund)
    assert conditions(refund)["DisputeOpen"] == "MoneyWithheld"
    dispute(world, old, "won", 1500)
    world.run(refund)
    assert (fresh(refund).state, Incident.objects.filter(closed_at=None).count()) == ("refunded", 0)


def sums(order: Order) -> dict[str, int]:
    share = PaymentShare.objects.get(order=order)
    names = ("captured_minor", "reserved_minor", "refunded_minor", "disputed_minor", "excess_minor")
    return {name.removesuffix("_minor"): getattr(share, name) for name in names if getattr(share, name)}


def dispute(world: World, order: Order, kind: str, amount_minor: int) -> None:
    told = GatewayEvent(
        event_id=f"dispute-{next(_events)}",
        kind=f"dispute.{kind}",
        payment_reference=payment_of(order),
        number="",
        gateway_refund_id=f"dp-{payment_of(order)}",
        status=None,
        amount_minor=amount_minor,
        currency="EUR",
        occurred_at=None,
    )
    store_events("sandbox", [told])
    world.settle()


def test_what_is_not_left_is_told_of_the_whole_request(world: World) -> None:
    """Two units in two places are two refunds, and one sum."""
    order = bought(1000, 1000)
    leave(order, (Sku("A"), 1))
    dispute(world, order, "opened", 500)
    [refused] = request_refunds([wish(order)])
    assert isinstance(refused, Conflict)
    figures = (refused.extra["amount_minor"], refused.extra["left_minor"])
    assert (refused.code, figures) == ("money_not_left", (2000, 1500))
    assert "comes to 2000, but only 1500" in refused.detail
