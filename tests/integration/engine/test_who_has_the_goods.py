"""Who has the goods decides whether a refund can be cancelled or rejected; and what overtakes a wish to cancel."""

from collections.abc import Callable

import pytest

from orders.errors import Conflict
from orders.models import PaymentShare, Shipment
from orders.roles import Actor
from orders.services.lines import Sku
from refunds.actions import ACTS_FOR_THE_CUSTOMER, Action
from refunds.models import Pickup, Refund, RefundEvent
from refunds.parcels import ParcelAct
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.arrivals import Parcel as Read
from refunds.services.acts import (
    Approval,
    Inspected,
    Parcel,
    approve,
    cancel_refund,
    hold,
    inspect,
    rebook_pickup,
    receive,
    reject,
    ship_back,
    take_parcel,
)
from refunds.services.acts.goods import LATEST_SLOT
from refunds.states import Goods
from tests.factories import request, ship
from tests.fingerprint import fingerprint
from tests.integration.engine.conftest import Engine
from tests.integration.engine.places import report
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    WAREHOUSE,
    Courier,
    bought,
    fact,
    fresh,
    only_call,
    state,
    target,
    work,
)
from tests.integration.engine.test_return_crossings import together
from workers.ports import NotSent, ParcelsFound, ParcelStatus, Refused, Unknown

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
ANYBODY = [Actor("principal:8", role) for role in sorted(ACTS_FOR_THE_CUSTOMER)]


@pytest.fixture
def courier() -> Courier:
    return Courier()


def reviewed(engine: Engine, courier: Courier, *, where: str = "delivered", **asked: object) -> Refund:
    order = bought(1000, quantity=2)
    ship(order, where)
    [refund] = request(order, **asked).refunds
    work(engine, courier, refund)
    return refund


def agreed(engine: Engine, courier: Courier, *, where: str = "delivered") -> Refund:
    refund = reviewed(engine, courier, where=where)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return refund


def cancel(refund: Refund, actor: Actor = CUSTOMER) -> Refund:
    return cancel_refund(target(refund), actor=actor)


def refusal(act: Callable[[], object]) -> str:
    """The code it is refused with, without a trace; empty when it is done."""
    before = fingerprint()
    try:
        act()
    except Conflict as problem:
        assert fingerprint() == before
        return problem.code
    return ""


def uncancellable(refund: Refund) -> str:
    """The one code that everybody's cancel is refused with, and nobody is offered it."""
    assert not any(Action.CANCEL in allowed_actions(fresh(refund), actor) for actor in ANYBODY)
    [code] = {refusal(lambda actor=actor: cancel(refund, actor)) for actor in ANYBODY}
    return code


def unrejectable(refund: Refund) -> str:
    assert Action.REJECT not in allowed_actions(fresh(refund), AGENT)
    return refusal(lambda: reject(target(refund), reason="Worn.", actor=AGENT))


def tell(courier: Courier, status: ParcelStatus) -> None:
    """What the courier says of every parcel when he is asked next."""
    courier.answers[ParcelAct.TRACK] = lambda out: ParcelsFound((fact("", out.waybill, status),))
    Pickup.objects.update(retry_at=None)
    Shipment.objects.update(retry_at=None)


def dropped(refund: Refund) -> list[str]:
    """Why wishes to cancel were dropped; none may be open any more."""
    assert fresh(refund).cancel_wanted_by == ""
    events = RefundEvent.objects.filter(refund=refund, kind="refund.cancel_dropped").order_by("seq")
    return [event.data["reason"] for event in events]


def wished_away(engine: Engine, courier: Courier) -> Refund:
    """The courier does not answer whether he comes."""
    refund = agreed(engine, courier)
    courier.answers[ParcelAct.CANCEL] = courier.answers[ParcelAct.FIND] = lambda out: Unknown("time-out")
    assert cancel(refund).cancel_wanted_by
    work(engine, courier, refund)
    return refund


