"""A carrier who never reports: what he has had for so long counts as delivered, and nothing is stuck on its way."""

from datetime import timedelta

import pytest

from orders.selectors.orders import order_page
from refunds.policy import BUILT_IN
from refunds.services.acts import Approval, approve
from tests.factories import request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import messages
from tests.integration.engine.places import report, send
from tests.integration.engine.returns import (
    AGENT,
    Courier,
    bought,
    fresh,
    in_force,
    live,
    pass_time,
    state,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
SILENCE = timedelta(seconds=BUILT_IN.delivered_after_seconds)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def test_what_is_asked_for_then_is_fetched(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    send(order, f"way-{order.pk}", ("A", 1))
    pass_time(SILENCE)
    [refund] = request(order).refunds
    assert refund.route == "pickup"
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), courier.asked[0]) == ("awaiting_return", "book")
    assert messages(refund) == ["received", "pickup_booked"]


def test_the_order_says_what_counts_as_delivered_and_for_how_much(engine: Engine) -> None:
    order = bought(1000)
    parcel = send(order, f"way-{order.pk}", ("A", 1))
    seen = []
    for _ in range(2):
        page = order_page(channel_id=order.channel_id, number=order.number)
        seen.append((page.is_assumed_delivered(parcel), [at.place.value for at in page.free_units()["A"]]))
        pass_time(SILENCE)
    assert seen == [(False, ["in_transit"]), (True, ["delivered"])]


def test_an_open_refund_goes_the_other_way_at_that_very_time_and_says_why(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    parcel = send(order, f"way-{order.pk}", ("A", 1))
    [refund] = request(order).refunds
    work(engine, courier, refund)
    assert fresh(refund).route == "intercept"
    due = parcel.shipped_at + SILENCE
    pass_time(due - fresh(refund).created_at - timedelta(hours=1))
    work(engine, courier, refund)
    assert (fresh(refund).route, fresh(refund).next_reconcile_at) == ("intercept", due)
    pass_time(timedelta(hours=1))
    work(engine, courier, refund)
    assert fresh(refund).route == "pickup"
    assert refund.events.filter(kind="shipment.assumed_delivered", data={"shipment": parcel.pk}).count() == 1


def test_a_parcel_that_was_to_be_stopped_is_fetched_in_the_end(engine: Engine, courier: Courier) -> None:
    """The carrier tries to stop it and is silent: a person looks, approves again, and a courier comes."""
    order = bought(1000)
    send(order, f"way-{order.pk}", ("A", 1))
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    live(engine, courier, refund, until=["in_review"], limit=timedelta(days=20))
    assert fresh(refund).route == "intercept"
    pass_time(SILENCE)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route, courier.booked) == ("awaiting_return", "pickup", 1)


def test_a_carriers_word_that_comes_all_the_same_is_the_truth(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    parcel = send(order, f"way-{order.pk}", ("A", 1))
    pass_time(SILENCE)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    report(parcel, "returning")
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).route) == ("in_review", "intercept")


def test_a_refund_keeps_the_time_of_the_policy_it_was_asked_for_under(engine: Engine, courier: Courier) -> None:
    order = bought(1000)
    send(order, f"way-{order.pk}", ("A", 1))
    [refund] = request(order).refunds
    work(engine, courier, refund)
    in_force(delivered_after_seconds=3600)
    work(engine, courier, refund)
    assert fresh(refund).route == "intercept"
