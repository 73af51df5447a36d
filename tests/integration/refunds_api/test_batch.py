"""Many requests in one call: each item has the answer that it would have had alone, and none touches another."""

from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from orders.models import IdempotencyRecord, Order, PaymentShare
from orders.roles import Role
from refunds import records
from refunds.models import Refund
from refunds.numbers import request_number
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Answer, Caller
from tests.policies import put_in_force

pytestmark = pytest.mark.django_db
DOOR = "/refunds:batch"
MUG = {"sku": "MUG-1", "quantity": 1}
ONE_MUG = {"lines": [MUG], "reason": "changed_mind"}


def asked(*orders: Order | str, **fields: object) -> dict[str, list[object]]:
    """A body that asks for a mug of each of these orders."""
    return {"refunds": [{"order": getattr(order, "number", order)} | ONE_MUG | fields for order in orders]}


def test_each_order_gets_its_refund(shop, channel) -> None:
    orders = [rows.a_paid_order(channel) for _ in range(3)]
    answer = shop.post(DOOR, asked(*orders))
    assert answer.status == 200
    for order, result in zip(orders, answer.body["results"], strict=True):
        refund = Refund.objects.get(order=order)
        assert result == {
            "status": 202,
            "request": request_number(refund.number, refund.request_id),
            "refunds": [
                {
                    "number": refund.number,
                    "href": f"/api/v1/refunds/{refund.number}",
                    "state": "requested",
                    "route": "instant",
                    "amount_minor": 500,
                    "currency": "EUR",
                }
            ],
        }
        assert shop.get(f"/refunds/{refund.number}").body["metadata"]["request"] == result["request"]
        assert PaymentShare.objects.get(order=order).reserved_minor == 500


def test_units_in_different_places_become_a_refund_each(shop, channel) -> None:
    order = rows.a_paid_order(channel)
    parcel = {"lines": [MUG], "carrier": "dhl", "tracking_number": "T1"}
    assert shop.post(f"/orders/{order.number}/shipments", parcel).status == 201
    [result] = shop.post(DOOR, {"refunds": [{"order": order.number, "lines": "all"}]}).body["results"]
    assert [refund["route"] for refund in result["refunds"]] == ["instant", "intercept"]


#: An item, and the problem it has: status, code, and the field within the item.
WRONG = [
    ({}, 422, "required", ["order"]),
    ({"lines": "all"}, 422, "required", ["order"]),
    ({"order": 7, "lines": "all"}, 422, "not_text", ["order"]),
    ("all", 422, "invalid", [""]),
    (None, 422, "null", [""]),
    (["all"], 422, "invalid", [""]),
    ({"order": "none", "lines": "all"}, 404, "order_not_found", []),
    ({"lines": []}, 422, "empty", ["lines"]),
    ({"lines": [MUG | {"quantity": 0}]}, 422, "too_small", ["lines[0].quantity"]),
    ({"lines": [MUG, {"sku": "NOPE", "quantity": 1}]}, 422, None, ["lines[1]"]),
    ({"lines": [MUG | {"quantity": 3}]}, 422, "more_than_bought", ["lines[0].quantity"]),
    ({"lines": "all", "amount_minor": 5}, 422, "exclusive", ["amount_minor"]),
    ({"lines": "all", "photos": []}, 422, "unknown_field", ["photos"]),
    ({"lines": "all", "currency": "USD"}, 422, None, ["currency"]),
    ({"lines": "all", "asked_by": "recipient"}, 409, "payer_only", []),
    ({"amount_minor": 1001}, 409, "more_than_left", ["amount_minor"]),
]


