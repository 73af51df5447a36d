"""A parcel that came without a case: it finds its refund, or becomes a case itself, and never both or twice."""

import pytest

from orders.roles import Role
from refunds.models import Incident, Refund, RefundEvent
from refunds.services.acts import Parcel, ship_back
from tests.fingerprint import fingerprint
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def warehouse() -> Caller:
    return Caller(rows.default_channel(), role=Role.WAREHOUSE)


def posted(tracking_number: str = "HOME-1") -> Refund:
    return ship_back(returns.on(returns.awaiting()), Parcel("dhl", tracking_number), actor=returns.CUSTOMER_SERVICE)


def state(refund: Refund) -> str:
    return Refund.objects.get(pk=refund.pk).state


def test_by_the_number_the_customer_posted_it_with(warehouse) -> None:
    refund = posted()
    answer = warehouse.post("/returns", {"tracking_number": "HOME-1"})
    assert (answer.status, answer.body["incident"]) == (200, None)
    [shown] = answer.body["refunds"]
    assert (shown["metadata"]["number"], state(refund)) == (refund.number, "inspecting")
    before = fingerprint()
    again = warehouse.post("/returns", {"tracking_number": "HOME-1"})
    assert (again.status, fingerprint()) == (200, before)


def test_the_goods_of_several_refunds_in_one_parcel(warehouse) -> None:
    both = [posted("SAME"), posted("SAME")]
    answer = warehouse.post("/returns", {"tracking_number": "SAME"})
    assert len(answer.body["refunds"]) == 2 and {state(r) for r in both} == {"inspecting"}


@pytest.mark.parametrize("by", ["order", "reference", "phone", "tracking_number"])
def test_by_whatever_is_known_of_the_order(warehouse, by) -> None:
    refund = returns.awaiting()
    order = refund.order
    order.customer_phone, order.customer_reference = "+49 (151) 234-567", "C-77"
    order.save()
    known = {
        "order": order.number,
        "reference": "C-77",
        "phone": "+49151234567",
        "tracking_number": order.shipments.get().tracking_number,
    }
    answer = warehouse.post("/returns", {by: known[by]})
    assert (answer.status, state(refund)) == (200, "inspecting"), answer


def test_of_two_that_it_may_belong_to_none_is_guessed(warehouse) -> None:
    refunds = [returns.awaiting(), returns.awaiting()]
    for refund in refunds:
        refund.order.customer_phone = "0151 1234"
        refund.order.save()
    incident = warehouse.post("/returns", {"phone": "01511234", "tracking_number": "X1"}).body["incident"]
    assert incident["data"]["refunds"] == [refund.number for refund in refunds]
    assert {state(refund) for refund in refunds} == {"awaiting_return"}


def test_what_leads_to_nobody_is_one_case(warehouse) -> None:
    said = {"tracking_number": "X9", "order": "nobody's", "phone": "0151 999888", "note": "Two red shoes."}
    first, again = (warehouse.post("/returns", said).body for _ in range(2))
    incident = first["incident"]
    assert (first["refunds"], incident["kind"], incident["order"]) == ([], "unknown_parcel", None)
    assert incident["data"] == said | {"phone": "...9888"}
    assert again["incident"]["id"] == incident["id"] and Incident.objects.count() == 1
    support = Caller(rows.default_channel(), role=Role.SUPPORT)
    assert support.post(f"/incidents/{incident['id']}/close", {"note": "Found him."}).status == 200


def test_an_order_without_a_refund_is_named_in_the_case(warehouse, order) -> None:
    incident = warehouse.post("/returns", {"order": order.number}).body["incident"]
    assert (incident["order"], incident["refund"]) == (order.number, None)


def test_a_further_box_is_in_the_trail_once(warehouse) -> None:
    refund = posted()
    warehouse.post("/returns", {"tracking_number": "HOME-1"})
    for _ in range(2):
        answer = warehouse.post("/returns", {"tracking_number": "BOX-2", "reference": refund.number})
        assert [r["metadata"]["number"] for r in answer.body["refunds"]] == [refund.number]
    [event] = RefundEvent.objects.filter(kind="refund.box_received")
    assert (event.refund_id, event.data) == (refund.pk, {"tracking_number": "BOX-2"})


