"""What doors read of refunds: whole, by channel, in a constant number of queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.utils import encoders

from orders.errors import NotFound
from orders.roles import Actor, Role
from refunds.api.shapes import show_refund, show_refunds
from refunds.selectors.refunds import RefundFilter, refund_by_number, refunds_page
from refunds.states import RefundState
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db


def shown(refund, role: Role = Role.SHOP) -> dict:
    return show_refund(refund, actor=Actor("principal:7", role))


def page(channel, *, limit: int = 50, **narrow) -> list[str]:
    return [refund.number for refund in refunds_page(RefundFilter(channels=[channel.pk], **narrow), limit=limit)]


def test_a_refund_is_shown_whole() -> None:
    case = rows.Case(rows.default_channel())
    rows.a_message(case.refund)
    body = shown(refund_by_number(case.refund.number, channels=[case.order.channel_id]))
    assert body["metadata"]["number"] == case.refund.number
    assert body["metadata"]["request"] == f"RT-R{case.refund.request_id}"
    assert body["spec"]["order"] == case.order.number
    nothing_found = {"accepted": 0, "damaged": 0, "wrong_item": 0, "missing": 0}
    units = {"quantity": 1, "announced": 1, "place": "unshipped", "amount_minor": 500, "tax_minor": 0}
    assert body["spec"]["lines"] == [{"id": "mug", "sku": "MUG-1"} | units | nothing_found]
    assert body["status"]["state"] == "refunding" and body["status"]["route"] == "instant"
    movement = body["status"]["gateway_refunds"][0]
    assert (movement["number"], movement["account"], movement["state"], movement["call"]) == (
        case.movement.number,
        "sandbox",
        "intended",
        "idle",
    )
    assert [message["state"] for message in body["status"]["notifications"]] == ["pending"]
    assert encoders.JSONEncoder().encode(body)


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ((), None),
        (("pending",), "False"),
        (("sent", "pending"), "False"),
        (("sent",), "True"),
        (("failed", "sent"), "False"),
    ],
)
def test_customer_notified_is_computed_from_the_messages(states, status) -> None:
    case = rows.Case(rows.default_channel())
    for seq, state in enumerate(states, start=1):
        rows.a_message(case.refund, event_seq=seq, state=state)
    body = shown(refund_by_number(case.refund.number, channels=[case.order.channel_id]))
    found = {condition["type"]: condition["status"] for condition in body["status"]["conditions"]}
    assert found.get("CustomerNotified") == status


def test_foreign_and_unknown_refunds_are_told_apart_by_nobody() -> None:
    case = rows.Case(rows.a_channel())
    own = rows.default_channel()
    problems = []
    for number in (case.refund.number, "RT-0", "RT-\x00", "RT-\ud800"):
        with pytest.raises(NotFound) as refused:
            refund_by_number(number, channels=[own.pk])
        problems.append(refused.value.code)
    assert set(problems) == {"refund_not_found"}


def test_a_page_is_newest_first_and_continues_where_it_ended() -> None:
    channel = rows.default_channel()
    refunds = [rows.Case(channel).refund for _ in range(3)]
    rows.Case(rows.a_channel())
    assert page(channel) == [refund.number for refund in reversed(refunds)]
    assert page(channel, limit=1, before_id=refunds[2].pk) == [refunds[1].number]


def test_a_page_narrows_by_order_state_and_time() -> None:
    channel = rows.default_channel()
    first, second = rows.Case(channel), rows.Case(channel, state="in_review")
    assert page(channel, order=first.order.number) == [first.refund.number]
    assert page(channel, states=[RefundState.IN_REVIEW]) == [second.refund.number]
    assert page(channel, updated_since=second.refund.updated_at) == [second.refund.number]


def test_a_page_takes_the_same_number_of_queries_whatever_its_length() -> None:
    channel = rows.default_channel()
    counts = []
    for number in (2, 20):
        for _ in range(number):
            case = rows.Case(channel)
            rows.a_message(case.refund)
        with CaptureQueriesContext(connection) as queries:
            found = refunds_page(RefundFilter(channels=[channel.pk]), limit=100)
            assert show_refunds(found, actor=Actor("principal:7", Role.SHOP))
        counts.append(len(queries))
    assert counts == [6, 6]


@pytest.mark.parametrize(
    ("state", "movement", "role", "actions"),
    [
        ("requested", {}, Role.SHOP, ["cancel", "write"]),
        ("refunding", {}, Role.SUPPORT, ["cancel", "write", "hold", "set_target", "assign"]),
        ("refunding", {}, Role.AUDITOR, []),
        ("refunding", {"state": "pending"}, Role.SHOP, ["write"]),
        ("refunding", {"call": "unknown"}, Role.SHOP, ["write"]),
        ("refunding", {"call": "unknown"}, Role.FINANCE, ["retry", "record_external"]),
        (
            "failed",
            {"state": "failed"},
            Role.SUPERVISOR,
            ["write", "retry", "record_external", "set_target", "close", "assign"],
        ),
        ("cancelled", {"state": "cancelled"}, Role.SHOP, ["write"]),
    ],
)
def test_the_actions_offered_follow_state_money_and_role(state, movement, role, actions) -> None:
    channel = rows.default_channel()
    refund = rows.a_refund(rows.an_order(channel), state=state)
    rows.a_movement(refund, account="sandbox", **movement)
    found = refund_by_number(refund.number, channels=[channel.pk])
    assert shown(found, role)["allowed_actions"] == actions