def test_goods_a_courier_has_are_neither_cancelled_nor_rejected(engine: Engine, courier: Courier) -> None:
    refund = agreed(engine, courier)
    tell(courier, ParcelStatus.COLLECTED)
    work(engine, courier, refund)
    assert uncancellable(refund) == "already_collected"
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    assert unrejectable(refund) == "already_collected"


def test_goods_posted_by_the_customer_s_word_alone_can_be_rejected(engine: Engine, courier: Courier) -> None:
    refund = agreed(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    work(engine, courier, refund)
    assert uncancellable(refund) == "already_collected"
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    assert reject(target(refund), reason="It never came.", actor=AGENT).state == "rejected"


def test_goods_received_in_review_are_inspected_before_anybody_decides(engine: Engine, courier: Courier) -> None:
    refund = reviewed(engine, courier, goods=Goods.ALREADY_SENT)
    receive(target(refund), actor=WAREHOUSE)
    assert (uncancellable(refund), unrejectable(refund)) == ("goods_received", "goods_received")
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), uncancellable(refund)) == ("inspecting", "goods_received")
    assert not fresh(refund).notifications.filter(template="approved").exists()


def test_goods_are_received_once_while_they_are_reviewed(engine: Engine, courier: Courier) -> None:
    refund = reviewed(engine, courier, goods=Goods.ALREADY_SENT)
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    before = fingerprint()
    with pytest.raises(Conflict) as refused:
        receive(target(refund), actor=WAREHOUSE)
    assert (refused.value.code, fingerprint()) == ("goods_received", before)
    assert Action.RECEIVE not in allowed_actions(fresh(refund), WAREHOUSE)


def test_a_parcel_taken_again_while_its_refund_is_reviewed_is_the_same(engine: Engine, courier: Courier) -> None:
    refund = reviewed(engine, courier, goods=Goods.ALREADY_SENT)
    read, channels = Read(order=refund.order.number), [refund.order.channel_id]
    assert take_parcel(read, channels=channels, actor=WAREHOUSE).refunds == (refund,)
    work(engine, courier, refund)
    before = fingerprint()
    assert take_parcel(read, channels=channels, actor=WAREHOUSE).refunds == (refund,)
    assert fingerprint() == before


@pytest.mark.parametrize("held", [False, True])
def test_goods_in_the_warehouse_are_not_cancelled_any_more(engine: Engine, courier: Courier, held: bool) -> None:
    refund = agreed(engine, courier)
    receive(target(refund), actor=WAREHOUSE)
    if held:
        hold(target(refund), until=None, actor=AGENT)
    assert uncancellable(refund) == "goods_received"
    inspect(target(refund), [Inspected(Sku("A"), accepted=2)], actor=WAREHOUSE)
    assert (state(refund), uncancellable(refund)) == ("refunding", "goods_received")


def test_goods_that_a_courier_brought_are_not_cancelled_after_their_inspection(
    engine: Engine, courier: Courier
) -> None:
    refund = agreed(engine, courier)
    tell(courier, ParcelStatus.RECEIVED)
    work(engine, courier, refund)
    assert (state(refund), uncancellable(refund)) == ("inspecting", "goods_received")
    inspect(target(refund), [Inspected(Sku("A"), accepted=2)], actor=WAREHOUSE)
    assert uncancellable(refund) == "goods_received"


def test_goods_a_courier_lost_are_paid_not_cancelled(engine: Engine, courier: Courier) -> None:
    refund = agreed(engine, courier)
    for status in (ParcelStatus.COLLECTED, ParcelStatus.LOST):
        tell(courier, status)
        work(engine, courier, refund, reply=lambda movement: NotSent("connection refused"))
    assert (state(refund), uncancellable(refund)) == ("refunding", "already_collected")


def test_a_cancel_beside_an_inspection_never_wins(engine: Engine, courier: Courier) -> None:
    for _ in range(5):
        refund = agreed(engine, courier)
        receive(target(refund), actor=WAREHOUSE)
        found = [Inspected(Sku("A"), accepted=2)]
        done, refused = together(
            lambda r=refund, f=found: inspect(target(r), f, actor=WAREHOUSE), lambda r=refund: cancel(r)
        )
        assert isinstance(done, Refund) and isinstance(refused, Conflict)
        assert (refused.code, state(refund)) == ("goods_received", "refunding")


