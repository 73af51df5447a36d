"""The served description: complete, without loose ends, and true of what the doors answer."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from jsonschema import Draft202012Validator

from orders.roles import Role
from refunds.api.acts import ACTS
from refunds.evidence import TYPES as PHOTOS
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db

OPERATIONS = {
    "request_refund",
    "request_refunds",
    "preview_refund",
    "cancel_order",
    "list_refunds",
    "get_refund",
    *(f"{act.action}_refund" for act in ACTS),
    "list_refund_events",
    "list_events",
    "list_incidents",
    "close_incident",
    "receive_webhook",
    "list_kinds",
    "list_manifests",
    "get_manifest",
    "apply_manifest",
    "delete_manifest",
    "approve_manifest",
    "list_manifest_versions",
    "roll_back_manifest",
    "withdraw_manifest_removal",
}


@pytest.fixture
def document() -> dict[str, Any]:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.status_code == 200
    return json.loads(answer.content)


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from path.values()


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for below in node.values():
            yield from references(below)
    elif isinstance(node, list):
        for below in node:
            yield from references(below)


def complaints(document: dict[str, Any], operation_id: str, status: int, body: Any) -> list[str]:
    operation = next(op for op in operations(document) if op["operationId"] == operation_id)
    (content,) = operation["responses"][str(status)]["content"].values()
    whole = content["schema"] | {"components": document["components"]}
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(whole).iter_errors(body)]


def test_it_is_valid_and_made_without_a_warning(tmp_path) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "openapi.yaml"))


def test_every_refund_door_is_described_with_its_problems(document) -> None:
    found = {operation["operationId"]: operation for operation in operations(document)}
    assert found.keys() >= OPERATIONS
    for name in OPERATIONS:
        assert found[name]["responses"].keys() >= {"401", "422", "503"}
        assert "application/problem+json" in found[name]["responses"]["422"]["content"]


def test_a_body_is_json_or_a_photo(document) -> None:
    """Forms are answered 415."""
    bodies = [operation["requestBody"]["content"] for operation in operations(document) if "requestBody" in operation]
    assert {kind for content in bodies for kind in content} == {"application/json", *PHOTOS}


def test_every_reference_leads_somewhere(document) -> None:
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) <= known


def test_the_answers_are_as_described(document, shop, order, channel) -> None:
    case = rows.Case(channel)
    rows.a_message(case.refund)
    rows.an_event(case.refund)
    asked = {"lines": "all"}
    answers = [
        ("preview_refund", shop.post(f"/orders/{order.number}/refunds/preview", asked)),
        ("request_refund", shop.post(f"/orders/{order.number}/refunds", asked)),
        ("request_refund", shop.post(f"/orders/{order.number}/refunds", asked)),
        ("request_refunds", shop.post("/refunds:batch", {"refunds": [{"order": order.number, **asked}, {}]})),
        ("request_refunds", shop.post("/refunds:batch", {})),
        ("get_refund", shop.get(f"/refunds/{case.refund.number}")),
        ("list_refunds", shop.get("/refunds")),
        ("list_refunds", shop.get("/refunds?limit=1")),
        ("list_refund_events", shop.get(f"/refunds/{case.refund.number}/events")),
        ("list_events", shop.get("/events")),
        ("cancel_refund", shop.post(f"/refunds/{case.refund.number}/cancel")),
        ("request_refund", shop.post(f"/orders/{order.number}/refunds", {})),
    ]
    for name, answer in answers:
        assert answer.status in (200, 202, 409, 422), answer
        assert complaints(document, name, answer.status, answer.body) == []


def test_a_stop_that_is_confirmed_is_as_described(document, channel) -> None:
    agent, number = Caller(channel, role=Role.WAREHOUSE), returns.unconfirmed().number
    for status in (200, 409):
        answer = agent.post(f"/refunds/{number}/confirm_stop", {"stopped": True})
        assert answer.status == status, answer
        assert complaints(document, "confirm_stop_refund", status, answer.body) == []


def test_a_refund_on_its_way_back_is_as_described(document, channel) -> None:
    agent, number = Caller(channel, role=Role.SUPERVISOR), returns.in_review().number
    slot = {"starts_at": returns.in_days(1).isoformat(), "ends_at": returns.in_days(1.1).isoformat()}
    acts = [
        ("hold_refund", "hold", {}),
        ("resume_refund", "resume", None),
        ("approve_refund", "approve", {}),
        ("rebook_pickup_refund", "rebook_pickup", {"slot": slot}),
        ("ship_back_refund", "ship_back", {"carrier": "DHL", "tracking_number": "T-9"}),
        ("receive_refund", "receive", {}),
        ("inspect_refund", "inspect", {"lines": [{"sku": "A", "accepted": 3}]}),
        ("inspect_refund", "inspect", {"lines": [{"sku": "A", "accepted": 3}]}),
    ]
    for name, action, body in acts:
        answer = agent.post(f"/refunds/{number}/{action}", body)
        assert answer.status in (200, 409), answer
        assert complaints(document, name, answer.status, answer.body) == []


def test_manifests_are_as_described(document, channel) -> None:
    by, second, at = Caller(channel, role=Role.FINANCE), Caller(channel, role=Role.FINANCE), "/apis/policy/p"
    body = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "p"}, "spec": {}}
    other = body | {"spec": {"window": {"days": 7}}}
    answers = [
        ("list_kinds", 200, by.get("/apis")),
        ("apply_manifest", 201, by.call("PUT", at, json.dumps(body).encode(), {})),
        ("apply_manifest", 200, by.call("PUT", at, json.dumps(other).encode(), {})),
        ("apply_manifest", 422, by.call("PUT", at, json.dumps(body | {"spec": 1}).encode(), {})),
        ("approve_manifest", 403, by.post(f"{at}/approve", {"record": "https://x.example/1"})),
        ("approve_manifest", 200, second.post(f"{at}/approve", {"record": "https://x.example/1"})),
        ("roll_back_manifest", 200, by.post(f"{at}/rollback", {"to_generation": 1})),
        ("list_manifests", 200, by.get("/apis/policy")),
        ("list_manifest_versions", 200, by.get(f"{at}/history")),
        ("get_manifest", 200, by.get(at)),
        ("delete_manifest", 202, by.call("DELETE", at, b"", {})),
    ]
    for name, status, answer in answers:
        assert answer.status == status, answer
        assert complaints(document, name, answer.status, answer.body) == []
