"""Both roads as a customer walks them in a real browser; what agent, warehouse and courier do comes over HTTP."""

import re
from itertools import product

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.browsing import DESKTOP, PHONE, Tab
from tests.browser.conftest import OpenTab
from tests.browser.customers import LOCALES, Customer, roads_of
from tests.stories.road import ship
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

WORDS = {
    "en": {
        "sent": "Your refund has been sent",
        "review": "Customer service is looking at your request",
        "courier": "A courier comes to fetch the goods",
        "checking": "We have your goods and are checking them",
    },
    "zh-CN": {
        "sent": "您的退款已发出",
        "review": "客服正在审核您的申请",
        "courier": "快递员将上门取件",
        "checking": "我们已收到商品，正在验货",
    },
}
#: Every day one language and width; the others on a long day.
EVERY_DAY = ("en", PHONE)
HOW = [
    pytest.param(*how, marks=[] if how == EVERY_DAY else [pytest.mark.soak], id=f"{how[0]}-{how[1]['width']}")
    for how in product(LOCALES, (PHONE, DESKTOP))
]
each_way = pytest.mark.parametrize(("language", "size"), HOW)


@each_way
def test_an_unshipped_order_is_refunded_while_the_customer_watches(
    shop: Shop, open_tab: OpenTab, language: str, size: ViewportSize
) -> None:
    with open_tab(language=language, size=size) as tab:
        customer = Customer(shop, tab.page, language)
        order = customer.buys(2)
        customer.opens(order)
        is_fine(tab)
        customer.chooses(2)
        is_fine(tab)
        customer.sees_the_sum()
        is_fine(tab)
        customer.confirms()
        customer.reads(WORDS[language]["sent"])
        is_fine(tab)
        customer.stops_looking()
        [paid] = order.gateway_refunds()
        assert (paid["amount_minor"], len(order.sends())) == (2000, 1)


@each_way
def test_delivered_goods_go_home_while_the_page_says_how_they_stand(
    shop: Shop, open_tab: OpenTab, language: str, size: ViewportSize
) -> None:
    words = WORDS[language]
    with open_tab(language=language, size=size) as tab:
        customer = Customer(shop, tab.page, language)
        order = customer.buys(3)
        ship(order).delivered()
        customer.asks(order, 2)
        road = roads_of(order)["pickup"]
        road.approved("pickup")
        road.booked()
        customer.looks_again()
        customer.reads(words["courier"])
        customer.shows_all()
        is_fine(tab)
        road.fetched()
        customer.looks_again()
        customer.reads(words["checking"])
        is_fine(tab)
        road.inspected(accepted=1, damaged=1)
        road.ends("refunded")
        customer.looks_again()
        customer.reads(words["sent"])
        customer.shows_all()
        is_fine(tab)
        assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [1000]


def test_a_review_moves_on_by_itself(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        customer = Customer(shop, tab.page)
        order = customer.buys(1)
        ship(order)
        customer.asks(order)
        customer.reads(WORDS["en"]["review"])
        details = tab.page.get_by_text("Details", exact=True)
        details.click()
        roads_of(order)["intercept"].agent("reject", reason="The seal was broken.")
        customer.reads("The seal was broken.")
        expect(details).to_be_focused()
        expect(tab.page.locator("#details-1")).to_be_visible()
        expect(tab.page.get_by_text("Cancel this refund")).to_have_count(0)
        expect(tab.page.get_by_text("I do not agree")).to_be_visible()
        is_fine(tab)


@each_way
def test_without_script_the_whole_road_is_walked_all_the_same(
    shop: Shop, open_tab: OpenTab, language: str, size: ViewportSize
) -> None:
    with open_tab(language=language, size=size, script=False) as tab:
        customer = Customer(shop, tab.page, language)
        order = customer.buys(2)
        customer.asks(order, 1)
        roads_of(order)["instant"].ends("refunded")
        customer.looks_again()
        customer.reads(WORDS[language]["sent"])
        assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [1000]


def test_without_script_a_courier_is_moved_and_a_refund_cancelled(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab(script=False) as tab:
        customer = Customer(shop, tab.page)
        order = customer.buys(1)
        ship(order).delivered()
        customer.asks(order)
        road = roads_of(order)["pickup"]
        road.approved("pickup")
        before = road.booked()["waybill"]
        customer.looks_again()
        customer.does("rebook_pickup")
        eventually(road.pickup, lambda pickup: pickup["state"] == "booked" and pickup["waybill"] != before)
        customer.looks_again()
        customer.does("cancel")
        road.ends("cancelled")
        customer.looks_again()
        customer.reads("This refund has been cancelled")


def test_pressing_twice_is_one_request(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        customer = Customer(shop, tab.page)
        order = customer.buys(2)
        customer.opens(order)
        customer.chooses(1)
        customer.sees_the_sum()
        tab.page.locator("form[action$='/confirm'] button").dblclick()
        expect(tab.page).to_have_url(re.compile("/requests/"))
        tab.page.go_back()
        customer.confirms()
        assert len(order.look()["refunds"]) == 1


def test_what_is_wrong_is_shown_and_what_was_typed_stays_at_night_too(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab(color_scheme="dark") as tab:
        customer = Customer(shop, tab.page)
        customer.opens(customer.buys(2))
        customer.chooses(7)
        tab.page.locator("textarea").fill("Dear shop")
        tab.page.locator("form button").click()
        customer.reads("Only 2 can still be refunded.")
        assert tab.page.locator("textarea").input_value() == "Dear shop"
        is_fine(tab)
        tab.told_off("422")


def test_an_order_is_looked_up_and_a_dead_link_leads_there(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        customer = Customer(shop, tab.page)
        order = customer.buys(1)
        tab.page.goto(f"{shop.stack.base_url}/r/no-such-link")
        is_fine(tab)
        tab.told_off("404")
        tab.page.get_by_role("button", name="Look your order up").click()
        is_fine(tab)
        tab.page.get_by_label("Order number").fill(order.number)
        tab.page.get_by_label("E-mail").fill("another@customer.example")
        tab.page.get_by_role("button", name="Look it up").click()
        tab.page.get_by_role("button", name="Send me a link").click()
        customer.reads("Check your e-mail")
        is_fine(tab)
        tab.told_off("422")
        [mail] = eventually(lambda: shop.inbox(f"/messages?to={order.email}"))
        tab.page.goto(next(line for line in mail["text"].splitlines() if line.startswith("http")))
        customer.reads(f"Order {order.number}")
        tab.page.goto(f"{shop.stack.base_url}/r/")
        tab.page.get_by_label("Order number").fill(order.number)
        tab.page.get_by_label("E-mail").fill(order.email)
        tab.page.get_by_role("button", name="Look it up").click()
        expect(tab.page.get_by_role("heading", level=1)).to_have_text(f"Order {order.number}")
        tab.page.get_by_text("简体中文").click()
        expect(tab.page.get_by_role("heading", level=1)).to_have_text(f"订单 {order.number}")


def is_fine(tab: Tab) -> None:
    """Nothing that axe minds, and nothing wider than the window."""
    assert tab.accessible() == []
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
