"""Asking for money back over the API: what a good request does, and what a second one gets."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.models import Order, OrderLine, PaymentShare
from orders.roles import Role
from refunds.models import GatewayRefund, Refund
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db

ONE_MUG = {"lines": [{"sku": "MUG-1", "quantity": 1}], "reason": "changed_mind"}


def test_a_request_is_accepted_with_the_refund_whole(shop, order) -> None:
    answer = shop.post(f"/orders/{order.number}/refunds", ONE_MUG | {"note": "Two were too many.\nSorry."})
    assert answer.status == 202
    (refund,) = answer.body["refunds"]
    assert answer.body["request"] == refund["metadata"]["request"]
    (line,) = refund["spec"]["lines"]
    units = {"id": "mug", "sku": "MUG-1", "quantity": 1, "place": "unshipped", "amount_minor": 500, "tax_minor": 0}
    assert line | units == line
    assert refund["spec"]["reason"] == "changed_mind" and refund["spec"]["amount_minor"] == 500
    assert refund["status"]["state"] == "requested" and refund["status"]["route"] == "instant"
    assert refund["sheet"]["total_minor"] == 500
    assert refund["allowed_actions"] == ["cancel", "write"]
    assert refund["status"]["next_reconcile_at"]


def test_the_answer_is_what_a_reader_gets(shop, order) -> None:
    rows.more_lines(order, 1)
    shipped = {"lines": [{"sku": "MUG-1", "quantity": 1}], "carrier": "dhl", "tracking_number": "T1"}
    assert shop.post(f"/orders/{order.number}/shipments", shipped).status == 201
    made = shop.post(f"/orders/{order.number}/refunds", {"lines": "all", "note": "Both."}).body["refunds"]
    assert [refund["status"]["route"] for refund in made] == ["instant", "intercept"]
    assert made == [shop.get(f"/refunds/{refund['metadata']['number']}").body for refund in made]


def test_a_request_holds_the_units_and_reserves_the_money(shop, order) -> None:
    shop.post(f"/orders/{order.number}/refunds", ONE_MUG)
    order = Order.objects.get(pk=order.pk)
    line, share = OrderLine.objects.get(order=order), PaymentShare.objects.get(order=order)
    assert (line.held, line.withheld, share.reserved_minor) == (1, 1, 500)
    assert order.refund_state == "refund_requested"
    assert GatewayRefund.objects.get().amount_minor == 500


def test_all_takes_everything_that_is_left(shop, order) -> None:
    shop.post(f"/orders/{order.number}/refunds", ONE_MUG)
    answer = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"})
    assert [refund["spec"]["amount_minor"] for refund in answer.body["refunds"]] == [500]
    nothing = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"})
    assert (nothing.status, nothing.code) == (409, "nothing_left")


def test_a_line_is_named_by_its_id_too(shop, order) -> None:
    answer = shop.post(f"/orders/{order.number}/refunds", {"lines": [{"id": "mug", "quantity": 2}]})
    assert answer.body["refunds"][0]["spec"]["amount_minor"] == 1000


def test_a_lines_id_is_never_taken_for_anothers_sku(shop, order) -> None:
    OrderLine.objects.filter(order=order).update(line_id="A", sku="B")
    rows.more_lines(order, 1)
    OrderLine.objects.filter(order=order, line_id="gift-1").update(line_id="B", sku="A")
    for name, line_id in (({"id": "A"}, "A"), ({"sku": "A"}, "B"), ({"id": "B"}, "B"), ({"sku": "B"}, "A")):
        answer = shop.post(f"/orders/{order.number}/refunds/preview", {"lines": [name | {"quantity": 1}]})
        assert [line["id"] for line in answer.body["refunds"][0]["lines"]] == [line_id]


def test_the_same_units_again_are_a_conflict_that_says_what_is_left(shop, order, fingerprint) -> None:
    shop.post(f"/orders/{order.number}/refunds", ONE_MUG)
    before = fingerprint()
    answer = shop.post(f"/orders/{order.number}/refunds", {"lines": [{"sku": "MUG-1", "quantity": 2}]})
    assert answer.status == 409 and answer.code
    assert answer.body["left"] == 1
    assert fingerprint() == before


def test_a_preview_promises_what_the_request_does_and_stores_nothing(shop, order, fingerprint) -> None:
    before = fingerprint()
    preview = shop.post(f"/orders/{order.number}/refunds/preview", ONE_MUG)
    assert preview.status == 200
    assert fingerprint() == before
    assert preview.body["total_minor"] == 500 and preview.body["currency"] == "EUR"
    (payment,) = preview.body["payments"]
    nowhere_else = {"target": "", "refundable_until": None, "waits_until": None}
    back = {"account": "sandbox", "reference": f"pay-{order.number}", "amount_minor": 500}
    assert payment == back | nowhere_else
    (part,) = preview.body["refunds"]
    assert part["lines"] == [{"id": "mug", "quantity": 1, "place": "unshipped"}]
    made = shop.post(f"/orders/{order.number}/refunds", ONE_MUG).body["refunds"][0]
    assert (part["route"], part["sheet"]) == (made["status"]["route"], made["sheet"])


def test_cancelling_an_order_asks_for_all_that_has_not_left(shop, order) -> None:
    answer = shop.post(f"/orders/{order.number}/cancel")
    assert answer.status == 202
    assert [refund["spec"]["lines"][0]["quantity"] for refund in answer.body["refunds"]] == [2]
    again = shop.post(f"/orders/{order.number}/cancel", {})
    assert (again.status, again.code) == (409, "nothing_left")


def test_a_refund_is_cancelled_until_its_money_is_claimed(shop, order) -> None:
    number = shop.post(f"/orders/{order.number}/refunds", ONE_MUG).body["refunds"][0]["metadata"]["number"]
    answer = shop.post(f"/refunds/{number}/cancel")
    assert answer.status == 200
    assert answer.body["status"]["state"] == "cancelled" and answer.body["allowed_actions"] == ["write"]
    assert PaymentShare.objects.get(order=order).reserved_minor == 0
    assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}).status == 202


def test_a_refund_whose_money_may_have_left_is_not_cancelled(shop, channel, fingerprint) -> None:
    case = rows.Case(channel)
    GatewayRefund.objects.filter(pk=case.movement.pk).update(
        call="sent", attempt=1, sent_at=case.refund.created_at, answer_due_at=case.refund.created_at
    )
    before = fingerprint()
    assert shop.post(f"/refunds/{case.refund.number}/cancel").status == 409
    assert fingerprint() == before


def test_if_match_names_the_version_that_was_seen(shop, order) -> None:
    """Controller check 60; upstream: TestSyncJobUpdateRequeue."""
    number = shop.post(f"/orders/{order.number}/refunds", ONE_MUG).body["refunds"][0]["metadata"]["number"]
    seen = shop.get(f"/refunds/{number}")
    assert seen.headers["ETag"] == f'"{seen.body["metadata"]["resource_version"]}"'
    Refund.objects.filter(number=number).update(resource_version=41)
    stale = shop.post(f"/refunds/{number}/cancel", If_Match=seen.headers["ETag"])
    assert stale.status == 412 and stale.code
    assert shop.post(f"/refunds/{number}/cancel", If_Match='"41"').status == 200


def test_one_key_does_one_refund_however_often_it_is_sent(shop, order) -> None:
    first = shop.post(f"/orders/{order.number}/refunds", ONE_MUG, Idempotency_Key="click-1")
    again = shop.post(f"/orders/{order.number}/refunds", ONE_MUG, Idempotency_Key="click-1")
    assert (first.status, again.status) == (202, 202)
    assert again.body == first.body
    assert Refund.objects.count() == 1
    other = shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}, Idempotency_Key="click-1")
    assert (other.status, other.code) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("role", "allowed"), [(Role.WAREHOUSE, []), (Role.FINANCE, ["set_target"]), (Role.AUDITOR, [])]
)
def test_readers_read_and_neither_ask_nor_cancel(role, allowed, channel, order, fingerprint) -> None:
    reader, case = Caller(channel, role=role), rows.Case(channel)
    before = fingerprint()
    for path, body in (
        (f"/orders/{order.number}/refunds", ONE_MUG),
        (f"/orders/{order.number}/cancel", None),
        (f"/refunds/{case.refund.number}/cancel", None),
    ):
        answer = reader.post(path, body)
        assert (answer.status, answer.code) == (403, "role_forbidden")
    assert fingerprint() == before
    assert reader.post(f"/orders/{order.number}/refunds/preview", ONE_MUG).status == 200
    shown = reader.get(f"/refunds/{case.refund.number}")
    assert (shown.status, shown.body["allowed_actions"]) == (200, allowed)


@pytest.mark.parametrize("role", [Role.SHOP, Role.SUPPORT, Role.SUPERVISOR])
def test_who_acts_for_the_customer_may_ask_and_cancel(role, channel, order) -> None:
    caller = Caller(channel, role=role)
    made = caller.post(f"/orders/{order.number}/refunds", ONE_MUG)
    assert made.status == 202
    number = made.body["refunds"][0]["metadata"]["number"]
    assert caller.post(f"/refunds/{number}/cancel").status == 200


def test_what_lies_in_another_channel_does_not_exist(shop, fingerprint) -> None:
    foreign = rows.a_channel()
    order, case = rows.a_paid_order(foreign), rows.Case(foreign)
    before = fingerprint()
    pairs = [
        (shop.post(f"/orders/{order.number}/refunds", ONE_MUG), shop.post("/orders/none/refunds", ONE_MUG)),
        (shop.post(f"/orders/{order.number}/cancel"), shop.post("/orders/none/cancel")),
        (shop.post(f"/refunds/{case.refund.number}/cancel"), shop.post("/refunds/RT-0/cancel")),
        (shop.get(f"/refunds/{case.refund.number}"), shop.get("/refunds/RT-0")),
        (shop.get(f"/refunds/{case.refund.number}/events"), shop.get("/refunds/RT-0/events")),
    ]
    for theirs, nobodys in pairs:
        assert (theirs.status, theirs.code) == (404, nobodys.code) == (nobodys.status, theirs.code)
    assert fingerprint() == before


def test_a_key_of_several_channels_names_one(channel, order) -> None:
    caller = Caller(channel, rows.a_channel())
    unnamed = caller.post(f"/orders/{order.number}/refunds", ONE_MUG)
    assert (unnamed.status, unnamed.code) == (422, "channel_required")
    assert caller.post(f"/orders/{order.number}/refunds?channel={channel.slug}", ONE_MUG).status == 202


def test_a_request_takes_as_many_statements_for_many_lines_as_for_few(shop, channel) -> None:
    shop.post(f"/orders/{rows.a_paid_order(channel).number}/refunds", {"lines": "all"})  # the policy is remembered
    counts = []
    for lines in (1, 30):
        order = rows.a_paid_order(channel, quantity=1)
        rows.more_lines(order, lines)
        with CaptureQueriesContext(connection) as queries:
            assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all"}).status == 202
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_recipient_of_a_gift_is_told_whose_the_money_is(shop, order, fingerprint) -> None:
    before = fingerprint()
    for door in ("refunds", "refunds/preview"):
        refused = shop.post(f"/orders/{order.number}/{door}", ONE_MUG | {"asked_by": "recipient"})
        assert (refused.status, refused.code) == (409, "payer_only")
        assert refused.body["alternatives"] == [{"asked_by": "payer"}, {"remedy": "replacement"}]
    assert fingerprint() == before
    assert shop.post(f"/orders/{order.number}/refunds", ONE_MUG | {"asked_by": "payer"}).status == 202
