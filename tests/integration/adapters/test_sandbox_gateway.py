"""The sandbox does what it is told, seen through the adapter as the engine sees it."""

import urllib.error
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.peers import SECRET, Receiver, budget, http, peer_process, wait_until
from workers.adapters.http_gateway import HttpGateway
from workers.ports import Accepted, Found, GatewayStatus, Movement, RefundPage, Refused, Reply, Unknown

Make = Callable[..., Movement]


def refund(sandbox: Sandbox, movement: Movement, *, seconds: float = 5.0) -> Reply:
    return sandbox.gateway.refund(movement, budget=budget(seconds))


def status_of(reply: Reply) -> GatewayStatus:
    assert isinstance(reply, Accepted), reply
    return reply.fact.status


def found(sandbox: Sandbox, movement: Movement) -> list[GatewayStatus]:
    reply = sandbox.gateway.look_up(movement.payment_reference, movement.number, budget=budget())
    assert isinstance(reply, Found), reply
    return [fact.status for fact in reply.facts]


def webhook_statuses(sandbox: Sandbox, movement: Movement) -> list[str]:
    return [event["refund"]["status"] for event in sandbox.receiver.about(movement.payment_reference)]


def test_unscripted_refund_succeeds_and_is_told_once(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    assert status_of(refund(sandbox, asked)) == GatewayStatus.SUCCEEDED
    assert found(sandbox, asked) == [GatewayStatus.SUCCEEDED]
    wait_until(lambda: webhook_statuses(sandbox, asked) == ["succeeded"])
    ledger = sandbox.ledger(asked.payment_reference)
    assert [(r["number"], r["amount_minor"]) for r in ledger["refunds"]] == [(asked.number, 1000)]
    calls = [(c["method"], c["idempotency_key"], c["number"]) for c in ledger["calls"]]
    assert calls == [("POST", asked.number, asked.number), ("GET", "", asked.number)]


@pytest.mark.parametrize(("behaviour", "code"), [("decline", "declined"), ("insufficient_funds", "insufficient_funds")])
def test_refusal_is_definite_and_repeats(sandbox: Sandbox, movement: Make, behaviour: str, code: str) -> None:
    sandbox.script(movement().payment_reference, behaviour)
    for key_no in (0, 0, 1):
        reply = refund(sandbox, movement(key_no=key_no))
        assert isinstance(reply, Refused) and (reply.code, reply.retryable) == (code, False)
    assert found(sandbox, movement()) == []
    assert status_of(refund(sandbox, movement(2))) == GatewayStatus.SUCCEEDED


def test_list_answers_successive_calls_of_one_number(sandbox: Sandbox, movement: Make) -> None:
    sandbox.script(movement().payment_reference, ["decline", "error_500", "succeed"], "insufficient_funds")
    assert isinstance(refund(sandbox, movement()), Refused)
    assert refund(sandbox, movement(2)) == Refused("insufficient_funds", "refused: insufficient_funds")
    assert refund(sandbox, movement(key_no=1)) == Unknown("HTTP 500", answered=True)
    assert status_of(refund(sandbox, movement(key_no=1))) == GatewayStatus.SUCCEEDED


def test_new_script_counts_numbers_anew(sandbox: Sandbox, movement: Make) -> None:
    assert status_of(refund(sandbox, movement(1))) == GatewayStatus.SUCCEEDED
    sandbox.script(movement().payment_reference, "decline")
    assert isinstance(refund(sandbox, movement(2)), Refused)
    sandbox.script(movement().payment_reference, "succeed")
    assert status_of(refund(sandbox, movement(2, key_no=1))) == GatewayStatus.SUCCEEDED


@pytest.mark.parametrize(("behaviour", "end"), [("pending_then_succeed", "succeeded"), ("pending_then_fail", "failed")])
def test_pending_settles_later(sandbox: Sandbox, movement: Make, behaviour: str, end: str) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, behaviour)
    assert status_of(refund(sandbox, asked)) == GatewayStatus.PENDING
    wait_until(lambda: found(sandbox, asked) == [end])
    wait_until(lambda: sorted(webhook_statuses(sandbox, asked)) == sorted(["pending", end]))
    assert status_of(refund(sandbox, asked)) == end, "the same key answers the same refund as it stands now"


def test_success_is_reversed_later(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, "succeed_then_reverse")
    assert status_of(refund(sandbox, asked)) == GatewayStatus.SUCCEEDED
    wait_until(lambda: found(sandbox, asked) == [GatewayStatus.REVERSED])
    wait_until(lambda: sorted(webhook_statuses(sandbox, asked)) == ["reversed", "succeeded"])


