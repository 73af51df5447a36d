"""What is expected of the outside holds up the next effect and nothing else; and who is told that a status is stale."""

from datetime import timedelta

import pytest
import redis

from orders.models import Order
from refunds.models import Refund
from refunds.services.acts import cancel_refund
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import PAID, asked_for, entries, only_send, standing, unapplied, webhook
from tests.integration.engine.returns import SHOP, fresh, pass_time, target
from workers import bootstrap
from workers.ports import Capabilities, NotSent
from workers.reconcilers.refunds import RefundReconciler

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def test_a_call_that_is_out_holds_up_another_one_and_not_the_status() -> None:
    """Controller check 32; upstream: TestControllerSyncJob "suspending a job with unsatisfied expectations"."""
    engine, refund = Engine(), asked_for()
    only_send(engine, refund)
    nobody_can_be_reached(refund)
    assert engine.begin(refund).calls == []
    assert (shown(refund, "Unreachable"), standing(refund)) == ("True", "refunding, intended, sent")


def test_the_business_back_off_holds_up_the_call_and_not_the_sync() -> None:
    """Controller check 19; upstream: TestControllerSyncJob "too few active pods and active back-off"."""
    engine, refund = Engine(), asked_for()
    engine.answer(only_send(engine, refund), NotSent("no connection"))
    nobody_can_be_reached(refund)
    pass_time(timedelta(seconds=4))
    done = engine.begin(refund)
    assert (done.calls, shown(refund, "Unreachable")) == ([], "True")
    assert done.due_in[refund.id] == pytest.approx(6, abs=1), "what is left of ten seconds"
    pass_time(timedelta(seconds=6))
    only_send(engine, refund)


def test_a_copy_counts_once_and_for_its_own_refund_alone() -> None:
    """Controller check 38; upstream: TestUIDTrackingExpectations, TestFinalizersRemovedExpectations."""
    engine, refund, another = Engine(Capabilities(look_up=False)), asked_for(), asked_for()
    for out in engine.begin(refund, another).calls:
        engine.answer(out, accepted(out.movement, "pending", "a" if out.refund_id == refund.id else "b"))
    webhook(refund, "succeeded", copies=3)
    engine.begin(refund, another)
    assert (standing(refund), entries(refund), unapplied(refund)) == ("refunded, succeeded, idle", PAID, 0)
    assert standing(another) == "refunding, pending, idle"


def test_a_condition_tells_of_which_generation_it_speaks() -> None:
    """Controller check 59; no upstream test."""
    engine, refund = Engine(room=0), asked_for()
    engine.begin(refund)
    assert generations(refund) == (1, 1, {1})
    cancel_refund(target(refund), actor=SHOP)
    assert generations(refund) == (2, 1, {1}), "what is shown is of before"
    engine.begin(refund)
    assert generations(refund) == (2, 2, {2})


def test_what_is_wanted_moves_the_generation_and_what_happens_does_not() -> None:
    """Controller check 58; upstream: TestGeneration, TestStatusSubresource."""
    engine, refund = Engine(), asked_for()
    versions = [fresh(refund).resource_version]
    out = only_send(engine, refund)
    versions.append(fresh(refund).resource_version)
    engine.answer(out, accepted(out.movement))
    versions.append(fresh(refund).resource_version)
    assert generations(refund)[0] == 1
    assert versions == sorted(set(versions)), "clients see each change"


def test_what_is_wanted_wakes_at_once_and_what_a_sync_writes_wakes_nobody(redis_client: redis.Redis) -> None:
    """Controller check 26; upstream: TestUpdateJobRequeue, TestJobBackoff."""
    engine, refund = Engine(), asked_for()
    assert waiting() == 1
    redis_client.flushdb()
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "pending"))
    engine.begin(refund)
    assert waiting() == 0


def test_the_sweep_brings_back_every_refund_that_is_due_page_by_page_and_begins_anew() -> None:
    """Controller check 49; upstream: TestReflectorResync."""
    refunds = {str(asked_for().id) for _ in range(5)}
    pass_time(timedelta(seconds=6))
    reconciler = RefundReconciler(bootstrap.gateway, bootstrap.courier, is_courier=bootstrap.is_courier)
    pages = [reconciler.due(2) for _ in range(3)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert {key for page in pages for key in page} == refunds
    assert reconciler.due(2) == pages[0]


def nobody_can_be_reached(refund: Refund) -> None:
    Order.objects.filter(pk=refund.order_id).update(customer_email="", customer_phone="")


def shown(refund: Refund, kind: str) -> str:
    return {c["type"]: c["status"] for c in fresh(refund).conditions}.get(kind, "")


def generations(refund: Refund) -> tuple[int, int, set[int]]:
    """Of the refund, of what its last pass acted on, and of its conditions."""
    it = fresh(refund)
    return it.generation, it.observed_generation, {c["observed_generation"] for c in it.conditions}


def waiting() -> int:
    return bootstrap.workqueue().stats().queues["refunds"].depth
