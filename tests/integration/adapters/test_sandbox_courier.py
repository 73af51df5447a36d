"""The sandbox's courier books and calls off as it is told, seen through the adapter as the engine sees it."""

import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.couriering import book, booked, cancel, found, track
from tests.integration.adapters.peers import SECRET, Receiver, budget, http, peer_process, wait_until
from workers.adapters.http_courier import HttpCourier
from workers.ports import Cancelled, InterceptOrder, ParcelsFound, PickupOrder, Refused, Slot, Unknown

Make = Callable[..., PickupOrder]
MakeIntercept = Callable[..., InterceptOrder]


def test_courier_offers_two_slots_on_each_of_the_next_three_working_days(sandbox: Sandbox) -> None:
    slots = sandbox.courier.slots({"postal_code": "50667", "country": "DE"}, budget=budget())
    assert isinstance(slots, tuple) and len(slots) == 6
    assert len({slot.starts_at.date() for slot in slots}) == 3
    assert all(slot.starts_at.weekday() < 5 and slot.starts_at > datetime.now(UTC) for slot in slots)
    assert list(slots) == sorted(slots, key=lambda slot: slot.starts_at)


def test_unscripted_booking_succeeds_in_the_first_slot_and_is_told(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    first = sandbox.courier.slots({}, budget=budget())[0]  # type: ignore[index]
    assert (fact.number, fact.status, fact.slot) == (pickup().number, "booked", first)
    assert found(sandbox, fact.number) == track(sandbox, fact.waybill) == ["booked"]
    wait_until(lambda: sandbox.told(fact.waybill) == ["booked"])


def test_booking_keeps_to_the_slot_asked_for(sandbox: Sandbox, pickup: Make) -> None:
    wanted = Slot(datetime(2027, 1, 4, 8, tzinfo=UTC), datetime(2027, 1, 4, 10, tzinfo=UTC))
    assert booked(sandbox, pickup(slot=wanted)).slot == wanted


def test_what_is_handed_in_has_a_label_and_nobody_comes(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup(drop_off=True))
    assert (fact.slot, fact.label_url) == (None, f"{sandbox.url}/labels/{fact.waybill}")
    with urllib.request.urlopen(fact.label_url, timeout=5) as page:
        assert fact.waybill in page.read().decode()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{sandbox.url}/labels/{booked(sandbox, pickup(2)).waybill}", timeout=5)


def test_ledger_tells_what_was_asked(sandbox: Sandbox, pickup: Make) -> None:
    order = pickup(parcels=2)
    fact = booked(sandbox, order)
    found(sandbox, order.number)
    track(sandbox, fact.waybill)
    cancel(sandbox, fact, key="c1-" + order.number)
    ledger = sandbox.courier_ledger(refund=order.refund)
    (kept,) = ledger["pickups"]
    assert (kept["number"], kept["waybill"], kept["status"]) == (order.number, fact.waybill, "cancelled")
    assert (kept["parcels"], kept["address"]["city"], kept["contact"]["phone"]) == (2, "Köln", "+4930123456")
    assert [(call["method"], call["idempotency_key"]) for call in ledger["calls"]] == [
        ("POST", order.number),
        ("GET", ""),
        ("GET", ""),
        ("POST", "c1-" + order.number),
    ]
    assert sandbox.courier_ledger(number=order.number)["pickups"] == [kept]
    assert sandbox.courier_ledger(waybill=fact.waybill)["pickups"] == [kept]


@pytest.mark.parametrize("code", ["none_available", "bad_address"])
def test_refused_booking_is_definite_and_repeats(sandbox: Sandbox, pickup: Make, code: str) -> None:
    sandbox.courier_script(pickup().refund, book=[code])
    for key_no in (0, 0, 1):
        assert book(sandbox, pickup(key_no=key_no)) == Refused(code, f"the courier refuses: {code}")
    assert found(sandbox, pickup().number) == []
    assert booked(sandbox, pickup(2)).status == "booked"


def test_list_answers_successive_calls_of_one_number(sandbox: Sandbox, pickup: Make) -> None:
    sandbox.courier_script(pickup().refund, book=[["none_available", "error_500", "succeed"]])
    assert isinstance(book(sandbox, pickup()), Refused)
    assert book(sandbox, pickup(key_no=1)) == Unknown("HTTP 500", answered=True)
    assert booked(sandbox, pickup(key_no=1)).status == "booked"


def test_refused_key_stays_refused(sandbox: Sandbox, pickup: Make) -> None:
    sandbox.courier_script(pickup().refund, book=[["none_available", "succeed"]])
    assert isinstance(book(sandbox, pickup()), Refused)
    assert isinstance(book(sandbox, pickup()), Refused)
    assert booked(sandbox, pickup(key_no=1)).status == "booked"


@pytest.mark.parametrize(("behaviour", "after"), [("timeout_before", []), ("timeout_after_success", ["booked"])])
def test_time_out_leaves_a_booking_open_once(sandbox: Sandbox, pickup: Make, behaviour: str, after: list[str]) -> None:
    sandbox.courier_script(pickup().refund, book=[behaviour])
    reply = book(sandbox, pickup(), seconds=0.8)
    assert isinstance(reply, Unknown) and not reply.answered
    assert found(sandbox, pickup().number) == after
    assert booked(sandbox, pickup()).status == "booked"
    assert found(sandbox, pickup().number) == ["booked"], "the same key books once"


@pytest.mark.parametrize(("behaviour", "after"), [("error_500", []), ("error_500_after_success", ["booked"])])
def test_server_error_leaves_a_booking_open_once(
    sandbox: Sandbox, pickup: Make, behaviour: str, after: list[str]
) -> None:
    sandbox.courier_script(pickup().refund, book=[behaviour])
    assert book(sandbox, pickup()) == Unknown("HTTP 500", answered=True)
    assert found(sandbox, pickup().number) == after
    assert booked(sandbox, pickup()).status == "booked"
    assert found(sandbox, pickup().number) == ["booked"]


def test_second_key_under_one_number_books_a_second_courier(sandbox: Sandbox, pickup: Make) -> None:
    waybills = {booked(sandbox, pickup(key_no=key_no)).waybill for key_no in (0, 1)}
    reply = sandbox.courier.look_up(pickup().number, budget=budget())
    assert isinstance(reply, ParcelsFound) and {fact.waybill for fact in reply.facts} == waybills and len(waybills) == 2


def test_key_with_another_body_is_left_open(sandbox: Sandbox, pickup: Make) -> None:
    booked(sandbox, pickup())
    assert book(sandbox, pickup(parcels=3)) == Unknown("HTTP 409")
    assert found(sandbox, pickup().number) == ["booked"]


def test_booking_without_an_address_is_refused(sandbox: Sandbox, pickup: Make) -> None:
    reply = book(sandbox, pickup(address={}))
    assert isinstance(reply, Refused) and reply.code == "bad_address"


def test_booked_courier_is_called_off_once(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    for key in ("a", "a", "b"):
        reply = cancel(sandbox, fact, key=f"{key}-{fact.number}")
        assert isinstance(reply, Cancelled) and reply.fact.status == "cancelled"
    assert track(sandbox, fact.waybill) == ["booked", "cancelled"]
    assert booked(sandbox, pickup()).status == "cancelled", "the same key answers the same pickup as it stands now"


def test_collected_parcel_cannot_be_called_off(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    sandbox.tell(fact.waybill, "collected")
    reply = cancel(sandbox, fact, key=f"c-{fact.number}")
    assert isinstance(reply, Refused) and reply.code == "already_collected"
    assert track(sandbox, fact.waybill) == ["booked", "collected"]


def test_missed_pickup_can_be_called_off(sandbox: Sandbox, pickup: Make) -> None:
    fact = booked(sandbox, pickup())
    sandbox.tell(fact.waybill, "missed")
    assert isinstance(cancel(sandbox, fact, key=f"c-{fact.number}"), Cancelled)


@pytest.mark.parametrize(
    ("behaviour", "after"),
    [("timeout_before", "booked"), ("timeout_after_success", "cancelled"), ("error_500_after_success", "cancelled")],
)
def test_lost_cancel_is_found_by_asking(sandbox: Sandbox, pickup: Make, behaviour: str, after: str) -> None:
    sandbox.courier_script(pickup().refund, cancel=[behaviour])
    fact = booked(sandbox, pickup())
    assert isinstance(cancel(sandbox, fact, key=f"c-{fact.number}", seconds=0.8), Unknown)
    assert found(sandbox, fact.number) == [after]
    assert isinstance(cancel(sandbox, fact, key=f"c-{fact.number}"), Cancelled)


def test_cancel_can_be_scripted_to_be_too_late(sandbox: Sandbox, pickup: Make) -> None:
    sandbox.courier_script(pickup().refund, cancel=["already_collected"])
    fact = booked(sandbox, pickup())
    reply = cancel(sandbox, fact, key=f"c-{fact.number}")
    assert isinstance(reply, Refused) and reply.code == "already_collected"


def test_cancel_of_a_waybill_nobody_booked_is_refused(sandbox: Sandbox, pickup: Make) -> None:
    reply = sandbox.courier.cancel(pickup().number, waybill="WB/0 ?", key="x", budget=budget())
    assert isinstance(reply, Refused) and reply.code == "unknown_parcel"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"book": ["decline"]}, "book[0].behaviour"),
        ({"cancel": ["none_available"]}, "cancel[0].behaviour"),
        ({"intercept": [[{"behaviour": "succeed", "settle_ms": 5}]]}, "intercept[0][0] has the unknown option"),
        ({"book": "succeed"}, "book is no list"),
        ({"refunds": []}, "unknown field refunds"),
    ],
)
def test_bad_script_is_told_where(sandbox: Sandbox, body: Any, names: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        http("PUT", f"{sandbox.url}/courier/scripts/bad", body)
    assert refused.value.code == 422 and names in refused.value.read().decode()


def test_wrong_signature_is_refused_and_noted(sandbox: Sandbox, pickup: Make) -> None:
    stranger = HttpCourier(f"{sandbox.url}/courier/v1", secret="whsec_c29tZWJvZHkgZWxzZQ==")
    reply = stranger.book(pickup(), budget=budget())
    assert isinstance(reply, Refused) and (reply.code, reply.retryable) == ("bad_signature", True)
    assert isinstance(stranger.look_up(pickup().number, budget=budget()), Unknown)
    assert isinstance(stranger.track("x", budget=budget()), Unknown)
    ledger = sandbox.courier_ledger(refund=pickup().refund)
    assert (ledger["pickups"], len(ledger["calls"])) == ([], 2)


def test_books_survive_a_kill_and_late_webhooks_follow(
    pickup: Make, intercept: MakeIntercept, parcels: Receiver, tmp_path: Any
) -> None:
    flags = ("--home", str(tmp_path), "--secret", SECRET, "--courier-webhook-url", parcels.url)
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        first = Sandbox(url, parcels, parcels)
        first.courier_script(pickup().refund, book=["succeed", "none_available"])
        fact = booked(first, pickup())
        first.tell(fact.waybill, "collected", webhook_delay_ms=1500)
        first.courier.intercept(intercept(), budget=budget())
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        again = Sandbox(url, parcels, parcels)
        assert booked(again, pickup()).waybill == fact.waybill
        assert found(again, fact.number) == ["collected"]
        assert isinstance(book(again, pickup(2)), Refused), "the script counts on"
        assert track(again, intercept().tracking_number) == ["in_transit"]
        wait_until(lambda: "collected" in again.told(fact.waybill))