def test_a_parcel_is_not_cancelled_while_the_carrier_turns_it_round(engine: Engine, courier: Courier) -> None:
    refund = reviewed(engine, courier, where="shipped")
    approve(target(refund), Approval(), actor=AGENT)
    only_call(engine, refund, ParcelAct.INTERCEPT)
    assert uncancellable(refund) == "being_stopped"
    Shipment.objects.update(call="unknown", retry_at=None)
    work(engine, courier, refund)
    parcel = Shipment.objects.get(order=refund.order_id)
    assert (parcel.state, uncancellable(refund)) == ("intercepting", "being_stopped")
    report(parcel, "returning")
    assert uncancellable(refund) == "being_stopped"
    report(parcel, "returned")
    assert uncancellable(refund) == "goods_returned"
    engine.begin(refund)
    assert (state(refund), uncancellable(refund)) == ("refunding", "money_claimed")


def test_a_parcel_that_is_not_stopped_can_be_kept(engine: Engine, courier: Courier) -> None:
    courier.answers[ParcelAct.INTERCEPT] = lambda out: Refused("too_late")
    refund = agreed(engine, courier, where="shipped")
    assert cancel(refund).state == "cancelled"


def test_a_parcel_delivered_after_all_can_be_kept(engine: Engine, courier: Courier) -> None:
    refund = agreed(engine, courier, where="shipped")
    assert uncancellable(refund) == "being_stopped"
    report(Shipment.objects.get(order=refund.order_id), "delivered")
    work(engine, courier, refund)
    assert cancel(refund).cancel_wanted_by
    work(engine, courier, refund)
    assert state(refund) == "cancelled"


def test_who_posts_the_goods_does_not_want_to_cancel_any_more(engine: Engine, courier: Courier) -> None:
    refund = wished_away(engine, courier)
    ship_back(target(refund), Parcel("post", "X1"), actor=CUSTOMER)
    assert dropped(refund) == ["sent_back"]
    del courier.answers[ParcelAct.CANCEL], courier.answers[ParcelAct.FIND]
    Pickup.objects.update(retry_at=None)
    work(engine, courier, refund)
    assert state(refund) == "awaiting_return"
    receive(target(refund), actor=WAREHOUSE)
    assert state(refund) == "inspecting"


def test_a_wish_is_dropped_by_the_goods(engine: Engine, courier: Courier) -> None:
    refund = wished_away(engine, courier)
    assert receive(target(refund), actor=WAREHOUSE).cancel_wanted_by == ""
    assert (state(refund), dropped(refund)) == ("inspecting", ["received"])


def test_a_wish_is_dropped_by_an_approval_to_keep_the_goods(engine: Engine, courier: Courier) -> None:
    refund = wished_away(engine, courier)
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    approve(target(refund), Approval(goods=Goods.KEEP), actor=AGENT)
    assert (state(refund), dropped(refund)) == ("refunding", ["refunding"])
    # Until its money is claimed it can be cancelled at once: no courier has to confirm anything.
    assert cancel(refund).state == "cancelled"


def test_no_other_visit_is_asked_for_while_one_is_called_off(engine: Engine, courier: Courier) -> None:
    """Controller check 43; upstream: TestControllerSyncJob "too many active pods"."""
    refund = wished_away(engine, courier)
    now = fresh(refund).updated_at
    assert Action.REBOOK_PICKUP not in allowed_actions(fresh(refund), CUSTOMER)
    slot = {"slot_from": now + LATEST_SLOT / 3, "slot_to": now + LATEST_SLOT / 2}
    assert refusal(lambda: rebook_pickup(target(refund), **slot, actor=CUSTOMER)) == "cancel_requested"


def test_a_wish_ends_with_the_refund(engine: Engine, courier: Courier) -> None:
    refund = agreed(engine, courier)
    cancel(refund)
    work(engine, courier, refund)
    assert (state(refund), dropped(refund)) == ("cancelled", [])
    assert PaymentShare.objects.get(order=refund.order_id).reserved_minor == 0
