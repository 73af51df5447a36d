"""The gateways' door: who may speak, and what is kept of it."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from refunds.models import InboundWebhook
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.gateways import ACCOUNTS, SECRET, an_event, said
from workers import bootstrap
from workers.adapters.signing import sign


@pytest.fixture
def case(channel) -> rows.Case:
    return rows.Case(channel)


@pytest.fixture(autouse=True)
def accounts(settings) -> Iterator[None]:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    bootstrap.gateway.cache_clear()
    yield
    bootstrap.gateway.cache_clear()


def post(body: bytes, *, account: str = "sandbox", signed_by: str = SECRET) -> Any:
    headers = sign(signed_by, body, message_id="msg_1", now=time.time())
    client = Client(raise_request_exception=False)
    return client.post(f"/api/v1/webhooks/{account}", body, content_type="application/json", headers=headers)


def test_a_signed_event_is_stored_for_its_refund(case) -> None:
    answer = post(said(an_event(case.movement.number)))
    assert (answer.status_code, answer.content) == (204, b"")
    assert InboundWebhook.objects.get().refund == case.refund


def test_copies_are_stored_once(case) -> None:
    for _ in range(3):
        assert post(said(an_event(case.movement.number))).status_code == 204
    assert InboundWebhook.objects.count() == 1


def test_a_kind_the_engine_has_no_use_for_is_taken_and_dropped(case) -> None:
    assert post(said(an_event(case.movement.number, type="customer.created"))).status_code == 204
    assert not InboundWebhook.objects.exists()


@pytest.mark.parametrize(
    ("body", "how", "status", "code"),
    [
        (said(an_event("RT-1-1")), {"signed_by": "whsec_" + "YWJj" * 8}, 401, "bad_signature"),
        (said(an_event("RT-1-1")), {"account": "nobody"}, 404, "account_not_found"),
        (b"", {}, 422, "bad_payload"),
        (b"{", {}, 422, "bad_payload"),
        (b"[]", {}, 422, "bad_payload"),
        (b"\xff\xfe", {}, 422, "bad_payload"),
        (b"[" * 100_000, {}, 422, "bad_payload"),
        (said({"type": "refund.updated"}), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", id=7)), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", occurred_at="yesterday")), {}, 422, "bad_payload"),
        (said(an_event("RT-1-1", id="evt\x00")), {}, 422, None),
        (said(an_event("RT-1-1", id="evt\ud800")), {}, 422, None),
        (said(an_event("RT-1-1", id="e" * 300)), {}, 422, None),
        (b'{"x": "' + b"x" * 2**20 + b'"}', {}, 413, "too_large"),
    ],
)
def test_what_is_not_taken_is_a_problem_and_stores_nothing(body, how, status, code, case) -> None:
    answer = post(body, **how)
    assert answer.status_code == status
    problem = json.loads(answer.content)
    assert problem["code"] == (code or problem["code"])
    assert not InboundWebhook.objects.exists()


def test_an_unsigned_event_is_refused(case) -> None:
    body = said(an_event(case.movement.number))
    answer = Client().post("/api/v1/webhooks/sandbox", body, content_type="application/json")
    assert answer.status_code == 401


@pytest.mark.parametrize("accept", ["*/*; q=0.5, application/xml", "application/xml", "text/html"])
def test_whatever_a_gateway_accepts_it_is_heard(accept, case) -> None:
    body = said(an_event(case.movement.number))
    headers = sign(SECRET, body, message_id="msg_1", now=time.time()) | {"Accept": accept}
    answer = Client().post("/api/v1/webhooks/sandbox", body, content_type="application/json", headers=headers)
    assert answer.status_code == 204
