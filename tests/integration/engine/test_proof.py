"""The carrier says delivered, the customer has nothing: proof is asked for, with a clock, and then there is an end."""

from datetime import timedelta

import pytest

from orders.models import Shipment
from refunds.models import Refund
from refunds.policy import BUILT_IN
from refunds.services.acts import Approval, approve, prove_delivery
from refunds.states import Goods
from tests.factories import request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import incidents, messages
from tests.integration.engine.places import report, send
from tests.integration.engine.returns import (
    AGENT,
    SHOP,
    Courier,
    bought,
    fresh,
    in_force,
    pass_time,
    state,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
TIME = timedelta(seconds=BUILT_IN.proof_seconds)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def denied(engine: Engine, courier: Courier, *, delivered: bool = True) -> Refund:
    order = bought(1000)
    send(order, f"way-{order.pk}", ("A", 1), delivered=delivered)
    [refund] = request(order, goods=Goods.NOT_RECEIVED).refunds
    work(engine, courier, refund)
    return refund


def trail(refund: Refund) -> list[str]:
    return list(refund.events.filter(kind__startswith="carrier.").order_by("seq").values_list("kind", flat=True))


def test_proof_is_asked_for_once_and_the_review_stands_still(engine: Engine, courier: Courier) -> None:
    refund = denied(engine, courier)
    work(engine, courier, refund)
    seen = fresh(refund)
    assert (seen.state, seen.proof, seen.held_for, seen.held_until) == (
        "in_review",
        "awaited",
        "proof",
        seen.proof_until,
    )
    asked = refund.events.get(kind="carrier.proof_requested")
    assert asked.data["parcels"][0]["tracking_number"] == f"way-{refund.order_id}"
    pass_time(timedelta(days=3))
    work(engine, courier, refund)
    assert (incidents(refund), trail(refund)) == ([], ["carrier.proof_requested"])


def test_what_is_on_its_way_is_only_asked_about_once_it_counts_as_delivered(engine: Engine, courier: Courier) -> None:
    refund = denied(engine, courier, delivered=False)
    assert fresh(refund).proof == ""
    report(Shipment.objects.get(order=refund.order_id), "delivered")
    work(engine, courier, refund)
    assert fresh(refund).proof == "awaited"


def test_with_proof_a_person_decides_in_his_whole_time(engine: Engine, courier: Courier) -> None:
    refund = denied(engine, courier)
    before = fresh(refund).deadline
    pass_time(timedelta(days=2))
    prove_delivery(target(refund), delivered=True, note="Signed by Bo.", actor=SHOP)
    work(engine, courier, refund)
    seen = fresh(refund)
    assert (seen.state, seen.proof, seen.proof_note, seen.held_until) == ("in_review", "given", "Signed by Bo.", None)
    assert seen.deadline - before > timedelta(days=1, hours=23)
    assert trail(refund) == ["carrier.proof_requested", "carrier.proof_given"]


@pytest.mark.parametrize("said", [True, False], ids=["the carrier has none", "nobody says anything"])
def test_without_proof_a_person_is_alerted(engine: Engine, courier: Courier, *, said: bool) -> None:
    refund = denied(engine, courier)
    if said:
        prove_delivery(target(refund), delivered=False, actor=SHOP)
    else:
        pass_time(TIME)
    work(engine, courier, refund)
    assert (state(refund), fresh(refund).held_until, incidents(refund)) == ("in_review", None, ["proof_missing"])
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), incidents(refund), messages(refund)) == ("refunded", [], ["received", "refunded"])


@pytest.mark.parametrize("said", [True, False], ids=["the carrier has none", "nobody says anything"])
def test_or_it_is_paid_where_the_policy_has_it_so(engine: Engine, courier: Courier, *, said: bool) -> None:
    in_force(proof_outcome="approve")
    refund = denied(engine, courier)
    if said:
        prove_delivery(target(refund), delivered=False, actor=SHOP)
    else:
        pass_time(TIME)
    work(engine, courier, refund)
    seen = fresh(refund)
    assert (seen.state, seen.approved_by, incidents(refund)) == ("refunded", "system", [])
    assert messages(refund) == ["received", "refunded"]


def test_an_agent_need_not_wait_for_it(engine: Engine, courier: Courier) -> None:
    refund = denied(engine, courier)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert state(refund) == "refunded"
    pass_time(TIME)
    work(engine, courier, refund)
    assert (incidents(refund), trail(refund)) == ([], ["carrier.proof_requested"])
