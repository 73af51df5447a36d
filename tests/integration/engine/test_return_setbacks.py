"""A return that stops half way: no courier can be booked, and it goes on or ends all the same."""

from collections.abc import Callable

import pytest

from orders.models import Shipment
from refunds.models import Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.services.acts import Approval, approve, cancel_refund
from tests.factories import SHOP, request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import sums
from tests.integration.engine.returns import AGENT, Courier, bought, fresh, state, target, work
from workers.ports import Refused, Unknown

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def agreed(engine: Engine, courier: Courier, refund: Refund) -> Refund:
    """Reviewed and approved."""
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return fresh(refund)


def cancel(refund: Refund) -> Refund:
    return cancel_refund(target(refund), actor=SHOP)


def no_booking(courier: Courier, answer: Callable[[], Refused | Unknown]) -> None:
    courier.answers[ParcelAct.BOOK] = lambda out: answer()


def test_a_booking_the_courier_refuses_leaves_it_approved_and_is_made_again(engine: Engine, courier: Courier) -> None:
    """medusajs/medusa#12913."""
    order = bought(1000)
    ship(order)
    no_booking(courier, lambda: Refused("none_available"))
    [refund] = request(order).refunds
    refund = agreed(engine, courier, refund)
    conditions = {c["type"]: (c["status"], c["reason"]) for c in refund.conditions}
    assert (refund.state, conditions["PickupBooked"]) == ("awaiting_return", ("False", "Refused"))
    assert RefundEvent.objects.filter(refund=refund, kind="pickup.refused").exists()
    del courier.answers[ParcelAct.BOOK]
    refund.pickups.update(retry_at=None)
    work(engine, courier, refund)
    [pickup] = refund.pickups.all()
    assert (state(refund), pickup.state, pickup.idempotency_key) == (
        "awaiting_return",
        "booked",
        f"{refund.number}-P1.1",
    )


@pytest.mark.parametrize(
    ("answer", "then"), [(lambda: Refused("none_available"), "cancelled"), (lambda: Unknown("time-out"), "a wish")]
)
def test_a_return_whose_booking_failed_can_be_cancelled(
    engine: Engine, courier: Courier, answer: Callable[[], Refused | Unknown], then: str
) -> None:
    """medusajs/medusa#14880."""
    order = bought(1000)
    ship(order)
    no_booking(courier, answer)
    [refund] = request(order).refunds
    refund = agreed(engine, courier, refund)
    cancelled = cancel(refund)
    assert ("a wish" if cancelled.cancel_wanted_by else cancelled.state) == then
    if then == "cancelled":
        assert (sums(order), Shipment.objects.get(order=order).state) == ((0, 0), "delivered")
