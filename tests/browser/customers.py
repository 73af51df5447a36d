"""A customer at his order's pages: what he clicks; the agent, the warehouse and the courier act over HTTP."""

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

from tests.stories.road import Road
from tests.stories.shop import Case, Shop, ShopOrder, expect

LOCALES = {"en": "en", "zh-CN": "zh-Hans"}
REQUEST_PAGE = re.compile(r"/requests/RF[^/]*$|/requests/[^/]*-R\d+$")


@dataclass(frozen=True)
class Customer:
    """`language` is that of the orders he places."""

    shop: Shop
    page: Page
    language: str = "en"

    def buys(self, quantity: int = 3, **facts: Any) -> ShopOrder:
        order = self.shop.new_order(quantity=quantity, locale=LOCALES[self.language])
        expect(order.put(**facts), 201)
        return order

    def opens(self, order: ShopOrder, path: str = "", **link: Any) -> None:
        self.page.goto(link_of(order, **link) + path)

    def chooses(self, quantity: int) -> None:
        """From the order's page to the form, and so many of its only line."""
        self.page.locator("a[href$='/refund']").click()
        self.page.locator("input[name^=units-]").fill(str(quantity))

    def sees_the_sum(self) -> None:
        self.page.locator("form[action$='/refund'] button").click()
        self.page.locator("form[action$='/confirm']").wait_for()

    def confirms(self) -> None:
        self.page.locator("form[action$='/confirm'] button").click()
        self.page.wait_for_url(REQUEST_PAGE)

    def asks(self, order: ShopOrder, quantity: int | None = None) -> None:
        """The whole way to the request's page."""
        self.opens(order)
        self.chooses(quantity or order.quantity)
        self.sees_the_sum()
        self.confirms()

    def looks_again(self) -> None:
        self.page.reload()

    def shows_all(self) -> None:
        """Opens whatever is folded."""
        folded = self.page.locator("details:not([open]) > summary")
        while folded.count():
            folded.first.click()

    def does(self, action: str) -> None:
        """Opens the form of this action and sends it as it is."""
        form = self.page.locator(f"form[action$='/{action}']")
        self.page.locator("details", has=form).locator("summary").click()
        form.locator("button").click()
        self.page.wait_for_url(REQUEST_PAGE)

    def stops_looking(self) -> None:
        """All has ended: the page asks no more."""
        self.page.locator("#live:not([hx-get])").wait_for(state="attached")

    def reads(self, text: str) -> None:
        """Waits until the page says so, without touching it."""
        self.page.get_by_text(text).first.wait_for()


def link_of(order: ShopOrder, **facts: Any) -> str:
    """A fresh link for the order's customer."""
    body = {"purpose": "order", "expires_in": 3600, **facts}
    return expect(order.shop.send("POST", f"{order.path}/links", body), 201)["url"]


def roads_of(order: ShopOrder) -> dict[str, Road]:
    """The order's refunds by their routes."""
    return {refund["route"]: Road(Case(order, refund["number"])) for refund in order.look()["refunds"]}
