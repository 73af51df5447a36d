"""Incidents over the API: found, closed with a note, once; and the trail that it leaves."""

import pytest

from orders import clock
from orders.models import Channel
from orders.roles import Role
from refunds.models import Incident, Refund, RefundEvent
from tests.fingerprint import fingerprint
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db
NOTE = {"note": "The carrier brings it back."}


def an_incident(kind: str, refund: Refund, *, of_order: bool = False) -> Incident:
    now = clock.now()
    return Incident.objects.create(
        kind=kind, order=refund.order, refund=None if of_order else refund, opened_at=now, due_at=now
    )


@pytest.fixture
def refund() -> Refund:
    return returns.refunded()


def caller(role: Role, *channels: Channel) -> Caller:
    return Caller(*(channels or [rows.default_channel()]), role=role)


def test_it_is_closed_with_a_note_and_the_trail_says_by_whom(refund) -> None:
    incident, support = an_incident("shipped_after_refund", refund), caller(Role.SUPPORT)
    [shown] = support.get("/incidents").body["items"]
    assert (shown["refund"], shown["closed_at"], shown["allowed_actions"]) == (refund.number, None, ["close"])
    closed = support.post(f"/incidents/{incident.pk}/close", NOTE).body
    assert (closed["note"], closed["allowed_actions"]) == (NOTE["note"], []) and closed["closed_at"]
    event = RefundEvent.objects.filter(refund=refund).latest("seq")
    assert (event.kind, event.data) == ("incident.closed", {"incident": incident.pk, "kind": "shipped_after_refund"})
    assert event.actor == closed["closed_by"] and NOTE["note"] not in str(event.data)


def test_one_of_the_order_alone_is_closed_without_an_event(refund) -> None:
    incident = an_incident("excess", refund, of_order=True)
    closed = caller(Role.FINANCE).post(f"/incidents/{incident.pk}/close", NOTE).body
    assert (closed["refund"], closed["order"], closed["note"]) == (None, refund.order.number, NOTE["note"])
    assert not RefundEvent.objects.filter(kind="incident.closed").exists()


def test_who_comes_second_is_told_that_it_is_closed(refund) -> None:
    incident = an_incident("shipped_after_refund", refund)
    first, second = caller(Role.SUPPORT), caller(Role.FINANCE)
    assert first.post(f"/incidents/{incident.pk}/close", NOTE, Idempotency_Key="a").status == 200
    before = fingerprint()
    assert second.post(f"/incidents/{incident.pk}/close", NOTE).code == "incident_closed"
    assert first.post(f"/incidents/{incident.pk}/close", NOTE, Idempotency_Key="a").status == 200
    assert fingerprint() == before


def test_what_ends_by_itself_is_not_closed_by_hand(refund) -> None:
    lasting = an_incident("refund_failed", returns.failed())
    finance, before = caller(Role.FINANCE), fingerprint()
    assert finance.get("/incidents").body["items"][0]["allowed_actions"] == []
    answer = finance.post(f"/incidents/{lasting.pk}/close", NOTE)
    assert (answer.status, answer.code) == (409, "incident_lasts")
    assert fingerprint() == before


@pytest.mark.parametrize(
    ("role", "body", "refused"),
    [
        (Role.SHOP, NOTE, "403 role_forbidden"),
        (Role.WAREHOUSE, NOTE, "403 role_forbidden"),
        (Role.AUDITOR, NOTE, "403 role_forbidden"),
        (Role.SUPPORT, {}, "422 required"),
        (Role.SUPPORT, {"note": " "}, "422 required"),
        (Role.SUPPORT, NOTE | {"more": 1}, "422 unknown_field"),
    ],
)
def test_who_may_not_and_who_says_nothing_is_refused_without_a_trace(refund, role, body, refused) -> None:
    incident = an_incident("shipped_after_refund", refund)
    who, before = caller(role), fingerprint()
    answer = who.post(f"/incidents/{incident.pk}/close", body)
    assert f"{answer.status} {answer.code}" == refused and fingerprint() == before


def test_what_is_foreign_or_unknown_is_not_there(refund) -> None:
    incident, outsider = an_incident("shipped_after_refund", refund), caller(Role.SUPERVISOR, rows.a_channel())
    assert outsider.get("/incidents").body["items"] == []
    assert outsider.post(f"/incidents/{incident.pk}/close", NOTE).code == "incident_not_found"
    assert caller(Role.SUPERVISOR).post("/incidents/999999/close", NOTE).code == "incident_not_found"


def test_they_are_listed_by_page_and_by_order(refund) -> None:
    other = returns.refunded()
    kinds = ("shipped_after_refund", "goods_arrived", "message_refused")
    mine = [an_incident(kind, refund).pk for kind in kinds]
    an_incident("excess", other)
    auditor = caller(Role.AUDITOR)
    first = auditor.get(f"/incidents?order={refund.order.number}&limit=2").body
    rest = auditor.get(f"/incidents?order={refund.order.number}&limit=2&cursor={first['next_cursor']}").body
    assert [item["id"] for item in (*first["items"], *rest["items"])] == mine[::-1] and rest["next_cursor"] is None
