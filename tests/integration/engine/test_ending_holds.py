"""Holds that are ended at the gateway, over the real sandbox: nothing is taken, nothing is paid, the books say so."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from orders.models import Order, Payment, PaymentShare
from refunds import records
from refunds.judging import Attempt
from refunds.models import GatewayRefund, LedgerEntry, Notification, Refund
from refunds.selectors.credit_notes import credit_note_data, why_none
from refunds.selectors.message_facts import message_facts
from refunds.selectors.refunds import refund_anywhere
from refunds.services.acts.cancelling import cancel_refund
from refunds.services.reconcile import Outbound
from tests.factories import SHOP, request
from tests.integration.adapters.conftest import Sandbox, parcels, receiver, sandbox
from tests.integration.adapters.peers import budget
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import SETTLED, entries, incidents, messages, movement, only_send, standing
from tests.integration.engine.returns import bought, fresh, pass_time, target
from tests.integration.engine.test_holds import columns, condition, held_order, state
from workers.ports import Capabilities, LookUp, Reply
from workers.reconcilers.refunds import ask_gateway

__all__ = ["parcels", "receiver", "sandbox"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
RELEASED = ["authorize", "reserve", "release", "void"]


@pytest.fixture
def engine() -> Iterator[Engine]:
    yield Engine(Capabilities(voids=True, failed_key_is_final=True))


def test_a_hold_is_ended_at_the_gateway_and_the_refund_with_it(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    assert (standing(refund), columns(order), condition(refund)) == ("refunded, succeeded, idle", {}, "")
    assert (movement(refund).kind, kinds(refund)) == ("void", RELEASED)
    assert asked_of(sandbox, order) == [("POST", f"{movement(refund).number}-void")]
    assert [fact["kind"] for fact in sandbox.ledger(reference_of(order))["refunds"]] == ["void"]
    told = Notification.objects.get(refund=refund, channel="email")
    assert message_facts([told])[told.pk].way == "released"
    assert refund.events.filter(kind="gateway_refund.released").count() == 1
    assert why_none(refund_anywhere(refund.number)).startswith("The hold is released")


def test_a_time_out_after_the_hold_has_ended_is_asked_about(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), "timeout_after_success")
    [refund] = request(order).refunds
    settle(engine, sandbox, refund, seconds=0.3)
    assert (standing(refund), columns(order), kinds(refund)) == ("refunded, succeeded, idle", {}, RELEASED)
    assert [method for method, _ in asked_of(sandbox, order)] == ["POST", "GET"]


def test_a_time_out_before_it_has_ended_is_sent_again_with_the_same_key(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), "timeout_before")
    [refund] = request(order).refunds
    settle(engine, sandbox, refund, seconds=0.3)
    pass_time(SETTLED)
    settle(engine, sandbox, refund)
    pass_time(SETTLED)
    settle(engine, sandbox, refund)
    key = f"{movement(refund).number}-void"
    assert standing(refund) == "refunded, succeeded, idle"
    assert {name for method, name in asked_of(sandbox, order) if method == "POST"} == {key}


def test_a_5xx_that_did_it_all_the_same_is_found(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), "error_500_after_success")
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    assert (standing(refund), kinds(refund)) == ("refunded, succeeded, idle", RELEASED)


def test_one_that_is_pending_ends_when_the_gateway_says_so(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), {"behaviour": "pending_then_succeed", "settle_ms": 1})
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    pass_time(SETTLED)
    settle(engine, sandbox, refund)
    assert (standing(refund), kinds(refund)) == ("refunded, succeeded, idle", RELEASED)


def test_what_the_gateway_has_captured_already_is_refunded_once_the_shop_says_so(
    engine: Engine, sandbox: Sandbox
) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), captured_minor=1000)
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    assert (standing(refund), condition(refund)) == ("refunding, intended, idle", "AwaitingCapture")
    assert "already_captured" in refund.events.get(kind="gateway_refund.still_held").data["reason"]
    state(order, captured=1000, authorized=1000)
    settle(engine, sandbox, refund)
    assert (standing(refund), movement(refund).kind) == ("refunded, succeeded, idle", "refund")
    assert columns(order) == {"captured": 1000, "refunded": 1000}
    number = movement(refund).number
    assert asked_of(sandbox, order) == [("POST", f"{number}-void"), ("POST", number)]


def test_captured_between_the_request_and_the_claim_it_is_refunded(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    engine.room = 0
    engine.begin(refund)
    assert movement(refund).kind == "void"
    state(order, captured=1000, authorized=1000)
    engine.room = 10
    settle(engine, sandbox, refund)
    assert (standing(refund), movement(refund).kind) == ("refunded, succeeded, idle", "refund")
    assert asked_of(sandbox, order) == [("POST", movement(refund).number)]


def test_captured_while_it_is_out_it_is_refunded_after_the_refusal(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    out = only_send(engine, refund)
    state(order, captured=1000, authorized=1000)
    sandbox.script(reference_of(order), captured_minor=1000)
    engine.answer(out, call(sandbox, out))
    settle(engine, sandbox, refund)
    assert (standing(refund), columns(order)) == ("refunded, succeeded, idle", {"captured": 1000, "refunded": 1000})


def test_a_capture_that_the_gateway_does_not_know_of_is_free_again(engine: Engine, sandbox: Sandbox) -> None:
    """The shop said that it had captured what has ended at the gateway: nothing is paid back of it."""
    order = held_order(1000)
    [refund] = request(order).refunds
    out = only_send(engine, refund)
    state(order, captured=1000, authorized=1000)
    engine.answer(out, call(sandbox, out))
    assert (standing(refund), columns(order)) == ("refunded, succeeded, idle", {"captured": 1000})


def test_a_hold_that_the_shop_sees_ended_while_we_end_it_is_no_excess(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    out = only_send(engine, refund)
    answer = call(sandbox, out)
    state(order, captured=0, authorized=0)
    assert (columns(order), incidents(refund)) == ({"authorized": 1000, "reserved": 1000}, [])
    engine.answer(out, answer)
    assert (standing(refund), columns(order), kinds(refund)) == ("refunded, succeeded, idle", {}, RELEASED)


def test_a_hold_that_ended_in_part_by_a_capture_while_we_ended_it(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), captured_minor=600)
    [refund] = request(order).refunds
    out = only_send(engine, refund)
    state(order, captured=600, authorized=600)
    engine.answer(out, call(sandbox, out))
    settle(engine, sandbox, refund)
    assert (fresh(refund).state, columns(order)) == ("refunded", {"captured": 600, "refunded": 600})
    assert credit_note_data(refund_anywhere(refund.number))["moved_minor"] == 600


def test_cancelled_before_it_is_claimed_nothing_is_ended(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    engine.room = 0
    engine.begin(refund)
    cancel_refund(target(refund), actor=SHOP)
    engine.room = 10
    settle(engine, sandbox, refund)
    assert (standing(refund), columns(order)) == ("cancelled, cancelled, idle", {"authorized": 1000})
    assert asked_of(sandbox, order) == []


def test_two_that_share_a_hold_wait_for_its_capture(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(400, 600)
    refunds = [request(order, (sku, 1)).refunds[0] for sku in "AB"]
    settle(engine, sandbox, *refunds)
    assert [condition(refund) for refund in refunds] == ["AwaitingCapture", "AwaitingCapture"]
    assert asked_of(sandbox, order) == []


def test_two_passes_end_it_once(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    out = only_send(engine, refund)
    assert engine.begin(refund).calls == []
    engine.answer(out, call(sandbox, out))
    late = replace(out, of=Attempt(attempt=0, before=out.of.before, asked_at=out.of.asked_at))
    engine.answer(late, call(sandbox, late))
    assert (standing(refund), kinds(refund), messages(refund)) == (
        "refunded, succeeded, idle",
        RELEASED,
        ["refunded_at_once"],
    )


def test_what_other_orders_share_is_not_ended(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    PaymentShare.objects.create(payment=Payment.objects.get(shares__order=order), order=bought(500))
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    assert (condition(refund), asked_of(sandbox, order)) == ("AwaitingCapture", [])


def test_a_gateway_that_cannot_end_holds_is_not_asked_to(sandbox: Sandbox) -> None:
    order = held_order(1000)
    [refund] = request(order).refunds
    settle(Engine(), sandbox, refund)
    assert (condition(refund), asked_of(sandbox, order)) == ("AwaitingCapture", [])


def test_a_refusal_for_another_reason_is_a_persons(engine: Engine, sandbox: Sandbox) -> None:
    order = held_order(1000)
    sandbox.script(reference_of(order), "decline")
    [refund] = request(order).refunds
    settle(engine, sandbox, refund)
    assert (standing(refund), columns(order)) == ("failed, failed, idle", {"authorized": 1000})


def test_no_refund_is_claimed_of_what_was_not_captured() -> None:
    """Whoever tries it."""
    [refund] = request(held_order(1000)).refunds
    with pytest.raises(DatabaseError, match="more than was captured"), transaction.atomic():
        now = refund.created_at
        GatewayRefund.objects.filter(refund=refund).update(call="sent", sent_at=now, answer_due_at=now)


def test_the_holds_of_a_larger_batch_are_looked_at_in_as_many_statements(engine: Engine) -> None:
    took = []
    for size in (2, 5):
        orders = [held_order(1000) for _ in range(size)]
        refunds = [request(order).refunds[0] for order in orders]
        with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
            assert len(engine.begin(*refunds).calls) == len(orders)
        took.append(len(by_django) + len(by_records))
    assert took[0] == took[1]


def settle(engine: Engine, sandbox: Sandbox, *refunds: Refund, seconds: float = 5.0) -> None:
    """Passes with the sandbox's answers until nothing is to be called just now."""
    for _ in range(6):
        calls = engine.begin(*refunds).calls
        if not calls:
            return
        for out in calls:
            assert isinstance(out, Outbound)
            engine.answer(out, call(sandbox, out, seconds=seconds))
    raise AssertionError("the refunds do not come to rest")


def call(sandbox: Sandbox, out: Outbound, *, seconds: float = 5.0) -> Reply | LookUp:
    return ask_gateway(sandbox.gateway, out, budget(seconds))


def asked_of(sandbox: Sandbox, order: Order) -> list[tuple[str, str]]:
    """The calls about its payment: method and key."""
    calls = sandbox.ledger(reference_of(order))["calls"]
    return [(c["method"], c["idempotency_key"]) for c in calls]


def reference_of(order: Order) -> str:
    return Payment.objects.get(shares__order=order).reference


def kinds(refund: Refund) -> list[str]:
    assert all(amount == 1000 for _, amount in entries(refund))
    return list(LedgerEntry.objects.filter(share__order=refund.order_id).order_by("id").values_list("kind", flat=True))
