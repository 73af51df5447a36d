"""Bad input on every call: a clear problem with its code, nothing changed, never a 500."""

import json

import pytest

from orders import clock
from orders.models import ApiKey
from refunds.event_types import EVENT_TYPES
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db

LINE = {"sku": "MUG-1", "quantity": 1}
LONE = "\ud800"

BODIES = [
    ({}, 422, "required", "lines"),
    ([], 422, "not_an_object", ""),
    ({"lines": []}, 422, "empty", "lines"),
    ({"lines": "some"}, 422, "not_a_list", "lines"),
    ({"lines": None}, 422, "null", "lines"),
    ({"lines": ["MUG-1"]}, 422, "invalid", "lines[0]"),
    ({"lines": [{"quantity": 1}]}, 422, "id_or_sku", "lines[0]"),
    ({"lines": [LINE | {"id": "mug"}]}, 422, "id_or_sku", "lines[0]"),
    ({"lines": [{"sku": "MUG-1"}]}, 422, "required", "lines[0].quantity"),
    ({"lines": [LINE | {"sku": "NOPE"}]}, 422, None, "lines[0]"),
    ({"lines": [LINE, LINE | {"sku": "NOPE"}]}, 422, None, "lines[1]"),
    ({"lines": [LINE | {"sku": "MUG\x00"}]}, 422, "forbidden_character", "lines[0].sku"),
    ({"lines": [LINE | {"sku": LONE}]}, 422, "forbidden_character", "lines[0].sku"),
    ({"lines": [LINE | {"sku": "M" * 101}]}, 422, "too_long", "lines[0].sku"),
    ({"lines": [LINE | {"sku": 7}]}, 422, "not_text", "lines[0].sku"),
    ({"lines": [LINE | {"quantity": 0}]}, 422, "too_small", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": -1}]}, 422, "too_small", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": 1.5}]}, 422, "not_integer", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": "1e3"}]}, 422, "not_integer", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": "1"}]}, 422, "not_integer", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": True}]}, 422, "not_integer", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": None}]}, 422, "null", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": 10**30}]}, 422, "too_large", "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": 3}]}, 422, None, "lines[0].quantity"),
    ({"lines": [LINE | {"quantity": 2}, LINE]}, 422, None, "lines[1].quantity"),
    ({"lines": [LINE | {"amount_minor": 5}]}, 422, "unknown_field", "lines[0].amount_minor"),
    ({"lines": [LINE], "amount_minor": 5}, 422, "exclusive", "amount_minor"),
    ({"lines": [LINE], "amount": 5}, 422, "unknown_field", "amount"),
    ({"lines": [LINE], LONE: 1}, 422, "unknown_field", "\\ud800"),
    ({"lines": [LINE], "goods": "eaten"}, 422, "unknown_value", "goods"),
    ({"lines": [LINE], "reason": "r" * 41}, 422, "too_long", "reason"),
    ({"lines": [LINE], "reason": LONE}, 422, "forbidden_character", "reason"),
    ({"lines": [LINE], "note": "a\x00b"}, 422, "forbidden_character", "note"),
    ({"lines": [LINE], "note": {"a": 1}}, 422, "not_text", "note"),
    ({"lines": [LINE], "note": "n" * 2001}, 422, "too_long", "note"),
    ({"lines": [LINE], "pickup_address": "home"}, 422, "not_an_object", "pickup_address"),
    ({"lines": [LINE], "pickup_address": {"city": LONE}}, 422, "forbidden_value", "pickup_address"),
    ({"lines": [LINE], "pickup_address": {"x": {"x": {"x": {"x": {"x": 1}}}}}}, 422, "too_deep", "pickup_address"),
]


@pytest.mark.parametrize("call", ["refunds", "refunds/preview"])
@pytest.mark.parametrize("wrong", BODIES, ids=range(len(BODIES)))
def test_a_wrong_request_names_its_field_and_changes_nothing(call, wrong, shop, order, fingerprint) -> None:
    body, status, code, field = wrong
    before = fingerprint()
    answer = shop.post(f"/orders/{order.number}/{call}", body)
    assert answer.status == status, answer
    assert answer.code == code or code is None
    assert [error["field"] for error in answer.body["errors"]] == [field]
    assert fingerprint() == before


RAW = [
    (b"", 400, "unreadable_body"),
    (b"{", 400, "unreadable_body"),
    (b"lines=all", 400, "unreadable_body"),
    (b'{"lines": NaN}', 400, "unreadable_body"),
    (b'{"lines": [{"sku": "MUG-1", "quantity": Infinity}]}', 400, "unreadable_body"),
    (b'{"lines": "all", "lines": "all"}', 400, "unreadable_body"),
    (b'{"note": "\xff\xfe"}', 400, "unreadable_body"),
    (b"[" * 100_000, 400, "unreadable_body"),
    (b'{"lines": [{"sku": "MUG-1", "quantity": ' + b"9" * 5000 + b"}]}", 400, "unreadable_body"),
    (json.dumps({"lines": "all", "note": "n" * 2**20}).encode(), 413, "too_large"),
    (b"null", 422, "not_an_object"),
    (b'"all"', 422, "not_an_object"),
    (b"1e3", 422, "not_an_object"),
]


POSTS = [
    (call, wrong) for call in ("refunds", "refunds/preview", "cancel") for wrong in RAW if wrong[0] or call != "cancel"
]


@pytest.mark.parametrize(("call", "wrong"), POSTS, ids=range(len(POSTS)))
def test_an_unreadable_body_is_refused_by_every_post(call, wrong, shop, order, fingerprint) -> None:
    raw, status, code = wrong
    before = fingerprint()
    answer = shop.post(f"/orders/{order.number}/{call}", raw)
    assert (answer.status, answer.code) == (status, code)
    assert fingerprint() == before


