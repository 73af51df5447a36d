"""Windows, exclusions and reasons, as customers, shops and agents meet them."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from orders.models import Channel, Shipment
from orders.roles import Role
from tests.integration.asking.conftest import Bought, Shop, line, units
from tests.policies import put_in_force

FRESH = {"rule": "fresh food", "labels": {"fresh": "true"}}
CUSTOM = {"rule": "made for you", "labels": {"custom": "true"}, "unshipped": True}


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop(Channel.objects.get(is_default=True))


def delivered(bought: Bought, days_ago: float) -> None:
    bought.ship()
    moved = timedelta(days=days_ago)
    for shipment in Shipment.objects.filter(order__number=bought.number):
        shipment.shipped_at -= moved
        shipment.delivered_at = shipment.delivered_at - moved if shipment.delivered_at else None
        shipment.save()


def test_within_the_window_it_is_taken_back_and_says_until_when(shop: Shop) -> None:
    put_in_force(window_days=7)
    bought = shop.order(line("SHIRT", 2000))
    delivered(bought, 3)
    assert bought.get()["lines"][0]["refundable"]["until"] is not None
    assert bought.ask(units(SHIRT=1)).status == 202


def test_after_the_window_it_is_refused_with_the_line_and_the_day(shop: Shop) -> None:
    put_in_force(window_days=7)
    bought = shop.order(line("SHIRT", 2000), line("MUG", 500))
    delivered(bought, 9)
    answer = bought.ask(units(MUG=1))
    assert (answer.status, answer.body["code"]) == (409, "window_over")
    assert [(e["field"], e["code"]) for e in answer.body["errors"]] == [("lines[0]", "window_over")]
    assert answer.body["until"].endswith("Z")


@pytest.mark.parametrize(("fault_days", "status"), [(None, 409), (30, 202)])
def test_a_fault_has_its_own_window(shop: Shop, fault_days: int | None, status: int) -> None:
    put_in_force(window_days=7, fault_window_days=fault_days)
    bought = shop.order(line("SHIRT", 2000))
    delivered(bought, 9)
    assert bought.ask(units(SHIRT=1) | {"reason": "damaged"}).status == status


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.SUPERVISOR])
def test_an_agent_may_be_more_generous(shop: Shop, role: Role) -> None:
    put_in_force(window_days=7, exclusions=[FRESH])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}))
    delivered(bought, 9)
    assert bought.ask(units(FISH=1), role=role).status == 202


def test_from_the_last_parcel_nothing_runs_while_one_is_still_to_come(shop: Shop) -> None:
    put_in_force(window_days=7, window_from="last_parcel")
    bought = shop.order(line("A", 2000, quantity=2))
    bought._call("POST", "/shipments", {"lines": [{"sku": "A", "quantity": 1}]})
    [parcel] = Shipment.objects.filter(order__number=bought.number)
    bought._call("POST", f"/shipments/{parcel.pk}/delivered", {})
    Shipment.objects.filter(pk=parcel.pk).update(delivered_at=parcel.shipped_at - timedelta(days=30))
    assert bought.preview(units(A=2)).status == 200
    put_in_force(window_from="each_parcel")
    answer = bought.preview(units(A=2))
    assert (answer.status, answer.body["code"]) == (409, "window_over")


def test_excluded_goods_are_refused_by_the_name_of_the_rule_and_faulty_ones_are_not(shop: Shop) -> None:
    put_in_force(exclusions=[FRESH])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}))
    bought.ship()
    answer = bought.ask(units(FISH=1))
    assert (answer.status, answer.body["code"], answer.body["rule"]) == (409, "excluded", "fresh food")
    assert bought.get()["lines"][0]["refundable"]["excluded_by"] == "fresh food"
    assert bought.ask(units(FISH=1) | {"reason": "defective"}).status == 202


def test_what_has_not_left_can_be_cancelled_unless_it_is_made_for_him(shop: Shop) -> None:
    put_in_force(exclusions=[FRESH, CUSTOM])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}), line("RING", 900, labels={"custom": "true"}))
    assert bought.preview(units(FISH=1)).status == 200
    assert bought.preview(units(RING=1)).body["code"] == "excluded"


def test_of_all_that_is_left_what_is_refused_stays_out_and_is_named(shop: Shop) -> None:
    put_in_force(exclusions=[FRESH])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}), line("MUG", 500))
    bought.ship()
    preview = bought.preview({"lines": "all"}).body
    assert preview["total_minor"] == 500
    assert preview["left_out"] == [{"id": "FISH", "why_not": "excluded", "quantity": 1}]


def test_what_is_left_out_says_how_many_units_of_each_line(shop: Shop) -> None:
    put_in_force(window_days=7)
    bought = shop.order(line("A", 2000, quantity=6), line("B", 500, quantity=2))
    for quantity, days in ((2, 9), (3, 8), (1, 1)):
        bought._call("POST", "/shipments", {"lines": [{"sku": "A", "quantity": quantity}]})
        parcel = Shipment.objects.filter(order__number=bought.number).latest("pk")
        bought._call("POST", f"/shipments/{parcel.pk}/delivered", {})
        Shipment.objects.filter(pk=parcel.pk).update(delivered_at=parcel.shipped_at - timedelta(days=days))
    assert bought.ask(units(B=2)).status == 202
    assert bought.preview({"lines": "all"}).body["left_out"] == [
        {"id": "B", "why_not": "in_refund", "quantity": 2},
        {"id": "A", "why_not": "window_over", "quantity": 5},
    ]


def test_where_all_of_it_is_refused_nothing_is_made(shop: Shop) -> None:
    put_in_force(exclusions=[FRESH])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}))
    bought.ship()
    answer = bought.ask({"lines": "all"})
    assert (answer.status, answer.body["code"]) == (409, "excluded")
    assert bought.get()["refunds"] == []


def page_of(shop: Shop, bought: Bought, language: str, path: str = "") -> str:
    link = shop.by(Role.SHOP).post(f"/orders/{bought.number}/links", {"purpose": "order"})
    return Client().get(f"{urlsplit(link.body['url']).path}{path}?lang={language}").content.decode()


def test_the_customer_s_page_says_the_rule_and_the_day(shop: Shop) -> None:
    put_in_force(window_days=7, exclusions=[FRESH])
    bought = shop.order(line("FISH", 2000, labels={"fresh": "true"}), line("MUG", 500))
    delivered(bought, 1)
    page = page_of(shop, bought, "en")
    assert "Not taken back unless something is wrong with it: fresh food." in page
    assert "Can be given back until" in page


def test_he_chooses_from_the_policy_s_reasons_in_his_language(shop: Shop) -> None:
    own: list[dict[str, Any]] = [{"code": "too_small", "text": {"en": "It is too small", "zh-hans": "太小了"}}]
    put_in_force(reasons=own)
    bought = shop.order(line("SHIRT", 2000))
    assert "It is too small" in page_of(shop, bought, "en", "/refund")
    chinese = page_of(shop, bought, "zh-hans", "/refund")
    assert "太小了" in chinese and "damaged" not in chinese


ALL_THE_SAME = "What is faulty is taken back all the same."


@pytest.mark.parametrize(
    ("rules", "days", "reason", "helps"),
    [
        ({"exclusions": [CUSTOM]}, None, "damaged", False),
        ({"exclusions": [CUSTOM]}, None, "", False),
        ({"exclusions": [CUSTOM]}, 1, "", True),
        ({"exclusions": [CUSTOM], "window_days": 7}, 9, "", False),
        ({"exclusions": [CUSTOM], "window_days": 7, "fault_window_days": 30}, 9, "", True),
        ({"window_days": 7}, 9, "", False),
        ({"window_days": 7}, 9, "damaged", False),
        ({"window_days": 7, "fault_window_days": 30}, 9, "", True),
    ],
)
def test_that_faulty_goods_are_taken_back_is_said_only_where_they_are(
    shop: Shop, rules: dict[str, Any], days: int | None, reason: str, helps: bool
) -> None:
    put_in_force(**rules)
    bought = shop.order(line("RING", 900, labels={"custom": "true"}))
    if days:
        delivered(bought, days)
    answer = bought.ask(units(RING=1) | {"reason": reason})
    assert answer.status == 409
    assert (ALL_THE_SAME in answer.body["detail"]) is helps
    assert (ALL_THE_SAME in answer.body["errors"][0]["detail"]) is helps
    assert ("damaged" in answer.body["reasons"], answer.body["unless_faulty"]) == (helps, helps)
    if helps:
        assert bought.ask(units(RING=1) | {"reason": "damaged"}).status == 202


def test_of_several_parcels_a_request_gets_the_units_that_are_still_taken_back(shop: Shop) -> None:
    put_in_force(window_days=7)
    bought = shop.order(line("A", 2000, quantity=2))
    for days in (9, 1):
        bought._call("POST", "/shipments", {"lines": [{"sku": "A", "quantity": 1}]})
        parcel = Shipment.objects.filter(order__number=bought.number).latest("pk")
        bought._call("POST", f"/shipments/{parcel.pk}/delivered", {})
        Shipment.objects.filter(pk=parcel.pk).update(delivered_at=parcel.shipped_at - timedelta(days=days))
    assert bought.preview(units(A=2)).body["code"] == "window_over"
    assert bought.ask(units(A=1)).status == 202
    assert bought.ask(units(A=1)).body["code"] == "window_over"
