"""The button on a shop's own page, of another origin and with a policy of its own."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenTab
from tests.browser.customers import Customer, link_of, roads_of
from tests.stories.shop import Shop, ShopOrder

pytestmark = pytest.mark.xdist_group("browser")

PAGE = """<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>Your order</title>
<link rel="icon" href="data:,"><script defer src="{base}/static/refundry/refund-button.js"></script>
<script defer src="{base}/static/refundry/refund-button.js"></script></head>
<body><main><h1>Your order</h1><refund-button order="{order}" token="{token}"></refund-button></main></body></html>"""


@contextmanager
def shop_page(base: str, order: str, token: str, lang: str = "en") -> Iterator[str]:
    """A page of the shop's own, at an origin of its own; its policy lets nothing run but the button."""
    html = PAGE.format(base=base, order=order, token=token, lang=lang).encode()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            policy = f"default-src 'none'; img-src data:; script-src {base}; connect-src {base}"
            self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(html)

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/my/order?n=1"
        server.shutdown()


def token_of(order: ShopOrder) -> str:
    return link_of(order).rpartition("/")[2]


def test_the_button_opens_the_order_and_says_how_its_refund_stands(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        customer = Customer(shop, tab.page)
        order = customer.buys(1)
        with shop_page(shop.stack.base_url, order.number, token_of(order)) as address:
            tab.page.goto(address)
            button = tab.page.locator("refund-button")
            button.get_by_role("link", name="Refund").click()
            expect(tab.page.get_by_role("heading", level=1)).to_have_text(f"Order {order.number}")
            customer.chooses(1)
            customer.sees_the_sum()
            customer.confirms()
            roads_of(order)["instant"].ends("refunded")
            tab.page.get_by_role("link", name="Back to the shop").click()
            expect(tab.page).to_have_url(address)
            expect(button.get_by_role("status")).to_have_text("Your refund has been sent")
            expect(button.get_by_role("link")).to_have_text("See your refund")
            assert tab.accessible() == []


def test_the_button_speaks_the_language_of_the_page_it_is_on(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        order = Customer(shop, tab.page).buys(1)
        with shop_page(shop.stack.base_url, order.number, token_of(order), lang="zh-CN") as address:
            tab.page.goto(address)
            tab.page.locator("refund-button").get_by_role("link", name="申请退款").click()
            expect(tab.page.get_by_role("heading", level=1)).to_have_text(f"订单 {order.number}")


def test_while_nobody_answers_the_button_keeps_what_it_was_told_and_asks_again(shop: Shop, open_tab: OpenTab) -> None:
    with open_tab() as tab:
        order = Customer(shop, tab.page).buys(1)
        token = token_of(order)
        with shop_page(shop.stack.base_url, order.number, token) as address:
            tab.page.clock.install()
            tab.page.goto(address)
            button = tab.page.locator("refund-button")
            expect(button.get_by_role("link", name="Refund")).to_have_attribute("href", re.compile(token))
            tab.page.route("**/state.json*", lambda route: route.abort())
            button.evaluate("button => button.setAttribute('lang', 'zh')")
            tab.page.clock.run_for(20_000)
            expect(button.get_by_role("link")).to_have_attribute("href", re.compile(token))
            tab.page.unroute("**/state.json*")
            tab.page.clock.run_for(60_000)
            expect(button.get_by_role("link", name="申请退款")).to_have_attribute("href", re.compile(token))
        tab.told_off("ERR_FAILED")


@pytest.mark.parametrize("forged", [True, False])
def test_a_button_of_no_use_still_leads_to_the_look_up(shop: Shop, open_tab: OpenTab, forged: bool) -> None:
    with open_tab() as tab:
        order = Customer(shop, tab.page).buys(1)
        named = (order.number, "forged") if forged else ("another", token_of(order))
        with shop_page(shop.stack.base_url, *named) as address:
            tab.page.goto(address)
            tab.page.locator("refund-button").get_by_role("link", name="Refund").click()
            expect(tab.page.get_by_role("heading", level=1)).to_have_text("Look your order up")
        tab.told_off("404")
