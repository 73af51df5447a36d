"""What an act did, as its answer and the refund show it."""

import pytest

from orders.models import OrderLine, PaymentShare
from orders.roles import Role
from refunds.models import Notification, Pickup, Refund
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.acting import a_slot, act, stamp

pytestmark = pytest.mark.django_db


def test_a_part_is_approved_and_the_rest_is_free_again(caller) -> None:
    refund = returns.in_review()
    answer = act(caller(Role.SUPPORT), refund, "approve", {"lines": [{"sku": "A", "quantity": 1}], "goods": "keep"})
    (line,) = answer.body["spec"]["lines"]
    assert (line["announced"], line["quantity"], answer.body["spec"]["amount_minor"]) == (3, 1, 1000)
    assert (answer.body["status"]["state"], answer.body["spec"]["goods"]) == ("refunding", "keep")
    assert answer.body["status"]["approved"]["by"].startswith("principal:")
    assert OrderLine.objects.get(order=refund.order).held == 1
    assert PaymentShare.objects.get(order=refund.order).reserved_minor == 1000


def test_goods_the_agent_wants_back_are_awaited_though_the_customer_would_keep_them(caller) -> None:
    refund = returns.in_review(goods=returns.KEEP)
    answer = act(caller(Role.SUPPORT), refund, "approve", {"goods": "return"})
    assert (answer.body["status"]["state"], answer.body["status"]["route"]) == ("awaiting_return", "pickup")


def test_a_rejection_tells_its_reason(caller) -> None:
    refund = returns.in_review()
    answer = act(caller(Role.SUPPORT), refund, "reject", {"reason": "Worn."})
    assert answer.body["status"]["rejection"] == "Worn."
    assert answer.body["allowed_actions"] == ["write", "evidence", "contest", "reopen"]
    assert OrderLine.objects.get(order=refund.order).held == 0
    assert Notification.objects.filter(refund=refund, template="rejected").exists()


def test_a_hold_is_shown_until_it_is_resumed(caller) -> None:
    refund, agent = returns.in_review(), caller(Role.SUPPORT)
    until = stamp(3)
    held = act(agent, refund, "hold", {"until": until}).body
    assert held["status"]["hold"]["until"] == until.replace("+00:00", "Z")
    assert "resume" in held["allowed_actions"]
    resumed = act(agent, refund, "resume").body
    assert resumed["status"]["hold"] is None and "resume" not in resumed["allowed_actions"]
    again = act(agent, refund, "resume")
    assert (again.status, again.code) == (409, "not_on_hold")


def test_what_the_customer_posted_is_the_pickup_shown(shop) -> None:
    refund, parcel = returns.awaiting(), {"carrier": "DHL", "tracking_number": "T-9"}
    first, again = act(shop, refund, "ship_back", parcel), act(shop, refund, "ship_back", parcel)
    assert first.body == again.body
    pickup = first.body["status"]["pickup"]
    assert pickup == {
        "number": f"{refund.number}-P1",
        "state": "in_transit",
        "carrier": "DHL",
        "waybill": "T-9",
        "slot": None,
        "missed": 0,
        "drop_off": False,
        "label_url": "",
    }
    assert first.body["status"]["pickups"] == [pickup]


def test_goods_sent_back_that_never_left_by_our_books_are_remembered_too(shop) -> None:
    [refund] = returns.request(returns.make_order(1000), goods=returns.ALREADY_SENT).refunds
    Refund.objects.filter(pk=refund.pk).update(state="awaiting_return")
    parcel = {"carrier": "DHL", "tracking_number": "T-1"}
    first, again = act(shop, refund, "ship_back", parcel), act(shop, refund, "ship_back", parcel)
    assert (first.status, first.body) == (again.status, again.body)
    other = act(shop, refund, "ship_back", parcel | {"tracking_number": "T-2"})
    assert [pickup["waybill"] for pickup in other.body["status"]["pickups"]] == ["T-2"]


def test_the_latest_pickup_that_is_wanted_is_shown(shop) -> None:
    refund = returns.awaiting()
    for days in (1, 2):
        slot = {"starts_at": stamp(days), "ends_at": stamp(days + 0.1)}
        shown = act(shop, refund, "rebook_pickup", {"slot": slot}).body["status"]
    assert [pickup["state"] for pickup in shown["pickups"]] == ["cancelled", "intended"]
    assert shown["pickup"] == shown["pickups"][1]
    assert shown["pickup"]["slot"]["starts_at"] == slot["starts_at"].replace("+00:00", "Z")


def test_the_pickup_that_has_the_goods_is_shown_although_another_visit_was_asked_for(shop) -> None:
    refund = returns.awaiting()
    for days in (1, 2):
        slot = {"starts_at": stamp(days), "ends_at": stamp(days + 0.1)}
        act(shop, refund, "rebook_pickup", {"slot": slot})
    first = Pickup.objects.filter(refund=refund).earliest("id")
    Pickup.objects.filter(pk=first.pk).update(state="collected", collected_at=returns.in_days(0))
    shown = shop.get(f"/refunds/{refund.number}").body["status"]
    assert (shown["pickup"]["number"], shown["pickup"]["state"]) == (first.number, "collected")


def test_an_inspection_pays_what_was_accepted(caller) -> None:
    refund = returns.inspecting()
    found = {"id": "A", "accepted": 1, "wrong_item": 1, "missing": 1}
    answer = act(caller(Role.WAREHOUSE), refund, "inspect", {"lines": [found]})
    (line,) = answer.body["spec"]["lines"]
    assert {name: line[name] for name in ("announced", "quantity", "accepted", "damaged", "wrong_item", "missing")} == {
        "announced": 3,
        "quantity": 1,
        "accepted": 1,
        "damaged": 0,
        "wrong_item": 1,
        "missing": 1,
    }
    assert answer.body["spec"]["amount_minor"] == 1000


def test_a_cancel_with_a_courier_on_his_way_is_a_wish(shop) -> None:
    refund = returns.awaiting()
    act(shop, refund, "rebook_pickup", {"slot": a_slot()})
    Pickup.objects.filter(refund=refund).update(state="booked", waybill="W1")
    answer = act(shop, refund, "cancel", Idempotency_Key="c")
    assert (answer.status, answer.body["status"]["cancel_requested"]) == (202, True)
    assert answer.body["status"]["state"] == "awaiting_return"
    assert act(shop, refund, "cancel", Idempotency_Key="c").status == 202
    again = act(shop, refund, "cancel")
    assert (again.status, again.body) == (202, answer.body)