@pytest.mark.parametrize("wrong", WRONG, ids=range(len(WRONG)))
def test_a_wrong_item_says_what_is_wrong_and_leaves_the_others(wrong, shop, channel) -> None:
    item, status, code, fields = wrong
    first, its, last = (rows.a_paid_order(channel) for _ in range(3))
    if isinstance(item, dict) and item and status != 404 and "order" not in fields:
        item = {"order": its.number} | item
    body = asked(first, its, last)
    body["refunds"][1] = item
    answer = shop.post(DOOR, body)
    assert answer.status == 200, answer
    assert [result["status"] for result in answer.body["results"]] == [202, status, 202]
    problem = answer.body["results"][1]["problem"]
    assert problem["status"] == status and problem["detail"] and problem["title"]
    assert problem["code"] == code or code is None
    below = [f"refunds[1].{field}" if field else "refunds[1]" for field in fields]
    assert [error["field"] for error in problem["errors"]] == below
    assert list(Refund.objects.order_by("id").values_list("order_id", flat=True)) == [first.pk, last.pk]
    assert not PaymentShare.objects.get(order=its).reserved_minor


#: The body, or what it is without one good item; status, code, field.
BODIES = [
    ({}, 422, "required", "refunds"),
    ({"refunds": None}, 422, "null", "refunds"),
    ({"refunds": {}}, 422, "not_a_list", "refunds"),
    ({"refunds": []}, 422, "empty", "refunds"),
    ({"refunds": [{}] * 501}, 422, "too_long", "refunds"),
    ({"refunds": [{}], "orders": []}, 422, "unknown_field", "orders"),
]


@pytest.mark.parametrize("wrong", BODIES, ids=range(len(BODIES)))
def test_a_wrong_body_is_refused_as_a_whole(wrong, shop, fingerprint) -> None:
    body, status, code, field = wrong
    before = fingerprint()
    answer = shop.post(DOOR, body)
    assert (answer.status, answer.code) == (status, code)
    assert [error["field"] for error in answer.body["errors"]] == [field]
    assert fingerprint() == before


@pytest.mark.parametrize(
    ("raw", "status"), [(b"", 400), (b"{", 400), (b'{"refunds": NaN}', 400), (b"[]", 422), (b" " * 2**20 + b"{}", 413)]
)
def test_an_unreadable_body_is_refused_as_a_whole(raw, status, shop) -> None:
    assert shop.post(DOOR, raw).status == status


def test_five_hundred_long_items_are_not_too_large(shop, order) -> None:
    body = asked(*["none"] * 500, note="n" * 1000)
    answer = shop.post(DOOR, body)
    assert answer.status == 200
    assert {result["status"] for result in answer.body["results"]} == {404}


def test_the_same_order_twice_is_decided_in_turn(shop, order) -> None:
    answer = shop.post(DOOR, asked(order, order, order))
    assert [result["status"] for result in answer.body["results"]] == [202, 202, 409]
    refused = answer.body["results"][2]["problem"]
    assert (refused["code"], refused["left"], refused["held"]) == ("units_not_left", 0, 2)
    assert refused["refunds"] == [result["refunds"][0]["number"] for result in answer.body["results"][:2]]
    assert PaymentShare.objects.get(order=order).reserved_minor == 1000


@pytest.mark.parametrize("role", [Role.WAREHOUSE, Role.AUDITOR])
def test_who_may_not_ask_is_refused_as_a_whole(role, channel, order, fingerprint) -> None:
    reader, before = Caller(channel, role=role), fingerprint()
    answer = reader.post(DOOR, asked(order))
    assert (answer.status, answer.code) == (403, "role_forbidden")
    assert fingerprint() == before


def test_an_item_that_the_role_may_not_ask_for_is_refused_alone(channel, order) -> None:
    support, other = Caller(channel, role=Role.SUPPORT), rows.a_paid_order(channel)
    answer = support.post(DOOR, {"refunds": [{"order": other.number, "amount_minor": 5}, *asked(order)["refunds"]]})
    assert [result["status"] for result in answer.body["results"]] == [403, 202]
    assert answer.body["results"][0]["problem"]["code"] == "role_forbidden"


def test_who_may_ask_for_free_amounts_alone_may_in_a_batch(channel, order) -> None:
    finance = Caller(channel, role=Role.FINANCE)
    answer = finance.post(DOOR, {"refunds": [{"order": order.number, "amount_minor": 5}, *asked(order)["refunds"]]})
    assert [result["status"] for result in answer.body["results"]] == [202, 403]