@pytest.mark.parametrize(("raw", "status"), [case[:2] for case in RAW[1:]], ids=range(len(RAW) - 1))
def test_an_unreadable_body_does_not_cancel_a_refund(raw, status, shop, channel, fingerprint) -> None:
    case = rows.Case(channel)
    before = fingerprint()
    assert shop.post(f"/refunds/{case.refund.number}/cancel", raw).status == status
    assert fingerprint() == before


def test_another_media_type_is_refused(shop, order, fingerprint) -> None:
    before = fingerprint()
    answer = shop.post(
        f"/orders/{order.number}/refunds", b"lines=all", Content_Type="application/x-www-form-urlencoded"
    )
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert fingerprint() == before


CALLS = [
    ("POST", "/orders/SO-0/refunds"),
    ("POST", "/orders/SO-0/refunds/preview"),
    ("POST", "/orders/SO-0/cancel"),
    ("GET", "/refunds"),
    ("GET", "/refunds/RT-1"),
    ("POST", "/refunds/RT-1/cancel"),
    ("GET", "/refunds/RT-1/events"),
    ("GET", "/events"),
]


@pytest.mark.parametrize(("method", "path"), CALLS)
@pytest.mark.parametrize(
    "key", ["", "Basic abc", "Bearer", "Bearer nope.nope", "Bearer \u00e4", "Bearer " + "k" * 5000]
)
def test_every_call_wants_a_good_key(method, path, key, shop, fingerprint) -> None:
    before = fingerprint()
    answer = shop.call(method, path, b"", {"Authorization": key})
    assert (answer.status, answer.code) == (401, "invalid_key" if key else "missing_key")
    assert fingerprint() == before


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_a_revoked_key_opens_nothing(method, path, shop) -> None:
    ApiKey.objects.filter(pk=shop.stored.pk).update(revoked_at=clock.now())
    answer = shop.call(method, path, b"", {})
    assert (answer.status, answer.code) == (401, "invalid_key")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/refunds?limit=0", "limit"),
        ("/refunds?limit=-1", "limit"),
        ("/refunds?limit=1e3", "limit"),
        ("/refunds?limit=1000000", "limit"),
        ("/refunds?limit=1&limit=2", "limit"),
        ("/refunds?cursor=nonsense", "cursor"),
        ("/refunds?cursor=W10", "cursor"),
        ("/refunds?state=happy", "state"),
        ("/refunds?state=refunded,happy", "state"),
        ("/refunds?updated_since=yesterday", "updated_since"),
        ("/refunds?updated_since=2026-05-01T12:00:00", "updated_since"),
        ("/refunds?order=", "order"),
        ("/refunds?order=%00", "order"),
        ("/refunds?order=%ff", "order"),
        ("/events?after=nonsense", "after"),
        ("/events?after=1.ffffffffffffffff", "after"),
        ("/events?limit=NaN", "limit"),
        ("/events?types=%00", "types"),
        ("/events?types=refund.refundet", "types"),
        ("/events?types=refund.refunded,Refund.Failed", "types"),
        ("/events?types=refund.refunded, refund.failed", "types"),
        ("/events?types=,", "types"),
        ("/refunds?state=,", "state"),
    ],
)
def test_a_wrong_parameter_is_named(path, field, shop) -> None:
    answer = shop.get(path)
    assert answer.status == 422 and answer.code
    assert [error["field"] for error in answer.body["errors"]] == [field]


def test_who_asks_for_an_event_that_there_is_none_of_is_told_which_there_are(shop) -> None:
    """He would wait for it for ever."""
    answer = shop.get("/events?types=refund.failed,refund.refundet,sold.out")
    assert answer.code == "unknown_event"
    assert answer.body["detail"] == "There is no event refund.refundet, sold.out: see known."
    assert answer.body["known"] == sorted(EVENT_TYPES)


def test_all_events_can_be_named_at_once(shop) -> None:
    assert shop.get(f"/events?types={','.join(EVENT_TYPES)}").status == 200


@pytest.mark.parametrize(
    "path", ["/refunds/%00", "/refunds/%ff", "/refunds/RT-99999999999999999999", "/refunds/RT", "/refunds?channel=none"]
)
def test_what_is_not_there_is_not_found(path, shop) -> None:
    answer = shop.get(path)
    assert answer.status == 404 and answer.code


@pytest.mark.parametrize("number", ["%00", "%ff", "%ed%a0%80", "x" * 600, "..", "%2e%2e%2f"])
def test_an_odd_order_number_is_not_found(number, shop, fingerprint) -> None:
    before = fingerprint()
    answer = shop.post(f"/orders/{number}/refunds", {"lines": "all"})
    assert answer.status == 404 and answer.code
    assert fingerprint() == before


@pytest.mark.parametrize(
    "headers", [{"If_Match": "7"}, {"If_Match": '"x"'}, {"If_Match": '"1", "2"'}, {"Idempotency_Key": "k" * 256}]
)
def test_a_wrong_header_is_named(headers, shop, channel, fingerprint) -> None:
    case = rows.Case(channel)
    before = fingerprint()
    answer = shop.post(f"/refunds/{case.refund.number}/cancel", **headers)
    assert answer.status == 422 and answer.code
    assert fingerprint() == before


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/refunds"), ("DELETE", "/events"), ("GET", "/orders/SO-0/cancel")]
)
def test_another_method_is_not_allowed(method, path, shop) -> None:
    answer = shop.call(method, path, b"", {})
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["Allow"]
