"""What an order offers is what a request gets: for every window, exclusion, place and reason, by API and page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client

from orders.models import Channel, Shipment
from orders.roles import Role
from tests.integration.asking.conftest import Bought, Shop, line, units
from tests.policies import put_in_force
from tests.sizes import SOAK

WINDOWS: dict[str, dict[str, Any]] = {
    "for ever": {},
    "7 days": {"window_days": 7},
    "7 days, 30 for faults": {"window_days": 7, "fault_window_days": 30},
    "from the last parcel": {"window_days": 7, "fault_window_days": 30, "window_from": "last_parcel"},
}
EXCLUSIONS: dict[str, dict[str, Any]] = {
    "nothing excluded": {},
    "excluded once sent": {"exclusions": [{"rule": "fresh food", "labels": {"kind": "odd"}}]},
    "excluded at all": {"exclusions": [{"rule": "made for you", "labels": {"kind": "odd"}, "unshipped": True}]},
}
#: How long ago each parcel of one unit was delivered; None: it is on its way.
PLACES: dict[str, list[int | None]] = {
    "unshipped": [],
    "on the way": [None, None],
    "a day": [1, 1],
    "9 days": [9, 9],
    "40 days": [40, 40],
    "9 days and a day": [9, 1],
    "40 and 9 days": [40, 9],
    "40 days, and unshipped": [40],
}
REASONS = ("", "changed_mind", "damaged", "too_late", "not_received")
FEE = {"restocking_fee": {"per_mille": 100, "fixed_minor": {}}}


def rules_at(place: str) -> list[dict[str, Any]]:
    """All windows with all exclusions where there is time; each day every window and every exclusion at every place,
    of which each has every pair of the two in its turn."""
    turn = list(PLACES).index(place)
    pairs = product(enumerate(WINDOWS.values()), enumerate(EXCLUSIONS.values()))
    return [window | excluded for (a, window), (b, excluded) in pairs if SOAK or (a + b + turn) % len(EXCLUSIONS) == 0]


@pytest.fixture
def shop(db: None) -> Shop:
    return Shop(Channel.objects.get(is_default=True))


def odd(shop: Shop, delivered: list[int | None], fulfilment: str = "ship") -> Bought:
    bought = shop.order(line("ODD", 1000, quantity=2, labels={"kind": "odd"}, fulfilment=fulfilment))
    for days in delivered:
        bought._call("POST", "/shipments", {"lines": [{"sku": "ODD", "quantity": 1}]})
        parcel = Shipment.objects.filter(order__number=bought.number).latest("pk")
        if days is not None:
            bought._call("POST", f"/shipments/{parcel.pk}/delivered", {})
            then = parcel.shipped_at - timedelta(days=days)
            Shipment.objects.filter(pk=parcel.pk).update(shipped_at=then, delivered_at=then)
    return bought


def offered(bought: Bought) -> dict[str, Any]:
    [one] = bought.get()["lines"]
    found: dict[str, Any] = one["refundable"]
    return found


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def status_of(bought: Bought, quantity: int, reason: str) -> int:
    with undone():
        return bought.ask(units(ODD=quantity) | {"reason": reason}).status


def amount_of(bought: Bought, quantity: int, reason: str) -> int:
    found: int = bought.preview(units(ODD=quantity) | {"reason": reason}).body["total_minor"]
    return found


def page_of(shop: Shop, bought: Bought, path: str = "", language: str = "en") -> str:
    link = shop.by(Role.SHOP).post(f"/orders/{bought.number}/links", {"purpose": "order"})
    return Client().get(f"{urlsplit(link.body['url']).path}{path}?lang={language}").content.decode()


@pytest.mark.sized
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fulfilment", ["ship", "digital"])
def test_what_is_offered_for_a_reason_is_what_a_request_with_it_gets(shop: Shop, place: str, fulfilment: str) -> None:
    if fulfilment == "digital" and PLACES[place]:
        pytest.skip("nothing of it is sent")
    bought = odd(shop, PLACES[place], fulfilment)
    for rules in rules_at(place):
        with undone():
            put_in_force(**FEE, **rules)
            open_ = offered(bought)
            for reason in REASONS:
                helped = [one for one in open_["limited"] if reason in one["reasons"]]
                most = open_["quantity"] + sum(one["quantity"] for one in helped)
                told = (rules, reason, open_)
                assert most == 0 or status_of(bought, most, reason) == 202, told
                assert most == 2 or status_of(bought, most + 1, reason) == 409, told
                if len(helped) == 1 and not open_["quantity"]:
                    assert amount_of(bought, most, reason) == helped[0]["amount_minor"], told
            if open_["quantity"]:
                assert amount_of(bought, open_["quantity"], "") == open_["amount_minor"], (rules, open_)


@pytest.mark.sized
@pytest.mark.parametrize("place", PLACES)
def test_what_is_not_offered_says_why_as_its_refusal_does_and_no_sum_counts_it(shop: Shop, place: str) -> None:
    bought = odd(shop, PLACES[place])
    for rules in rules_at(place):
        with undone():
            put_in_force(**FEE, **rules)
            whole, open_ = bought.get(), offered(bought)
            refusal = bought.preview({"lines": "all"})
            assert open_["quantity"] + sum(one["quantity"] for one in open_["limited"]) == 2
            if open_["quantity"]:
                assert refusal.body["total_minor"] == whole["refundable"]["amount_minor"]
                assert (open_["why_not"], whole["refundable"]["why_not"]) == (None, None)
            else:
                assert whole["refundable"]["amount_minor"] == 0
                assert open_["why_not"]["code"] == whole["refundable"]["why_not"]["code"] == refusal.body["code"]
                assert open_["why_not"]["detail"] == refusal.body["detail"] or place == "40 and 9 days"
            assert all(one["reasons"] or (one["amount_minor"], one["routes"]) == (0, []) for one in open_["limited"])


@pytest.mark.sized
@pytest.mark.parametrize("place", PLACES)
def test_that_he_has_not_received_it_helps_where_it_is_said_to(shop: Shop, place: str) -> None:
    bought = odd(shop, PLACES[place])
    for rules in rules_at(place):
        with undone():
            put_in_force(**rules)
            open_ = offered(bought)
            most = open_["quantity"] + sum(one["quantity"] for one in open_["limited"] if one["not_received"])
            asked = {"goods": "not_received"}
            assert not most or bought.preview(units(ODD=most) | asked).status == 200, (rules, open_)
            assert most == 2 or bought.preview(units(ODD=most + 1) | asked).status == 409, (rules, open_)


@pytest.mark.sized
@pytest.mark.parametrize("place", PLACES)
def test_the_page_lets_him_ask_for_what_the_api_offers(shop: Shop, place: str) -> None:
    bought = odd(shop, PLACES[place])
    for rules in rules_at(place):
        with undone():
            put_in_force(**rules)
            open_ = offered(bought)
            helps = [one for one in open_["limited"] if one["reasons"]]
            most = open_["quantity"] + sum(one["quantity"] for one in helps)
            order, form = page_of(shop, bought), page_of(shop, bought, "/refund")
            found = re.search(r'name="units-\d+"[^>]* max="(\d+)"|max="(\d+)"[^>]* name="units-\d+"', form)
            assert (int(found[1] or found[2]) if found else 0) == most, (rules, open_)
            assert ('/refund"' in order) is bool(most)
            assert ("Can be refunded: €" in order) is bool(open_["quantity"])
            chosen = set(re.findall(r'<option value="(\w+)"', form.partition("</select>")[0]))
            codes = {code for one in helps for code in one["reasons"]}
            if most and not open_["quantity"]:
                assert chosen and chosen <= codes, (rules, chosen)
            elif most:
                assert "changed_mind" in chosen
            over = [one for one in open_["limited"] if one["code"] == "window_over"]
            assert ("The time to give it back ended on" in order) is bool(over), (rules, open_)


def test_a_reason_that_he_cannot_choose_on_the_page_offers_nothing_there(shop: Shop) -> None:
    small = [{"code": "too_small", "text": {"en": "It is too small"}}]
    put_in_force(reasons=small, **EXCLUSIONS["excluded at all"])
    unshipped, digital, sent = odd(shop, []), odd(shop, [], "digital"), odd(shop, [1, 1])
    for bought in (unshipped, digital):
        assert offered(bought)["limited"][0]["reasons"]
        assert "Nothing of this order can be refunded at the moment." in page_of(shop, bought)
        assert "Still taken back" not in page_of(shop, bought)
    assert "Still taken back where you say: you have not received it." in page_of(shop, sent)


def test_it_is_said_in_both_languages_since_when_it_is_too_late_and_what_still_helps(shop: Shop) -> None:
    bought = odd(shop, [9, 9])
    put_in_force(window_days=7)
    over = page_of(shop, bought)
    assert "The time to give it back ended on" in over and "Still taken back" not in over
    assert "Nothing of this order can be refunded at the moment." in over
    assert "退货期限已于" in page_of(shop, bought, language="zh-hans")
    put_in_force(window_days=7, fault_window_days=30)
    still = page_of(shop, bought)
    assert "Still taken back where you say: It takes too long; It arrived damaged; It does not work" in still
    assert "you have not received it" in still and "Can be refunded then: €20.00" in still
    assert "仍可退货" in page_of(shop, bought, language="zh-hans")
