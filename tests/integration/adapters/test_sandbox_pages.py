"""The sandbox played by hand: its pages show what was asked, and their buttons do what they say."""

import re
import urllib.error
import urllib.request
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.couriering import booked
from tests.integration.adapters.peers import budget, http, wait_until
from workers.ports import Accepted, Movement, PickupOrder, Refused

Make = Callable[..., Movement]
MakePickup = Callable[..., PickupOrder]
BUTTON = re.compile(r'<form method="post" action="([^"]+)"><button>([^<]+)</button>')
NEVER = 24 * 3600 * 1000


def page(sandbox: Sandbox, path: str) -> str:
    with urllib.request.urlopen(f"{sandbox.url}{path}", timeout=10) as answer:
        assert "script-src" not in answer.headers["Content-Security-Policy"]
        return str(answer.read().decode())


def buttons(shown: str, about: str = "") -> dict[str, str]:
    """The buttons of a page, or of what it lists under this name: label to address."""
    parts = [part for part in shown.split("<li>") if about in part]
    return {label: unescape(action) for part in parts for action, label in BUTTON.findall(part)}


def press(sandbox: Sandbox, action: str, **fields: Any) -> None:
    """As a browser would, which is led back to a page that is there."""
    with urllib.request.urlopen(f"{sandbox.url}{action}", data=urlencode(fields).encode(), timeout=10) as answer:
        assert answer.status == 200


def test_a_pending_refund_ends_as_the_button_says_and_only_once(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, {"behaviour": "pending_then_fail", "settle_ms": NEVER})
    assert isinstance(sandbox.gateway.refund(asked, budget=budget()), Accepted)
    action = buttons(page(sandbox, "/"), asked.payment_reference)["Let it succeed"]
    press(sandbox, action)
    wait_until(
        lambda: [e["refund"]["status"] for e in sandbox.receiver.about(asked.payment_reference)][1:] == ["succeeded"]
    )
    with pytest.raises(urllib.error.HTTPError, match="409"):
        press(sandbox, action)
    assert "Let it succeed" not in buttons(page(sandbox, "/"), asked.payment_reference)


def test_a_refund_that_was_settled_by_hand_does_not_settle_again_by_its_script(
    sandbox: Sandbox, movement: Make
) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, {"behaviour": "pending_then_fail", "settle_ms": 400})
    sandbox.gateway.refund(asked, budget=budget())
    [refund] = sandbox.ledger(asked.payment_reference)["refunds"]
    settled = sandbox.post(f"refunds/{refund['gateway_refund_id']}/succeeded", {})
    later = movement(2)
    sandbox.script(asked.payment_reference, {"behaviour": "pending_then_succeed", "settle_ms": 600})
    sandbox.gateway.refund(later, budget=budget())
    wait_until(lambda: [r["status"] for r in sandbox.ledger(asked.payment_reference)["refunds"]] == ["succeeded"] * 2)
    assert settled["status"] == "succeeded"


def test_the_money_can_be_taken_back_on_the_payments_page(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.gateway.refund(asked, budget=budget())
    here = f"/payments/{asked.payment_reference}"
    assert asked.number in page(sandbox, here)
    press(sandbox, buttons(page(sandbox, here))["Take the money back"])
    assert [r["status"] for r in sandbox.ledger(asked.payment_reference)["refunds"]] == ["reversed"]


def test_the_next_behaviour_of_a_payment_is_set_and_shown(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    here = f"/payments/{asked.payment_reference}"
    assert '<option value="succeed" selected>' in page(sandbox, here)
    press(sandbox, f"{here}/behaviour", behaviour="decline")
    assert '<option value="decline" selected>' in page(sandbox, here)
    assert isinstance(sandbox.gateway.refund(asked, budget=budget()), Refused)
    assert '<option value="succeed" selected>' in page(sandbox, here)
    with pytest.raises(urllib.error.HTTPError, match="422"):
        press(sandbox, f"{here}/behaviour", behaviour="explode")


def test_a_dispute_is_opened_and_decided(sandbox: Sandbox, movement: Make) -> None:
    reference = movement().payment_reference
    press(sandbox, f"/payments/{reference}/dispute", amount_minor=500, currency="eur")
    action = buttons(page(sandbox, "/"), reference)["The shop has lost"]
    press(sandbox, action)
    with pytest.raises(urllib.error.HTTPError, match="409"):
        press(sandbox, action)
    [dispute] = sandbox.ledger(reference)["disputes"]
    assert (dispute["status"], dispute["amount_minor"], dispute["currency"]) == ("lost", 500, "EUR")
    for wrong in (
        {"amount_minor": "5.00", "currency": "EUR"},
        {"amount_minor": 5},
        {"amount_minor": 0, "currency": "EUR"},
    ):
        with pytest.raises(urllib.error.HTTPError, match="422"):
            press(sandbox, f"/payments/{reference}/dispute", **wrong)


def test_a_parcel_goes_its_way_by_buttons(sandbox: Sandbox, pickup: MakePickup) -> None:
    waybill = booked(sandbox, pickup()).waybill
    here = f"/parcels/{waybill}"
    for label, status in {
        "Collected": "collected",
        "In transit": "in_transit",
        "Received by the warehouse": "received",
    }.items():
        press(sandbox, buttons(page(sandbox, here))[label])
        [parcel] = sandbox.courier_ledger(waybill=waybill)["pickups"]
        assert parcel["status"] == status
    assert buttons(page(sandbox, here)) == {}
    assert "Mia Muster" in page(sandbox, here)


def test_a_visit_that_was_booked_anew_has_no_buttons_any_more(sandbox: Sandbox, pickup: MakePickup) -> None:
    first = booked(sandbox, pickup())
    sandbox.tell(first.waybill, "missed")
    assert "Collected" in buttons(page(sandbox, f"/parcels/{first.waybill}"))
    second = booked(sandbox, pickup(key_no=1))
    assert buttons(page(sandbox, f"/parcels/{first.waybill}")) == {}
    assert "Collected" in buttons(page(sandbox, f"/parcels/{second.waybill}"))


def test_what_nobody_has_heard_of_has_a_page_too(sandbox: Sandbox) -> None:
    odd = "<i>1/2</i>"
    assert "&lt;i&gt;1/2&lt;/i&gt;" in page(sandbox, f"/payments/{quote(odd, safe='')}")
    assert "never heard of" in page(sandbox, f"/parcels/{quote(odd, safe='')}")
    press(sandbox, buttons(page(sandbox, f"/parcels/{quote(odd, safe='')}"))["Delivered"])
    assert "<i>" not in page(sandbox, "/")
    assert "Payment pay-77" in page(sandbox, "/payments?reference=pay-77")
    assert "Parcel JD-77" in page(sandbox, "/parcels?waybill=JD-77")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        press(sandbox, "/by-hand/parcels/JD-77/exploded")


def test_the_door_settles_as_the_button_does(sandbox: Sandbox, movement: Make) -> None:
    asked = movement()
    sandbox.gateway.refund(asked, budget=budget())
    [refund] = sandbox.ledger(asked.payment_reference)["refunds"]
    for name, status in {refund["gateway_refund_id"]: "failed", "gr_unknown": "succeeded"}.items():
        with pytest.raises(urllib.error.HTTPError, match="409"):
            http("POST", f"{sandbox.url}/gateway/refunds/{name}/{status}")