def test_another_channel_s_parcels_are_unknown(warehouse) -> None:
    refund = posted()
    foreign = Caller(rows.a_channel(), role=Role.WAREHOUSE)
    assert foreign.post("/returns", {"tracking_number": "HOME-1"}).body["incident"]["order"] is None
    assert state(refund) == "awaiting_return"


@pytest.mark.parametrize("said", [{}, {"note": "A box."}])
def test_something_can_be_read_on_it(warehouse, said) -> None:
    assert warehouse.post("/returns", said).status == 422


def test_the_warehouse_takes_parcels(caller) -> None:
    assert caller(Role.SUPPORT).post("/returns", {"order": "1"}).status == 403


def test_so_many_boxes_are_fetched_as_were_announced(shop, order) -> None:
    asked = {"lines": "all", "boxes": 3}
    refund = shop.post(f"/orders/{order.number}/refunds", asked).body["refunds"][0]
    assert (refund["spec"]["boxes"], Refund.objects.get(order=order).boxes) == (3, 3)
    for odd in (0, 51, True, "2"):
        assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all", "boxes": odd}).status == 422


def test_each_box_that_was_posted_is_received_by_its_own_number(warehouse, shop) -> None:
    refund = posted("BOX-1")
    further = {"carrier": "dhl", "tracking_number": "BOX-2", "further": True}
    for _ in range(2):
        assert shop.post(f"/refunds/{refund.number}/ship_back", further).status == 200
    for code, states in (("BOX-1", ["received", "in_transit"]), ("BOX-2", ["received", "received"])):
        for _ in range(2):
            assert warehouse.post("/returns", {"tracking_number": code}).status == 200
        assert list(refund.pickups.order_by("id").exclude(account="sandbox").values_list("state", flat=True)) == states
    assert (state(refund), RefundEvent.objects.filter(kind="refund.box_received").count()) == ("inspecting", 1)


def test_no_further_box_is_announced_for_what_has_ended(shop) -> None:
    refund = posted("BOX-1")
    Refund.objects.filter(pk=refund.pk).update(state="expired")
    further = {"carrier": "dhl", "tracking_number": "BOX-2", "further": True}
    assert shop.post(f"/refunds/{refund.number}/ship_back", further).code == "wrong_state"


def test_a_person_says_whose_a_parcel_is(warehouse) -> None:
    refund = returns.awaiting()
    incident = warehouse.post("/returns", {"tracking_number": "X9"}).body["incident"]
    assert incident["allowed_actions"] == ["match"]
    match = f"/incidents/{incident['id']}/match"
    assert warehouse.post(match, {"refund": "RF-0"}).body["errors"][0]["field"] == "refund"
    done = warehouse.post(match, {"refund": refund.number, "note": "By the label."})
    assert (done.status, done.body["refund"], done.body["note"]) == (200, refund.number, "By the label.")
    assert (done.body["allowed_actions"], state(refund)) == ([], "inspecting")
    assert warehouse.post(match, {"refund": refund.number}).code == "incident_closed"


def test_what_is_no_parcel_is_matched_to_nothing(warehouse) -> None:
    refund = returns.awaiting()
    now = refund.created_at
    other = Incident.objects.create(kind="return_failed", order=refund.order, refund=refund, opened_at=now, due_at=now)
    assert warehouse.post(f"/incidents/{other.pk}/match", {"refund": refund.number}).status == 403


def test_the_way_back_is_said_with_the_request_or_later(shop, order) -> None:
    asked = {"lines": "all", "way_back": "drop_off"}
    refund = shop.post(f"/orders/{order.number}/refunds", asked).body["refunds"][0]
    assert refund["spec"]["way_back"] == "drop_off"
    assert shop.post(f"/orders/{order.number}/refunds", {"lines": "all", "way_back": "pigeon"}).status == 422
    later = returns.awaiting()
    answer = shop.post(f"/refunds/{later.number}/drop_off")
    assert (answer.status, answer.body["spec"]["way_back"]) == (200, "drop_off")
    assert (answer.body["status"]["pickup"]["drop_off"], answer.body["status"]["pickup"]["label_url"]) == (True, "")
    assert shop.post(f"/refunds/{later.number}/drop_off").code == "label_given"
