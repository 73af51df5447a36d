"""The one lock: who holds an order decides alone, and nobody who cannot have it loses anything."""

import threading

import pytest

from orders.errors import Conflict
from orders.locks import LockNotHad
from refunds.models import GatewayRefund, Refund
from refunds.services.answers import Told
from refunds.services.reconcile import Outbound
from refunds.services.requests import Requested, request_refunds
from tests.factories import wish
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import asked_for, only_send, standing, sums, unapplied, webhook
from tests.integration.engine.returns import bought
from tests.integration.engine.threads import somebody_holds, together
from tests.sizes import size

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.mark.sized
def test_two_passes_at_once_claim_once() -> None:
    """Public report 13: one gateway call. Controller check 33; upstream: TestSyncJobExpectations."""
    for _ in range(size(200)):
        refund = asked_for()
        passes = together(*[lambda r=refund: Engine().begin(r, wait_ms=10_000)] * 3)
        assert sum(len(done.calls) for done in passes) == 1
        assert GatewayRefund.objects.get(refund=refund).attempt == 1


@pytest.mark.sized
def test_the_same_answer_recorded_twice_at_once_is_booked_once() -> None:
    """Controller check 33; upstream: TestSyncJobExpectations. Controller check 74; upstream: TestGetNewFinshedPods,
    TestTrackJobStatusAndRemoveFinalizers "pod flips from failed to succeeded", TestTrackJobStatusAndRemoveFinalizers
    "pod patch errors with partial success"."""
    for _ in range(size(100)):
        refund = asked_for()
        out = only_send(Engine(), refund)
        told = Told(out.refund_id, out.movement.number, out.of, accepted(out.movement))
        together(*[lambda t=told: Engine().record([t], wait_ms=10_000)] * 3)
        assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))


@pytest.mark.sized
@pytest.mark.parametrize("quantity", [2, 1])
def test_clients_at_once_get_no_more_than_there_is(quantity: int) -> None:
    """Public report 4: the loser is told what is left."""
    for _ in range(size(50)):
        order = bought(1000, quantity=2)
        results = together(*[lambda o=order: request_refunds([wish(o, ("A", quantity))])[0]] * 4)
        got = [r for r in results if isinstance(r, Requested)]
        refused = [r for r in results if isinstance(r, Conflict)]
        assert (len(got), len(refused)) == (2 // quantity, 4 - 2 // quantity)
        assert {r.extra["left"] for r in refused} <= set(range(quantity))
        assert sums(order) == (2000, 0)


def test_a_locked_order_is_skipped_and_the_others_are_not() -> None:
    engine, busy, free = Engine(), asked_for(), asked_for()
    with somebody_holds(busy.order_id):
        done = engine.begin(busy, free)
        assert (done.skipped, [out.refund_id for out in done.calls]) == ([busy.id], [free.id])
        assert busy.id not in done.due_in
    assert len(engine.begin(busy).calls) == 1


def test_with_patience_it_waits_for_the_lock() -> None:
    engine, busy = Engine(), asked_for()
    with somebody_holds(busy.order_id) as let_go:
        threading.Timer(0.2, let_go).start()
        done = engine.begin(busy, wait_ms=10_000)
    assert (len(done.calls), done.skipped) == (1, [])


def test_patience_ends() -> None:
    engine, busy = Engine(), asked_for()
    with somebody_holds(busy.order_id), pytest.raises(LockNotHad):
        engine.begin(busy, wait_ms=50)
    assert len(engine.begin(busy).calls) == 1


def test_answers_for_a_locked_order_are_left_out_and_recorded_later() -> None:
    engine, busy, free = Engine(), asked_for(), asked_for()
    told = [_told(out) for out in engine.begin(busy, free).calls if isinstance(out, Outbound)]
    with somebody_holds(busy.order_id):
        done = engine.record(told)
        assert (done.skipped, list(done.due_in)) == ([busy.id], [free.id])
        assert (standing(busy), standing(free)) == ("refunding, intended, sent", "refunded, succeeded, idle")
    assert list(engine.record(told).due_in) == [busy.id, free.id]
    assert (standing(busy), sums(busy), sums(free)) == ("refunded, succeeded, idle", (0, 1000), (0, 1000))


def test_a_webhook_is_stored_while_the_order_is_locked_and_applied_afterwards() -> None:
    engine, busy = Engine(), asked_for()
    out = only_send(engine, busy)
    engine.answer(out, accepted(out.movement, "pending", "a"))
    with somebody_holds(busy.order_id):
        webhook(busy, "succeeded")
        assert engine.begin(busy).skipped == [busy.id]
        assert unapplied(busy) == 1
    assert len(engine.begin(busy).calls) == 1
    assert unapplied(busy) == 0


def test_an_unknown_refund_is_done_with() -> None:
    done = Engine().begin(Refund(id=10**12))
    assert (done.calls, done.skipped, done.due_in) == ([], [], {10**12: None})


def _told(out: Outbound) -> Told:
    return Told(out.refund_id, out.movement.number, out.of, accepted(out.movement))
