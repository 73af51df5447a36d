"""What was delivered: an agent agrees, a courier fetches it at the door, the warehouse looks, the money moves."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.stories.road import Road, mugs, ship
from tests.stories.shop import Shop, ShopOrder, expect

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]

#: A word of every message about money or goods that go back, and how a day is written.
LANGUAGES = {"en": ("Refund", "{0:%-d} {0:%B} {0:%Y}"), "zh-Hans": ("退", "{0.year}年{0.month}月{0.day}日")}
NEVER_AGAIN = "The seal was broken, as your photo shows."


@pytest.mark.parametrize("locale", LANGUAGES)
def test_delivered_goods_are_fetched_looked_at_and_paid(shop: Shop, locale: str):
    road = delivered(shop.place_order(locale=locale))
    road.approved("pickup")
    visit = road.booked()["slot"]
    road.fetched()
    assert road.case.order.sends() == []
    road.inspected(accepted=1)
    road.ends("refunded")
    is_paid_once(road, 1000)
    assert road.case.order.look()["refund_state"] == "refunded"
    assert len(road.bookings()) == 1
    assert road.mails() == ["received", "pickup_booked", "refunded"]
    assert road.texts() == ["pickup_booked", "refunded"]
    speaks(road, locale, visit)


def test_what_the_warehouse_does_not_accept_is_not_paid_and_said_so(shop: Shop):
    road = delivered(shop.place_order(quantity=3))
    road.approved("pickup")
    road.fetched()
    road.inspected(accepted=2, damaged=1)
    road.ends("refunded")
    is_paid_once(road, 2000)
    assert road.mails() == ["received", "pickup_booked", "parcel_checked", "refunded"]
    order = road.case.order.look()
    assert (order["refund_state"], order["lines"][0]["refundable"]["quantity"]) == ("partially_refunded", 1)


def test_rejected_the_customer_reads_why_and_may_ask_another_agent(shop: Shop):
    order = shop.place_order(quantity=2)
    ship(order).delivered()
    before = facts(order)
    road = Road(order.request_refund())
    road.case.becomes("in_review")
    assert facts(order) != before
    road.agent("reject", reason=NEVER_AGAIN)
    road.ends("rejected")
    assert facts(order) == before
    assert road.mails() == ["received", "rejected"] and road.texts() == []
    assert NEVER_AGAIN in road.case.messages("email")[-1]["text"]
    again = Road(order.request_refund(mugs(2)))
    again.case.becomes("in_review")
    assert again.act("approve", "support").body["code"] == "decided_before"
    expect(again.act("approve", "supervisor"), 200)
    again.fetched()
    again.inspected(accepted=2)
    again.ends("refunded")
    is_paid_once(again, 2000)


def delivered(order: ShopOrder) -> Road:
    """The refund of an order whose goods the customer has."""
    ship(order).delivered()
    return Road(order.request_refund())


def facts(order: ShopOrder) -> Any:
    """What the order says of itself, apart from its history."""
    history = ("refunds", "resource_version", "updated_at")
    return {name: value for name, value in order.look().items() if name not in history}


def is_paid_once(road: Road, amount_minor: int) -> None:
    [paid] = road.case.order.gateway_refunds()
    number = road.case.movement()["number"]
    assert (paid["number"], paid["amount_minor"], paid["status"]) == (number, amount_minor, "succeeded")
    assert [send["idempotency_key"] for send in road.case.order.sends()] == [number]


def speaks(road: Road, locale: str, visit: Any) -> None:
    """Every message in the customer's language, the mails in one thread, and the visit by the clock of his town."""
    word, day = LANGUAGES[locale]
    mails, texts = road.case.messages("email"), road.case.messages("sms")
    assert {mail["to"] for mail in mails} == {road.case.order.email}
    assert len({(mail["subject"], *mail["references"]) for mail in mails}) == 1
    assert all(word in mail["subject"] for mail in mails) and all(word in text["text"] for text in texts)
    starts_at = datetime.fromisoformat(visit["starts_at"]).astimezone(ZoneInfo("Europe/Berlin"))
    announced = mails[1]["text"]
    assert day.format(starts_at) in announced and f"{starts_at:%H:%M}" in announced
    assert f"{starts_at:%H:%M}" in texts[0]["text"]