@pytest.mark.parametrize(
    ("behaviour", "after"), [("timeout_before", []), ("timeout_after_success", [GatewayStatus.SUCCEEDED])]
)
def test_time_out_leaves_it_open_once(sandbox: Sandbox, movement: Make, behaviour: str, after: list[Any]) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, behaviour)
    reply = refund(sandbox, asked, seconds=0.8)
    assert isinstance(reply, Unknown) and not reply.answered
    assert found(sandbox, asked) == after
    assert status_of(refund(sandbox, asked)) == GatewayStatus.SUCCEEDED
    assert found(sandbox, asked) == [GatewayStatus.SUCCEEDED]


@pytest.mark.parametrize(
    ("behaviour", "after"), [("error_500", []), ("error_500_after_success", [GatewayStatus.SUCCEEDED])]
)
def test_server_error_leaves_it_open_once(sandbox: Sandbox, movement: Make, behaviour: str, after: list[Any]) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, behaviour)
    assert refund(sandbox, asked) == Unknown("HTTP 500", answered=True)
    assert found(sandbox, asked) == after
    assert status_of(refund(sandbox, asked)) == GatewayStatus.SUCCEEDED
    assert found(sandbox, asked) == [GatewayStatus.SUCCEEDED]


def test_second_key_under_one_number_moves_money_again(sandbox: Sandbox, movement: Make) -> None:
    refund(sandbox, movement())
    refund(sandbox, movement(key_no=1))
    assert found(sandbox, movement()) == [GatewayStatus.SUCCEEDED] * 2


def test_key_with_another_body_is_left_open(sandbox: Sandbox, movement: Make) -> None:
    refund(sandbox, movement())
    assert refund(sandbox, movement(amount_minor=999)) == Unknown("HTTP 409")
    assert len(sandbox.ledger(movement().payment_reference)["refunds"]) == 1


def test_no_webhook_is_silent(sandbox: Sandbox, movement: Make) -> None:
    sandbox.script(movement().payment_reference, "no_webhook")
    assert status_of(refund(sandbox, movement(1))) == GatewayStatus.SUCCEEDED
    refund(sandbox, movement(2))
    numbers = wait_until(lambda: [e["refund"]["number"] for e in sandbox.receiver.about(movement().payment_reference)])
    assert numbers == [movement(2).number]


def test_webhook_comes_before_a_late_answer_in_three_copies(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, {"behaviour": "succeed", "delay_ms": 400, "webhook_copies": 3})
    before = len(sandbox.receiver.about(asked.payment_reference))
    assert before == 0 and status_of(refund(sandbox, asked)) == GatewayStatus.SUCCEEDED
    events = sandbox.receiver.about(asked.payment_reference)
    assert len(events) == 3 and len({event["id"] for event in events}) == 1


def test_webhooks_come_in_reversed_order(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, {"behaviour": "pending_then_succeed", "webhook_order": "reversed"})
    refund(sandbox, asked)
    wait_until(lambda: len(webhook_statuses(sandbox, asked)) == 2)
    assert webhook_statuses(sandbox, asked) == ["succeeded", "pending"]


def test_webhook_is_sent_again_until_taken(sandbox: Sandbox, movement: Make) -> None:
    sandbox.receiver.refusals = 2
    refund(sandbox, movement())
    wait_until(lambda: webhook_statuses(sandbox, movement()) == ["succeeded"])
    assert sandbox.receiver.refusals == 0


