"""What each way a courier can fail means: tried on raw sockets that misbehave byte by byte."""

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.adapters.peers import SECRET, answering, budget, free_port, raw_server, read_request
from workers.adapters.http_courier import HttpCourier
from workers.ports import (
    Booked,
    Budget,
    Cancelled,
    Intercepting,
    InterceptOrder,
    NotSent,
    ParcelsFound,
    ParcelStatus,
    PickupOrder,
    Refused,
    Unknown,
)

Action = Callable[[socket.socket], None]
Call = Callable[[HttpCourier, Budget], Any]
SLOT = {"starts_at": "2026-12-02T09:00:00Z", "ends_at": "2026-12-02T13:00:00Z"}
GOOD: dict[str, Any] = {
    "number": "RFX-1-P1",
    "waybill": "WB1",
    "status": "booked",
    "slot": SLOT,
    "reason": "",
    "occurred_at": "2026-12-01T10:00:00Z",
}
OUTWARD = {**GOOD, "number": "", "waybill": "T1", "status": "in_transit", "slot": None}
ORDER = PickupOrder("RFX-1-P1", "RFX-1-P1", "RFX-1", {"city": "Köln"}, {"city": "Bonn"}, {"phone": "1"})
INTERCEPT = InterceptOrder("S1-I", "S1-I", "RFX-1", "T1", "DHL")


def book(courier: HttpCourier, within: Budget) -> Any:
    return courier.book(ORDER, budget=within)


def cancel(courier: HttpCourier, within: Budget) -> Any:
    return courier.cancel("RFX-1-P1", waybill="WB1", key="c1", budget=within)


def intercept(courier: HttpCourier, within: Budget) -> Any:
    return courier.intercept(INTERCEPT, budget=within)


def look_up(courier: HttpCourier, within: Budget) -> Any:
    return courier.look_up("RFX-1-P1", budget=within)


def track(courier: HttpCourier, within: Budget) -> Any:
    return courier.track("WB1", budget=within)


def slots(courier: HttpCourier, within: Budget) -> Any:
    return courier.slots({"postal_code": "50667", "country": "DE"}, budget=within)


DOING = pytest.mark.parametrize("call", [book, cancel, intercept])
ASKING = pytest.mark.parametrize("call", [look_up, track, slots])
EVERY = pytest.mark.parametrize("call", [book, cancel, intercept, look_up, track, slots])


def ask(call: Call, *actions: Action, seconds: float = 5.0) -> Any:
    with raw_server(*actions) as address:
        return call(HttpCourier(f"http://{address}/v1", secret=SECRET), budget(seconds))


def ok(body: Any) -> Action:
    return answering("200 OK", body if isinstance(body, bytes) else json.dumps(body).encode())


def silent(connection: socket.socket) -> None:
    read_request(connection)
    connection.recv(1)


def hang_up(connection: socket.socket) -> None:
    read_request(connection)


@EVERY
@pytest.mark.parametrize("action", [silent, hang_up, answering("200 OK", b'{"half', length=500)])
def test_no_whole_answer_is_unknown_and_ends_within_the_budget(call: Call, action: Action) -> None:
    start = time.monotonic()
    reply = ask(call, action, seconds=1.0)
    assert isinstance(reply, Unknown) and not reply.answered, reply
    assert time.monotonic() - start < 5


@EVERY
def test_nobody_there_is_not_sent(call: Call) -> None:
    courier = HttpCourier(f"http://127.0.0.1:{free_port()}/v1", secret=SECRET)
    assert isinstance(call(courier, budget()), NotSent)
    assert isinstance(call(courier, budget(0)), NotSent)


@EVERY
@pytest.mark.parametrize("status", ["500 Oops", "502 Bad Gateway", "503 Unavailable"])
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"code": "none_available"}', b'{"code": "unknown_parcel"}'])
def test_server_error_is_an_answered_unknown(call: Call, status: str, body: bytes) -> None:
    reply = ask(call, answering(status, body))
    assert isinstance(reply, Unknown) and reply.answered


@DOING
@pytest.mark.parametrize("code", ["none_available", "bad_address", "already_collected", "too_late"])
def test_conflict_with_a_code_of_the_protocol_is_definite(call: Call, code: str) -> None:
    reply = ask(call, answering("409 No", json.dumps({"code": code, "message": "no"}).encode()))
    assert reply == Refused(code, "no")


@DOING
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"code": "idempotency_conflict"}', b'{"code": ["too_late"]}'])
def test_any_other_conflict_is_unknown(call: Call, body: bytes) -> None:
    reply = ask(call, answering("409 Conflict", body))
    assert isinstance(reply, Unknown) and not reply.answered


@EVERY
@pytest.mark.parametrize("status", ["408 Timeout", "425 Early", "301 Moved", "302 Found", "304 Same"])
def test_answers_that_leave_it_open_are_unknown(call: Call, status: str) -> None:
    reply = ask(call, answering(status, b'{"code": "none_available"}'))
    assert isinstance(reply, Unknown) and not reply.answered


@DOING
@pytest.mark.parametrize("status", ["400", "404", "422"])
def test_other_4xx_are_definite_whatever_their_body(call: Call, status: str) -> None:
    for body in (b"", b"<html>", b"[]", b'{"code": 7}', b'{"code": "bad_address"}'):
        reply = ask(call, answering(f"{status} No", body))
        assert isinstance(reply, Refused) and not reply.retryable and reply.code, (body, reply)


