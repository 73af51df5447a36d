"""What Stripe's payment intents say of a hold that is to end, in the states that its imitation does not reach."""

import json
import socket
from typing import Any

import pytest

from tests.integration.adapters.localstripe import API_KEY
from tests.integration.adapters.peers import MOVEMENT, answering, budget, raw_server, read_request
from workers.adapters.stripe_gateway import StripeGateway
from workers.ports import ALREADY_CAPTURED, CANNOT_VOID, Accepted, Found, Movement, Refused, Reply, Unknown


def test_one_that_is_cancelled_already_has_ended() -> None:
    reply = void(intent("canceled", canceled_at=1_790_000_000))
    assert isinstance(reply, Accepted) and (reply.fact.gateway_refund_id, reply.fact.number) == ("pi_1", "RFX-1")


def test_one_of_another_amount_is_left_alone() -> None:
    reply = void(intent("requires_capture", amount=1200))
    assert isinstance(reply, Refused) and reply.code == "amount_differs"


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        ("succeeded", ALREADY_CAPTURED, False),
        ("requires_payment_method", CANNOT_VOID, False),
        ("processing", "processing", True),
    ],
)
def test_one_that_holds_nothing_cannot_be_ended(status: str, code: str, retryable: bool) -> None:
    reply = void(intent(status))
    assert isinstance(reply, Refused) and (reply.code, reply.retryable) == (code, retryable)


def test_a_capture_that_was_quicker_is_seen() -> None:
    overtaken = answering("400 Bad Request", body({"error": {"code": "payment_intent_unexpected_state"}}))
    reply = void(intent("requires_capture"), overtaken, intent("succeeded"))
    assert isinstance(reply, Refused) and reply.code == ALREADY_CAPTURED


def test_no_answer_to_the_cancellation_is_unknown_and_a_look_up_tells() -> None:
    reply = void(intent("requires_capture"), silent)
    assert isinstance(reply, Unknown) and not reply.answered
    with raw_server(intent("canceled")) as address:
        found = gateway(address).look_up_void(MOVEMENT, budget=budget())
    assert isinstance(found, Found) and len(found.facts) == 1


def test_a_charge_is_never_cancelled() -> None:
    charge = Movement("RFX-1", "RFX-1-void", "ch_1", 1000, "EUR")
    reply = gateway("127.0.0.1:1").void(charge, budget=budget())
    assert isinstance(reply, Refused) and reply.code == CANNOT_VOID
    assert gateway("127.0.0.1:1").look_up_void(charge, budget=budget()) == Found()


def void(*actions: Any) -> Reply:
    with raw_server(*actions) as address:
        return gateway(address).void(MOVEMENT, budget=budget(1.0))


def gateway(address: str) -> StripeGateway:
    return StripeGateway(API_KEY, webhook_secret="whsec_test", base_url=f"http://{address}")


def intent(status: str, *, amount: int = 1000, **more: Any) -> Any:
    row = {"id": "pi_1", "object": "payment_intent", "amount": amount, "currency": "eur", "status": status}
    return answering("200 OK", body(row | more))


def silent(connection: socket.socket) -> None:
    read_request(connection)
    connection.recv(1)


def body(row: Any) -> bytes:
    return json.dumps(row).encode()