def test_webhooks_are_read_by_the_adapter(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    refund(sandbox, asked)
    wait_until(lambda: sandbox.receiver.about(asked.payment_reference))
    headers, body = next(raw for raw in sandbox.receiver.received if asked.number.encode() in raw[1])
    (event,) = sandbox.gateway.parse_webhook(headers, body)
    assert (event.kind, event.number, event.status) == ("refund.updated", asked.number, GatewayStatus.SUCCEEDED)
    assert (event.amount_minor, event.currency) == (1000, "EUR") and event.occurred_at is not None


def test_refund_nobody_asked_for_is_listed_and_told(sandbox: Sandbox, movement: Make) -> None:
    reference, start = movement().payment_reference, datetime.now(UTC) - timedelta(seconds=5)
    made = sandbox.post("refunds", {"reference": reference, "amount_minor": 70, "currency": "EUR"})
    wait_until(lambda: sandbox.receiver.about(reference))
    listed, cursor = [], ""
    while True:
        page = sandbox.gateway.list_refunds(start, cursor, budget=budget())
        assert isinstance(page, RefundPage)
        listed += page.facts
        if not (cursor := page.next_cursor):
            break
    assert [(f.number, f.amount_minor) for f in listed if f.gateway_refund_id == made["gateway_refund_id"]] == [
        ("", 70)
    ]


def test_dispute_is_opened_and_lost_once(sandbox: Sandbox, movement: Make) -> None:
    reference = movement().payment_reference
    dispute = sandbox.post("disputes", {"reference": reference, "amount_minor": 40, "currency": "EUR"})
    sandbox.post(f"disputes/{dispute['dispute_id']}/lost", {})
    kinds = wait_until(
        lambda: {e["type"] for e in sandbox.receiver.about(reference)} >= {"dispute.opened", "dispute.lost"}
    )
    assert kinds
    with pytest.raises(urllib.error.HTTPError, match="409"):
        sandbox.post(f"disputes/{dispute['dispute_id']}/won", {})


def test_captured_amount_told_by_script_is_a_limit(sandbox: Sandbox, movement: Make) -> None:
    sandbox.script(movement().payment_reference, captured_minor=1500)
    assert status_of(refund(sandbox, movement(1))) == GatewayStatus.SUCCEEDED
    reply = refund(sandbox, movement(2))
    assert isinstance(reply, Refused) and reply.code == "amount_too_large"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"refunds": ["suceed"]}, "refunds[0].behaviour"),
        ({"refunds": [["succeed", {"delay": 5}]]}, "refunds[0][1]"),
        ({"refunds": [{"behaviour": "succeed", "delay_ms": -1}]}, "delay_ms"),
        ({"refunds": [[]]}, "empty list"),
        ({"refund": []}, "unknown field refund"),
        ([], "a script is an object"),
    ],
)
def test_bad_script_is_told_where(sandbox: Sandbox, body: Any, names: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        http("PUT", f"{sandbox.url}/gateway/scripts/bad", body)
    assert refused.value.code == 422 and names in refused.value.read().decode()


def test_wrong_signature_is_refused_and_noted(sandbox: Sandbox, movement: Make) -> None:
    stranger = HttpGateway(f"{sandbox.url}/v1", secret="whsec_c29tZWJvZHkgZWxzZQ==")
    reply = stranger.refund(movement(), budget=budget())
    assert isinstance(reply, Refused) and reply.code == "bad_signature"
    assert isinstance(stranger.look_up("x", "y", budget=budget()), Unknown)
    ledger = sandbox.ledger(movement().payment_reference)
    assert (len(ledger["refunds"]), len(ledger["calls"])) == (0, 1)


def test_ledger_keys_and_pending_changes_survive_a_kill(movement: Make, tmp_path: Any) -> None:
    flags = ("--home", str(tmp_path), "--secret", SECRET, "--settle-ms", "1000")
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        http("PUT", f"{url}/gateway/scripts/{movement().payment_reference}", {"refunds": ["pending_then_succeed"]})
        first = HttpGateway(f"{url}/v1", secret=SECRET).refund(movement(), budget=budget())
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        gateway = HttpGateway(f"{url}/v1", secret=SECRET)
        again = gateway.refund(movement(), budget=budget())
        assert isinstance(first, Accepted) and isinstance(again, Accepted)
        assert again.fact.gateway_refund_id == first.fact.gateway_refund_id
        wait_until(lambda: gateway.refund(movement(), budget=budget()).fact.status == "succeeded")  # type: ignore[union-attr]


def test_page_and_health(sandbox: Sandbox) -> None:
    assert http("GET", f"{sandbox.url}/healthz") == {"status": "ok"}


def test_webhooks_not_yet_taken_are_sent_after_a_restart(movement: Make, receiver: Receiver, tmp_path: Any) -> None:
    flags = ("--home", str(tmp_path), "--secret", SECRET, "--webhook-url", receiver.url, "--settle-ms", "700")
    entry = {"behaviour": "pending_then_succeed", "webhook_order": "reversed"}
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        http("PUT", f"{url}/gateway/scripts/{movement().payment_reference}", {"refunds": [entry]})
        HttpGateway(f"{url}/v1", secret=SECRET).refund(movement(), budget=budget())
    assert receiver.about(movement().payment_reference) == []
    with peer_process("workers.local.sandbox", *flags):
        wait_until(lambda: len(receiver.about(movement().payment_reference)) == 2)
    statuses = [event["refund"]["status"] for event in receiver.about(movement().payment_reference)]
    assert statuses == ["succeeded", "pending"]


def test_a_payee_is_paid_and_nothing_of_the_payment_is_refunded(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    payout = replace(asked, payee="DE02120300000000202051")
    assert status_of(refund(sandbox, payout)) == GatewayStatus.SUCCEEDED
    assert isinstance(refund(sandbox, asked), Unknown | Refused), "the same key for another body"
    ledger = sandbox.ledger(asked.payment_reference)
    assert [(r["payee"], r["amount_minor"]) for r in ledger["refunds"]] == [(payout.payee, 1000)]
    assert [call.get("payee") for call in ledger["calls"]] == [payout.payee, ""]