@DOING
@pytest.mark.parametrize("status", ["401", "403", "429"])
def test_our_own_faults_may_be_mended(call: Call, status: str) -> None:
    reply = ask(call, answering(f"{status} No", b"{}"))
    assert isinstance(reply, Refused) and reply.retryable


@DOING
def test_lost_answer_is_never_sent_for_again(call: Call) -> None:
    requests: list[bytes] = []
    ask(call, lambda connection: requests.append(read_request(connection)))
    assert len(requests) == 1


def test_whole_answers_are_taken() -> None:
    booked = ask(book, answering("201 Created", json.dumps(GOOD).encode()))
    assert isinstance(booked, Booked) and booked.fact.slot is not None
    gone = ask(cancel, ok({**GOOD, "status": "cancelled"}))
    assert isinstance(gone, Cancelled) and gone.fact.status is ParcelStatus.CANCELLED
    assert isinstance(ask(intercept, ok({"number": "S1-I", "parcel": OUTWARD})), Intercepting)


LIES: list[Any] = [
    b"",
    b"ok",
    b"[]",
    b"null",
    b"{}",
    b"\xff\xfe",
    b"[" * 100_000,
    {**GOOD, "number": "RFX-1-P2"},
    {**GOOD, "number": None},
    {**GOOD, "waybill": ""},
    {**GOOD, "waybill": 5},
    {**GOOD, "waybill": "W" * 201},
    {**GOOD, "waybill": "WB\n1"},
    {**GOOD, "status": "fetched"},
    {**GOOD, "status": None},
    {**GOOD, "occurred_at": None},
    {**GOOD, "occurred_at": "yesterday"},
    {**GOOD, "occurred_at": "2026-12-01T10:00:00"},
    {**GOOD, "slot": "morning"},
    {**GOOD, "slot": {"starts_at": SLOT["starts_at"]}},
    {**GOOD, "slot": {"starts_at": SLOT["ends_at"], "ends_at": SLOT["starts_at"]}},
    {**GOOD, "reason": 7},
]


@pytest.mark.parametrize("body", LIES, ids=range(len(LIES)))
def test_answer_that_makes_no_sense_is_never_a_success(body: Any) -> None:
    reply = ask(book, ok(body))
    assert isinstance(reply, Unknown) and not reply.answered, reply


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (cancel, GOOD),
        (cancel, {**GOOD, "status": "cancelled", "waybill": "WB2"}),
        (cancel, {"status": "cancelled"}),
        (intercept, {"number": "S2-I", "parcel": OUTWARD}),
        (intercept, {"number": "S1-I", "parcel": {**OUTWARD, "waybill": "T2"}}),
        (intercept, {"number": "S1-I", "parcel": {**OUTWARD, "status": "gone"}}),
        (intercept, {"number": "S1-I", "parcel": {**OUTWARD, "occurred_at": None}}),
        (intercept, {"parcel": OUTWARD}),
        (intercept, {"number": "S1-I"}),
        (intercept, OUTWARD),
    ],
)
def test_answer_about_something_else_is_unknown(call: Call, body: Any) -> None:
    reply = ask(call, ok(body))
    assert isinstance(reply, Unknown) and not reply.answered


@ASKING
@pytest.mark.parametrize(
    "action",
    [
        ok(b"x"),
        ok({}),
        ok({"pickups": None, "history": None, "slots": None}),
        ok({"pickups": [{}], "history": [{}], "parcel": {}, "slots": [{}]}),
        answering("404 No", b"{}"),
        answering("404 No", b'{"code": "not_found"}'),
        answering("403 No", b"<html>"),
        answering("409 No", b'{"code": "too_late"}'),
        answering("429 No", b"{}"),
    ],
)
def test_question_without_a_sensible_answer_is_not_absence(call: Call, action: Action) -> None:
    assert isinstance(ask(call, action), Unknown)


def test_look_up_that_answers_another_number_is_unknown() -> None:
    assert isinstance(ask(look_up, ok({"pickups": [GOOD, {**GOOD, "number": "RFX-9-P1"}]})), Unknown)


def test_only_the_protocols_own_code_says_that_a_parcel_is_not_known() -> None:
    assert ask(track, answering("404 No", b'{"code": "unknown_parcel"}')) == ParcelsFound()


@pytest.mark.parametrize(
    "body",
    [
        {"parcel": GOOD},
        {"history": [GOOD]},
        {"parcel": None, "history": []},
        {"parcel": GOOD, "history": [{**GOOD, "waybill": "WB2"}]},
        {"parcel": {**GOOD, "waybill": "WB2"}, "history": [GOOD]},
    ],
)
def test_tracking_without_details_or_of_another_parcel_is_unknown(body: Any) -> None:
    assert isinstance(ask(track, ok(body)), Unknown)


def test_tracking_orders_by_the_carriers_time_and_tells_each_fact_once() -> None:
    late = {**GOOD, "status": "received", "occurred_at": "2026-12-01T12:00:00+01:00"}
    found = ask(track, ok({"parcel": late, "history": [late, GOOD]}))
    assert isinstance(found, ParcelsFound)
    assert [fact.status for fact in found.facts] == ["booked", "received"]
    alone = ask(track, ok({"parcel": GOOD, "history": []}))
    assert isinstance(alone, ParcelsFound) and len(alone.facts) == 1


def test_slots_come_soonest_first_and_may_be_none() -> None:
    later = {"starts_at": "2026-12-02T14:00:00Z", "ends_at": "2026-12-02T18:00:00Z"}
    found = ask(slots, ok({"slots": [later, SLOT]}))
    assert [slot.starts_at.hour for slot in found] == [9, 14]
    assert ask(slots, ok({"slots": []})) == ()
