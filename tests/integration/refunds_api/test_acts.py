"""POST /refunds/{number}/{action}: what each does, who may, and what is refused without a trace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from orders.models import Principal
from orders.roles import KEY_ROLES, Actor, Role
from refunds.actions import RULE_OF, Action
from refunds.api.acts import ACTS
from refunds.models import Refund
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.acting import a_slot, act
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Station:
    """Where an action is allowed, who does it here, with which body, and what state follows."""

    station: Callable[[], Refund]
    role: Role
    body: Any
    follows: str


SLOT = {"starts_at": "2099-01-04T08:00:00Z", "ends_at": "2099-01-04T10:00:00Z"}
STATIONS = {
    Action.CANCEL: Station(returns.in_review, Role.SHOP, None, "cancelled"),
    Action.APPROVE: Station(returns.in_review, Role.SUPPORT, {}, "awaiting_return"),
    Action.REJECT: Station(returns.in_review, Role.SUPPORT, {"reason": "Worn.\nSorry."}, "rejected"),
    Action.SECOND_APPROVE: Station(returns.needs_a_second, Role.FINANCE, None, "awaiting_return"),
    Action.BYPASS_SECOND: Station(returns.may_pass_alone, Role.FINANCE, {"reason": "Alone today."}, "awaiting_return"),
    Action.OFFER: Station(returns.in_review, Role.SUPPORT, {"amount_minor": 300, "note": "A scratch."}, "offered"),
    Action.ACCEPT_OFFER: Station(returns.offered, Role.SHOP, None, "refunding"),
    Action.DECLINE_OFFER: Station(returns.offered, Role.SHOP, None, "in_review"),
    Action.ASK: Station(returns.in_review, Role.SUPPORT, {"text": "Which side?"}, "in_review"),
    Action.WRITE: Station(returns.in_review, Role.SHOP, {"text": "On its way."}, "in_review"),
    Action.CONTEST: Station(returns.rejected, Role.SHOP, {"note": "It was whole."}, "in_review"),
    Action.REOPEN: Station(returns.rejected, Role.SUPPORT, {"note": "It was whole."}, "in_review"),
    Action.REPLACE: Station(returns.in_review, Role.SUPPORT, {"remedy": "replacement"}, "in_review"),
    Action.HOLD: Station(returns.in_review, Role.SUPPORT, {}, "in_review"),
    Action.RESUME: Station(returns.held, Role.SUPPORT, None, "in_review"),
    Action.SHIP_BACK: Station(
        returns.awaiting, Role.SHOP, {"carrier": "DHL", "tracking_number": "T-9"}, "awaiting_return"
    ),
    Action.REBOOK_PICKUP: Station(returns.awaiting, Role.SHOP, "a slot", "awaiting_return"),
    Action.DROP_OFF: Station(returns.awaiting, Role.SHOP, None, "awaiting_return"),
    Action.RECEIVE: Station(returns.awaiting, Role.WAREHOUSE, {}, "inspecting"),
    Action.DOUBT_PARCEL: Station(
        returns.inspecting, Role.WAREHOUSE, {"what": "weight_differs", "note": "Bricks."}, "inspecting"
    ),
    Action.INSPECT: Station(
        returns.inspecting, Role.WAREHOUSE, {"lines": [{"sku": "A", "accepted": 2, "damaged": 1}]}, "refunding"
    ),
    Action.DISPOSE: Station(
        returns.refused_in_part,
        Role.WAREHOUSE,
        {"lines": [{"sku": "A", "quantity": 1, "disposition": "write_off"}]},
        "refunding",
    ),
    Action.CONFIRM_STOP: Station(returns.unconfirmed, Role.SHOP, {"stopped": False}, "requested"),
    Action.CONFIRM_ARRIVAL: Station(returns.on_its_way, Role.SHOP, None, "in_review"),
    Action.PROVE_DELIVERY: Station(returns.denied, Role.SHOP, {"delivered": True, "note": "Signed."}, "in_review"),
    Action.RETRY: Station(returns.failed, Role.FINANCE, None, "refunding"),
    Action.RECORD_EXTERNAL: Station(returns.failed, Role.FINANCE, {"amount_minor": 500, "reference": "T-1"}, "failed"),
    Action.SET_TARGET: Station(returns.failed, Role.SUPPORT, {"refund_to": "original"}, "refunding"),
    Action.CONFIRM_TARGET: Station(returns.awaiting_code, Role.SUPPORT, {"code": returns.code()}, "refunding"),
    Action.CLOSE: Station(returns.failed, Role.FINANCE, {"note": "Paid in cash."}, "cancelled"),
    Action.ASSIGN: Station(returns.in_review, Role.SUPPORT, None, "in_review"),
}
ACTIONS = sorted(STATIONS)


def body_of(action: Action) -> Any:
    """The good body of an action; a slot is the day after tomorrow, whenever that is."""
    if action is not Action.REBOOK_PICKUP:
        return STATIONS[action].body
    return {"slot": a_slot()}


def test_every_declared_action_has_its_door() -> None:
    asked_for = {Action.READ, Action.PREVIEW, Action.REQUEST, Action.ADJUST, Action.REQUEST_AMOUNT, Action.SPEND_CREDIT}
    asked_for |= {Action.EVIDENCE}  # not JSON
    assert {act.action for act in ACTS} == set(STATIONS) == set(Action) - asked_for


@pytest.mark.parametrize("action", ACTIONS)
def test_it_is_done_and_answered_with_the_refund(action, caller) -> None:
    there = STATIONS[action]
    refund = there.station()
    agent = caller(there.role)
    answer = act(agent, refund, action, body_of(action), If_Match=f'"{refund.resource_version}"')
    assert answer.status == 200, answer
    assert answer.body["status"]["state"] == there.follows
    seen = agent.get(f"/refunds/{refund.number}")
    assert (seen.body, seen.headers["ETag"]) == (answer.body, answer.headers["ETag"])
    assert answer.body["metadata"]["resource_version"] > refund.resource_version


ALLOWED = [(action, role) for action in ACTIONS for role in KEY_ROLES if role in RULE_OF[action].roles]


@pytest.mark.parametrize(("action", "role"), ALLOWED)
def test_the_roles_of_the_table_may(action, role, caller) -> None:
    answer = act(caller(role), STATIONS[action].station(), action, body_of(action))
    assert answer.status == 200, answer


@pytest.mark.parametrize("action", ACTIONS)
def test_no_other_role_may(action, caller, fingerprint) -> None:
    refund = STATIONS[action].station()
    agents = [caller(role) for role in KEY_ROLES if role not in RULE_OF[action].roles]
    before = fingerprint()
    for agent in agents:
        answer = act(agent, refund, action, body_of(action))
        assert (answer.status, answer.code) == (403, "role_forbidden")
    assert fingerprint() == before


@pytest.mark.parametrize("action", ACTIONS)
def test_a_foreign_refund_is_not_there(action, fingerprint) -> None:
    refund, agent = STATIONS[action].station(), Caller(rows.a_channel(), role=STATIONS[action].role)
    before = fingerprint()
    answer = act(agent, refund, action, body_of(action))
    assert (answer.status, answer.code) == (404, "refund_not_found")
    assert fingerprint() == before


@pytest.mark.parametrize("action", ACTIONS)
def test_it_is_not_done_on_something_newer_than_seen(action, caller, fingerprint) -> None:
    """Controller check 60; upstream: TestSyncJobUpdateRequeue."""
    refund, agent = STATIONS[action].station(), caller(STATIONS[action].role)
    before = fingerprint()
    answer = act(agent, refund, action, body_of(action), If_Match=f'"{refund.resource_version - 1}"')
    assert (answer.status, answer.code) == (412, "stale_version")
    assert fingerprint() == before


#: What an ended one lacks where the state alone does not say so: goods may come after the money.
LACKS = {
    Action.RECEIVE: "nothing_to_receive",
    Action.INSPECT: "goods_not_received",
    Action.DISPOSE: "nothing_refused",
}


@pytest.mark.parametrize("action", [action for action in ACTIONS if action is not Action.WRITE])
def test_what_has_ended_is_left_alone(action, caller, fingerprint) -> None:
    refund, agent = returns.refunded(), caller(STATIONS[action].role)
    before = fingerprint()
    answer = act(agent, refund, action, body_of(action))
    assert (answer.status, answer.code) == (409, LACKS.get(action, RULE_OF[action].code))
    assert fingerprint() == before


@pytest.mark.parametrize("action", ACTIONS)
def test_the_same_key_does_it_once(action, caller) -> None:
    refund, agent = STATIONS[action].station(), caller(STATIONS[action].role)
    body = body_of(action)
    first, again = (act(agent, refund, action, body, Idempotency_Key="click") for _ in range(2))
    assert (first.status, first.body) == (again.status, again.body)
    assert again.headers["Idempotent-Replay"] == "true"
    assert Refund.objects.get(pk=refund.pk).resource_version == first.body["metadata"]["resource_version"]


LINE = {"sku": "A", "quantity": 1}
FOUND = {"sku": "A", "accepted": 3}
LONE = "\ud800"
WRONG = [
    (Action.CANCEL, {"why": "x"}, "unknown_field", "why"),
    (Action.APPROVE, {"lines": []}, "empty", "lines"),
    (Action.APPROVE, {"lines": None}, "null", "lines"),
    (Action.APPROVE, {"lines": {}}, "not_a_list", "lines"),
    (Action.APPROVE, {"lines": [{"sku": "A"}]}, "required", "lines[0].quantity"),
    (Action.APPROVE, {"lines": [LINE | {"id": "A"}]}, "id_or_sku", "lines[0]"),
    (Action.APPROVE, {"lines": [LINE | {"sku": "Z"}]}, "unknown_line", "lines[0]"),
    (Action.APPROVE, {"lines": [LINE | {"quantity": 0}]}, "too_small", "lines[0].quantity"),
    (Action.APPROVE, {"lines": [LINE | {"quantity": 4}]}, "more_than_requested", "lines[0].quantity"),
    (Action.APPROVE, {"lines": [LINE, LINE]}, "more_than_requested", "lines[1].quantity"),
    (Action.APPROVE, {"lines": [LINE | {"quantity": 10**30}]}, "too_large", "lines[0].quantity"),
    (Action.APPROVE, {"goods": "eaten"}, "unknown_value", "goods"),
    (Action.APPROVE, {"goods": None}, "null", "goods"),
    (Action.APPROVE, {"amount_minor": 1}, "unknown_field", "amount_minor"),
    (Action.REJECT, {}, "required", "reason"),
    (Action.REJECT, {"reason": ""}, "blank", "reason"),
    (Action.REJECT, {"reason": " \n "}, "required", "reason"),
    (Action.REJECT, {"reason": LONE}, "forbidden_character", "reason"),
    (Action.REJECT, {"reason": "r" * 2001}, "too_long", "reason"),
    (Action.REJECT, {"reason": ["no"]}, "not_text", "reason"),
    (Action.OFFER, {"note": "A scratch."}, "required", "amount_minor"),
    (Action.OFFER, {"amount_minor": 300}, "required", "note"),
    (Action.OFFER, {"amount_minor": 300, "note": " \n"}, "required", "note"),
    (Action.OFFER, {"amount_minor": 0, "note": "A scratch."}, "out_of_range", "amount_minor"),
    (Action.OFFER, {"amount_minor": 3001, "note": "A scratch."}, "out_of_range", "amount_minor"),
    (Action.OFFER, {"amount_minor": 3.5, "note": "A scratch."}, "not_integer", "amount_minor"),
    (Action.ACCEPT_OFFER, {"amount_minor": 300}, "unknown_field", "amount_minor"),
    (Action.DECLINE_OFFER, {"note": "No."}, "unknown_field", "note"),
    (Action.SECOND_APPROVE, {"lines": []}, "unknown_field", "lines"),
    *[(action, {}, "required", "text") for action in (Action.ASK, Action.WRITE)],
    *[(action, {"text": ""}, "blank", "text") for action in (Action.ASK, Action.WRITE)],
    *[(action, {"text": LONE}, "forbidden_character", "text") for action in (Action.ASK, Action.WRITE)],
    *[(action, {}, "required", "note") for action in (Action.CONTEST, Action.REOPEN)],
    *[(action, {"note": "\t"}, "required", "note") for action in (Action.CONTEST, Action.REOPEN)],
    *[(action, {"note": "n" * 2001}, "too_long", "note") for action in (Action.CONTEST, Action.REOPEN)],
    (Action.HOLD, {"until": "tomorrow"}, "not_a_time", "until"),
    (Action.HOLD, {"until": "2026-01-01T00:00:00"}, "not_a_time", "until"),
    (Action.HOLD, {"until": "2001-01-01T00:00:00Z"}, "out_of_range", "until"),
    (Action.HOLD, {"until": "9999-12-31T23:59:59Z"}, "out_of_range", "until"),
    (Action.HOLD, {"until": 7}, "not_a_time", "until"),
    (Action.RESUME, {"now": True}, "unknown_field", "now"),
    (Action.SHIP_BACK, {"carrier": "DHL"}, "required", "tracking_number"),
    (Action.SHIP_BACK, {"carrier": "DHL", "tracking_number": "T" * 101}, "too_long", "tracking_number"),
    (Action.SHIP_BACK, {"carrier": "D" * 61, "tracking_number": "T"}, "too_long", "carrier"),
    (Action.SHIP_BACK, {"carrier": "DHL", "tracking_number": "T\n"}, "forbidden_character", "tracking_number"),
    (Action.SHIP_BACK, {"carrier": "DHL", "tracking_number": "T\u202e1"}, "forbidden_character", "tracking_number"),
    (Action.SHIP_BACK, {"carrier": "D\u200bHL", "tracking_number": "T"}, "forbidden_character", "carrier"),
    (Action.SHIP_BACK, {"carrier": "DHL", "tracking_number": "T", "further": 1}, "not_boolean", "further"),
    (Action.SHIP_BACK, {"carrier": "DHL", "tracking_number": "  "}, "malformed", "tracking_number"),
    (Action.REBOOK_PICKUP, {}, "required", "slot"),
    (Action.REBOOK_PICKUP, {"slot": []}, "invalid", "slot"),
    (Action.REBOOK_PICKUP, {"slot": {"starts_at": SLOT["starts_at"]}}, "required", "slot.ends_at"),
    (Action.REBOOK_PICKUP, {"slot": SLOT | {"starts_at": "9999-12-31T23:59:59+25:00"}}, "not_a_time", "slot.starts_at"),
    (Action.REBOOK_PICKUP, {"slot": SLOT | {"starts_at": "2020-01-01T00:00:00Z"}}, "out_of_range", "slot"),
    (Action.REBOOK_PICKUP, {"slot": SLOT | {"ends_at": "2020-01-01T00:00:00Z"}}, "out_of_range", "slot"),
    (Action.REBOOK_PICKUP, {"slot": SLOT}, "out_of_range", "slot"),
    (Action.RECEIVE, {"lines": []}, "unknown_field", "lines"),
    (Action.INSPECT, {}, "required", "lines"),
    (Action.INSPECT, {"lines": []}, "empty", "lines"),
    (Action.INSPECT, {"lines": "all"}, "not_a_list", "lines"),
    (Action.INSPECT, {"lines": [{"accepted": 3}]}, "id_or_sku", "lines[0]"),
    (Action.INSPECT, {"lines": [FOUND | {"sku": "Z"}]}, "unknown_line", "lines[0]"),
    (Action.INSPECT, {"lines": [FOUND | {"accepted": -1}]}, "too_small", "lines[0].accepted"),
    (Action.INSPECT, {"lines": [FOUND | {"accepted": 2}]}, "units_do_not_add_up", "lines[0]"),
    (Action.INSPECT, {"lines": [FOUND | {"missing": 1}]}, "units_do_not_add_up", "lines[0]"),
    (Action.INSPECT, {"lines": [FOUND, FOUND]}, "units_do_not_add_up", "lines[1]"),
    (Action.INSPECT, {"lines": [FOUND | {"damaged": "1"}]}, "not_integer", "lines[0].damaged"),
    (Action.INSPECT, {"lines": [FOUND | {"eaten": 1}]}, "unknown_field", "lines[0].eaten"),
    (Action.CONFIRM_STOP, {}, "required", "stopped"),
    (Action.CONFIRM_STOP, {"stopped": None}, "null", "stopped"),
    (Action.CONFIRM_STOP, {"stopped": "yes"}, "not_boolean", "stopped"),
    (Action.CONFIRM_ARRIVAL, {"at": "noon"}, "unknown_field", "at"),
    (Action.PROVE_DELIVERY, {"note": "Signed."}, "required", "delivered"),
    (Action.PROVE_DELIVERY, {"delivered": "yes"}, "not_boolean", "delivered"),
    (Action.PROVE_DELIVERY, {"delivered": True, "note": "n" * 2001}, "too_long", "note"),
    (Action.ASSIGN, {"to": "7"}, "malformed", "to"),
    (Action.ASSIGN, {"to": 7}, "not_text", "to"),
    (Action.ASSIGN, {"to": "principal:999999999"}, "unknown_agent", "to"),
    (Action.RETRY, {"force": True}, "unknown_field", "force"),
    (Action.RECORD_EXTERNAL, {"reference": "T-1"}, "required", "amount_minor"),
    (Action.RECORD_EXTERNAL, {"amount_minor": 0, "reference": "T-1"}, "more_than_missing", "amount_minor"),
    (Action.RECORD_EXTERNAL, {"amount_minor": 10**9, "reference": "T-1"}, "more_than_missing", "amount_minor"),
    (Action.RECORD_EXTERNAL, {"amount_minor": 10.0, "reference": "T-1"}, "not_integer", "amount_minor"),
    (Action.RECORD_EXTERNAL, {"amount_minor": 10}, "required", "reference"),
    (Action.RECORD_EXTERNAL, {"amount_minor": 10, "reference": "T-1", "payment": "x"}, "unknown_payment", "payment"),
    (Action.CLOSE, {}, "required", "note"),
    (Action.CLOSE, {"note": ""}, "blank", "note"),
    (Action.CLOSE, {"note": "\t"}, "required", "note"),
    (Action.CLOSE, {"note": "a\x00"}, "forbidden_character", "note"),
]


@pytest.mark.parametrize("action", ACTIONS)
def test_a_wrong_body_names_its_field_and_changes_nothing(action, caller, fingerprint) -> None:
    refund, agent = STATIONS[action].station(), caller(STATIONS[action].role)
    before = fingerprint()
    for body, code, field in [wrong[1:] for wrong in WRONG if wrong[0] is action]:
        answer = act(agent, refund, action, body)
        assert (answer.status, answer.code) == (422, code), (body, answer)
        assert [error["field"] for error in answer.body["errors"]] == [field]
    assert fingerprint() == before


UNREADABLE = (b"{", b"[]", b'{"a": NaN}', b"[" * 100_000, b'"' + b"x" * 2**19 + b'"')


@pytest.mark.parametrize("action", ACTIONS)
def test_an_unreadable_body_changes_nothing(action, caller, fingerprint) -> None:
    refund, agent = STATIONS[action].station(), caller(STATIONS[action].role)
    before = fingerprint()
    for raw in UNREADABLE:
        answer = act(agent, refund, action, raw)
        assert answer.status in (400, 413, 422) and answer.code
    assert fingerprint() == before


@pytest.mark.parametrize("action", [act.action for act in ACTS])
def test_a_body_may_be_left_out_where_all_of_it_may(action, caller) -> None:
    there = STATIONS[action]
    refund = there.station()
    answer = act(caller(there.role), refund, action)
    if not there.body:
        assert (answer.status, answer.body["status"]["state"]) == (200, there.follows)
    else:
        assert (answer.status, answer.code) in ((400, "unreadable_body"), (422, "exclusive"))


@pytest.mark.parametrize("action", ["", "explode", "APPROVE", "approve/", "%00", "cancel%20"])
def test_an_unknown_action_is_not_found(action, shop) -> None:
    answer = act(shop, returns.in_review(), action, {})
    assert answer.status == 404 and answer.code


def test_an_act_is_posted(shop) -> None:
    answer = shop.get(f"/refunds/{returns.in_review().number}/approve")
    assert (answer.status, answer.code) == (405, "method_not_allowed")


def test_nobody_approves_what_he_requested(caller, fingerprint) -> None:
    agent = caller(Role.SUPPORT)
    who = Principal.objects.get(pk=agent.stored.principal_id)
    refund = returns.in_review(actor=Actor(f"principal:{who.pk}", Role.SUPPORT))
    before = fingerprint()
    answer = act(agent, refund, "approve", {})
    assert (answer.status, answer.code) == (403, "own_request")
    assert fingerprint() == before
    offers = [who.get(f"/refunds/{refund.number}").body["allowed_actions"] for who in (agent, caller(Role.SUPPORT))]
    assert ["approve" in offered for offered in offers] == [False, True]
    assert act(caller(Role.SUPPORT), refund, "approve", {}).status == 200