def test_an_order_of_another_channel_does_not_exist(shop, channel, order) -> None:
    foreign = rows.a_paid_order(rows.a_channel())
    answer = shop.post(DOOR, asked(foreign, order))
    assert [result["status"] for result in answer.body["results"]] == [404, 202]
    several = Caller(channel, foreign.channel)
    assert several.post(DOOR, asked(foreign)).code == "channel_required"
    assert several.post(f"{DOOR}?channel={foreign.channel.slug}", asked(foreign)).body["results"][0]["status"] == 202


def test_one_key_does_one_batch_however_often_it_is_sent(shop, channel) -> None:
    body = asked(rows.a_paid_order(channel), "none", rows.a_paid_order(channel))
    first, again = (shop.post(DOOR, body, Idempotency_Key="night-1") for _ in range(2))
    assert (first.status, again.status) == (200, 200)
    assert again.body == first.body and again.headers["Idempotent-Replay"] == "true"
    assert Refund.objects.count() == 2
    other = shop.post(DOOR, asked("none"), Idempotency_Key="night-1")
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    assert IdempotencyRecord.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_order_that_is_held_by_another_stops_the_whole_batch(shop, channel, fingerprint) -> None:
    free, held = rows.a_paid_order(channel), rows.a_paid_order(channel)
    before, holder = fingerprint(), connections["default"].copy()
    try:
        with holder.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT id FROM orders_order WHERE id = %s FOR NO KEY UPDATE", [held.pk])
            answer = shop.post(DOOR, asked(free, held), Idempotency_Key="night-1")
    finally:
        holder.close()
    assert (answer.status, answer.code) == (503, "busy")
    assert answer.headers["Retry-After"]
    assert fingerprint() == before
    assert shop.post(DOOR, asked(free, held), Idempotency_Key="night-1").status == 200


def statements(shop: Caller, body: object) -> tuple[Answer, int]:
    with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
        answer = shop.post(DOOR, body)
    return answer, len(by_django) + len(by_records)


def bound(settings: Any) -> None:
    """By a window of the policy, and by how many refunds of a payment the gateway takes."""
    put_in_force(window_days=30)
    sandbox = settings.GATEWAY_ACCOUNTS["sandbox"] | {"limits": {"most_refunds": 3}}
    settings.GATEWAY_ACCOUNTS = settings.GATEWAY_ACCOUNTS | {"sandbox": sandbox}


@pytest.mark.parametrize("are_bound", [False, True])
def test_a_long_batch_takes_as_many_statements_as_a_short_one(are_bound, settings, shop, channel) -> None:
    if are_bound:
        bound(settings)
    counts = []
    for n in (1, 2, 40):
        orders = [rows.a_paid_order(channel) for _ in range(n)]
        answer, accepted = statements(shop, asked(*orders, *orders))
        assert {result["status"] for result in answer.body["results"]} == {202}
        answer, refused = statements(shop, asked(*orders))
        assert {result["status"] for result in answer.body["results"]} == {409}
        counts.append((accepted, refused))
    assert counts[1] == counts[2] <= (17, 17), counts


def test_a_single_request_takes_few_statements(shop, channel) -> None:
    for _ in range(2):  # the policy is remembered
        order = rows.a_paid_order(channel)
        with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
            answer = shop.post(f"/orders/{order.number}/refunds", ONE_MUG, Idempotency_Key=order.number)
        assert answer.status == 202
    assert len(by_records) == 10
    assert [query["sql"].split()[0] for query in by_django] in ([], ["SAVEPOINT", "RELEASE"])


def test_gateways_limits_hold_within_a_batch(settings, shop, channel) -> None:
    bound(settings)
    order = rows.a_paid_order(channel, quantity=5)
    results = shop.post(DOOR, asked(*[order] * 5)).body["results"]
    assert [result["status"] for result in results] == [202, 202, 202, 409, 409]
    assert (results[3]["problem"]["code"], results[3]["problem"]["earlier"]) == ("too_many_refunds", 3)
