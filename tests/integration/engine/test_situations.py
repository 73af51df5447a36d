"""What shops, customers and carriers meet in a week, on real rows: each is a behaviour to have, or a clear refusal."""

import pytest

from orders.errors import Conflict, Invalid
from orders.models import Order, OrderLine, PaymentShare
from orders.services.lines import LineId, Sku
from refunds.messages.render import render_message
from refunds.models import GatewayRefund, Notification, Refund
from refunds.selectors.message_facts import message_facts
from refunds.services.acts import Approval, Inspected, approve, cancel_refund, inspect, receive
from refunds.services.requests import LineWish, RefundWish, preview_refund, request_refunds
from tests.factories import SHOP, make_order, request, ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages, sums
from tests.integration.engine.places import in_three_places, report, send
from tests.integration.engine.returns import (
    AGENT,
    WAREHOUSE,
    Courier,
    bought,
    fresh,
    state,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def again(order: Order) -> Order:
    return Order.objects.get(pk=order.pk)


def unpaid(*prices: int, **fields: int) -> Order:
    order = make_order(*prices, **fields)
    PaymentShare.objects.filter(order=order).delete()
    return order


def routes(*refunds: Refund) -> list[tuple[str, int]]:
    """Each refund's route, and how many units are on it."""
    return [(fresh(r).route, sum(row.quantity for row in r.lines.all())) for r in refunds]


def agreed(engine: Engine, courier: Courier, refund: Refund) -> Refund:
    """Reviewed and approved."""
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return fresh(refund)


def cancel(refund: Refund) -> Refund:
    return cancel_refund(target(refund), actor=SHOP)


def refused(one: RefundWish) -> Conflict:
    [problem] = request_refunds([one])
    assert isinstance(problem, Conflict), problem
    return problem


# --- where the units are


def test_a_line_in_three_places_goes_three_roads_and_each_road_pays_its_part(engine: Engine, courier: Courier) -> None:
    order, on_the_way, _ = in_three_places(shipping_minor=299, captured=(5304,))
    refunds = request(order).refunds
    assert routes(*refunds) == [("instant", 2), ("intercept", 2), ("pickup", 1)]
    assert len({r.request_id for r in refunds}) == 1 and [r.amount_minor for r in refunds] == [2002, 2002, 1300]
    home, stopped, fetched = refunds
    work(engine, courier, *refunds)
    assert [state(r) for r in refunds] == ["refunded", "in_review", "in_review"]
    assert again(order).refund_state == "refund_requested"

    agreed(engine, courier, stopped)
    report(on_the_way, "returned")
    work(engine, courier, stopped)
    assert (state(stopped), sums(order)) == ("refunded", (1300, 4004))

    agreed(engine, courier, fetched)
    receive(target(fetched), actor=WAREHOUSE)
    inspect(target(fetched), [Inspected(Sku("A"), accepted=1)], actor=WAREHOUSE)
    work(engine, courier, fetched)
    order = again(order)
    assert (state(fetched), order.refund_state, sums(order)) == ("refunded", "refunded", (0, 5304))
    line = OrderLine.objects.get(order=order)
    assert (line.refunded, line.held, line.refunded_minor, order.shipping_refunded_minor) == (5, 0, 5005, 299)
    assert [courier.asked.count(act) for act in ("intercept", "book")] == [1, 1]
    assert {fresh(r).number: messages(r)[-1] for r in (stopped, fetched)} == {
        stopped.number: "refunded",
        fetched.number: "refunded",
    }
    assert messages(home) == ["refunded_at_once"]


@pytest.mark.parametrize("lines", [(), (("A", 1), ("B", 1), ("C", 1)), (("C", 1), ("B", 1), ("A", 1))])
@pytest.mark.parametrize("places", ["ABC", "CAB", "CBA"])
def test_shipping_is_paid_with_the_furthest_part_whatever_the_order_of_the_lines(
    engine: Engine, lines: tuple[tuple[str, int], ...], places: str
) -> None:
    order = bought(1000, 1000, 1000, shipping_minor=500, captured=(3500,))
    received, on_the_way, _ = places
    send(order, f"got-{order.pk}", (received, 1), delivered=True)
    send(order, f"way-{order.pk}", (on_the_way, 1))
    shown = preview_refund(wish(order, *lines))
    refunds = request(order, *lines).refunds
    parts = [("instant", 1000), ("intercept", 1000), ("pickup", 1500)]
    assert [(part.route, part.sheet.total_minor) for part in shown.parts] == parts
    assert [(fresh(r).route, r.amount_minor) for r in refunds] == parts


def test_what_need_not_come_back_is_before_what_must(engine: Engine) -> None:
    order = bought(1000, 1000, shipping_minor=500, captured=(2500,))
    OrderLine.objects.filter(order=order, sku="B").update(fulfilment="digital")
    send(order, f"got-{order.pk}", ("A", 1), delivered=True)
    assert [(r.route, r.amount_minor) for r in request(order).refunds] == [("refund_only", 1000), ("pickup", 1500)]


def test_the_preview_names_the_units_of_each_road(engine: Engine) -> None:
    order, on_the_way, received = in_three_places()
    shown = preview_refund(wish(order, ("A", 4)))
    units = [(part.route, [(u.place, u.quantity, u.shipment_id) for u in part.units]) for part in shown.parts]
    assert units == [("instant", [("unshipped", 2, None)]), ("intercept", [("in_transit", 2, on_the_way.pk)])]
    shown = preview_refund(wish(order, ("A", 1), reason_code="damaged"))
    assert [(part.route, part.units[0].shipment_id) for part in shown.parts] == [("pickup", received.pk)]


def test_of_two_parcels_of_a_line_the_delivered_one_is_fetched_and_the_other_stopped(
    engine: Engine, courier: Courier
) -> None:
    order = bought(1000, quantity=2)
    late = send(order, f"late-{order.pk}", ("A", 1))
    send(order, f"here-{order.pk}", ("A", 1), delivered=True)
    stopped, fetched = request(order).refunds
    assert routes(stopped, fetched) == [("intercept", 1), ("pickup", 1)]
    for refund in (stopped, fetched):
        agreed(engine, courier, refund)
    assert sorted(courier.asked[:2]) == ["book", "intercept"]
    report(late, "delivered")
    work(engine, courier, stopped)
    assert (routes(stopped), courier.asked.count("book")) == ([("pickup", 1)], 2)


@pytest.mark.parametrize(("told", "then"), [("lost", "refunded"), ("returned", "refunded"), ("refused", None)])
def test_what_never_arrived_is_paid_once_it_is_lost_or_back(
    engine: Engine, courier: Courier, told: str, then: str | None
) -> None:
    order = bought(1000)
    parcel = ship(order, "shipped")
    report(parcel, told)
    [refund] = request(order).refunds
    agreed(engine, courier, refund)
    if then is None:
        assert (state(refund), sums(order)) == ("awaiting_return", (1000, 0))
        report(parcel, "returned")
        work(engine, courier, refund)
    assert (state(refund), sums(order)) == ("refunded", (0, 1000))
    assert {"book", "intercept"} & set(courier.asked) == set()


def test_a_sku_on_two_lines_is_refunded_by_the_id_of_one(engine: Engine) -> None:
    order = bought(1000, 0, captured=(1000,))
    OrderLine.objects.filter(order=order).update(sku="MUG")

    def named(key: LineId | Sku) -> RefundWish:
        return RefundWish(order.channel_id, order.number, SHOP, lines=(LineWish(key, 1),))

    [vague, free] = request_refunds([named(Sku("MUG")), named(LineId("B"))])
    assert isinstance(vague, Invalid) and vague.errors[0].code == "ambiguous_sku"
    engine.run(*free.refunds)
    lines = OrderLine.objects.filter(order=order).order_by("line_id")
    assert [(line.refunded, line.refunded_minor) for line in lines] == [(0, 0), (1, 0)]


# --- whose money


def test_orders_that_share_a_payment_give_back_each_its_share_and_never_more(engine: Engine) -> None:
    first, second = bought(600), bought(400)
    [share] = PaymentShare.objects.filter(order=second)
    payment = PaymentShare.objects.get(order=first).payment
    PaymentShare.objects.filter(pk=share.pk).update(payment=payment)
    type(payment).objects.filter(pk=payment.pk).update(total_minor=1000, allocated_minor=1000)
    engine.run(*request(first).refunds, *request(second).refunds)
    moved = GatewayRefund.objects.filter(share__payment=payment, state="succeeded")
    assert sorted(m.amount_minor for m in moved) == [400, 600]
    assert [refused(wish(order)).code for order in (first, second)] == ["nothing_left", "nothing_left"]


def test_an_order_nobody_paid_is_cancelled_without_a_gateway_and_the_customer_told_so(engine: Engine) -> None:
    order = unpaid(1000, 500, shipping_minor=300)
    assert refused(wish(order)).code == "not_captured"
    [refund] = request(order, only_unshipped=True).refunds
    assert [(e["kind"], e["amount_minor"]) for e in refund.sheet["entries"]][-1] == ("limit", -1800)
    engine.run(refund)
    assert (state(refund), again(order).state, GatewayRefund.objects.count()) == ("refunded", "cancelled", 0)
    [mail] = Notification.objects.filter(refund=refund, channel="email")
    text = render_message(message_facts([mail])[mail.pk]).text
    assert "nothing had been taken for these items" in " ".join(text.split())


def test_an_order_nobody_paid_that_is_on_its_way_is_not_given_up(engine: Engine) -> None:
    order = unpaid(1000, quantity=2)
    send(order, f"way-{order.pk}", ("A", 1))
    [refund] = request(order, only_unshipped=True).refunds
    assert routes(refund) == [("instant", 1)]
    assert refused(wish(order)).code == "not_captured"


def test_a_shop_that_is_out_of_stock_refunds_by_itself_in_words_of_its_own(engine: Engine) -> None:
    order = bought(1000)
    [refund] = request(order, only_unshipped=True).refunds
    engine.run(refund)
    assert (state(refund), again(order).state, messages(refund)) == ("refunded", "cancelled", ["refunded_at_once"])
    [mail] = Notification.objects.filter(refund=refund, channel="email")
    assert message_facts([mail])[mail.pk].asked is False


def test_a_second_request_for_the_same_units_names_the_refund_that_has_them() -> None:
    order = bought(1000, 500, quantity=2)
    [first] = request(order, ("A", 2)).refunds
    problem = refused(wish(order, ("A", 1)))
    assert (problem.code, problem.extra["refunds"]) == ("units_not_left", [first.number])
    [other] = request(order, ("B", 1)).refunds
    cancel(other)
    assert refused(wish(order, ("A", 1))).extra["refunds"] == [first.number]


def test_one_of_three_pieces_goes_back_and_the_two_others_later(engine: Engine, courier: Courier) -> None:
    """pretix/pretix#2598."""
    order = bought(999, quantity=3)
    ship(order)
    for quantity, amount_minor in ((1, 999), (2, 1998)):
        [refund] = request(order, ("A", quantity)).refunds
        agreed(engine, courier, refund)
        receive(target(refund), actor=WAREHOUSE)
        inspect(target(refund), [Inspected(Sku("A"), accepted=quantity)], actor=WAREHOUSE)
        work(engine, courier, refund)
        assert (state(refund), fresh(refund).amount_minor) == ("refunded", amount_minor)
    assert (again(order).refund_state, sums(order)) == ("refunded", (0, 2997))


def test_what_a_refund_has_taken_back_no_cancel_takes_back_again(engine: Engine) -> None:
    """PrestaShop/PrestaShop#35460: restocked by the refund, then once more by the cancel."""
    order = bought(1000)
    [refund] = request(order).refunds
    engine.run(refund)
    assert refused(wish(order, only_unshipped=True)).code == "nothing_left"
    with pytest.raises(Conflict):
        cancel(refund)
    line = OrderLine.objects.get(order=order)
    assert (line.refunded, line.held, line.withheld, sums(order)) == (1, 0, 1, (0, 1000))


def test_a_delivered_line_without_a_price_closes_without_a_gateway_and_counts_as_given_back(
    engine: Engine, courier: Courier
) -> None:
    """PrestaShop/PrestaShop#33529."""
    order = bought(0, 1000)
    ship(order)
    [refund] = request(order, ("A", 1)).refunds
    work(engine, courier, refund)
    assert (state(refund), GatewayRefund.objects.count(), courier.asked) == ("refunded", 0, [])
    line = OrderLine.objects.get(order=order, sku="A")
    assert (line.refunded, again(order).refund_state) == (1, "partially_refunded")


def test_a_refund_that_gets_smaller_after_prices_rose_comes_to_no_more_than_was_reserved(
    engine: Engine, courier: Courier
) -> None:
    order = bought(1000, quantity=3)
    ship(order)
    [refund] = request(order, ("A", 2)).refunds
    agreed(engine, courier, refund)
    OrderLine.objects.filter(order=order).update(unit_price_minor=3000, list_minor=9000)
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected(Sku("A"), accepted=1, missing=1)], actor=WAREHOUSE)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).amount_minor, sums(order)) == ("refunded", 2000, (0, 2000))
    assert [(e["kind"], e["amount_minor"]) for e in fresh(refund).sheet["entries"]] == [
        ("line", 3000),
        ("limit", -1000),
    ]
