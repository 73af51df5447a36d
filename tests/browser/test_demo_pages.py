"""The front page of the demo, the inbox and the sandbox in a real browser: reachable, readable by everybody, silent."""

from itertools import product

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.browsing import DESKTOP, PHONE, Tab
from tests.browser.conftest import OpenTab
from tests.browser.demo import front_of
from tests.processes import Stack
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

TITLES = {"en": "Refundry demo shop", "zh-CN": "Refundry 演示商店"}
EVERY_DAY = ("en", PHONE)
HOW = [
    pytest.param(*how, marks=[] if how == EVERY_DAY else [pytest.mark.soak], id=f"{how[0]}-{how[1]['width']}")
    for how in product(TITLES, (PHONE, DESKTOP))
]


@pytest.fixture(scope="module")
def front(stack: Stack) -> str:
    return front_of(stack)


@pytest.mark.parametrize(("language", "size"), HOW)
def test_the_front_page_leads_a_newcomer_to_his_first_refund(
    open_tab: OpenTab, front: str, language: str, size: ViewportSize
) -> None:
    with open_tab(language=language, size=size) as tab:
        tab.page.goto(front)
        expect(tab.page.get_by_role("heading", level=1)).to_have_text(TITLES[language])
        assert tab.accessible() == [] and fits(tab)
        tab.page.locator("summary").click()
        expect(tab.page.locator("details code")).to_be_visible()
        tab.page.locator("ol a").first.click()
        expect(tab.page.get_by_role("heading", level=1)).to_contain_text("DEMO-EUR-1")


@pytest.mark.parametrize("size", [PHONE, pytest.param(DESKTOP, marks=pytest.mark.soak)], ids=("phone", "desktop"))
def test_inbox_and_sandbox_are_pages_for_everybody(open_tab: OpenTab, shop: Shop, size: ViewportSize) -> None:
    order = shop.place_order({"behaviour": "pending_then_fail", "settle_ms": 3_600_000}, locale="zh-Hans")
    case = order.request_refund()
    with open_tab(size=size) as tab:
        # The page shows what has come, and does not change by itself.
        eventually(order.gateway_refunds)
        tab.page.goto(f"{shop.stack.sandbox_url}/payments/{order.payment}")
        tab.page.get_by_role("button", name="Let it succeed").click()
        expect(tab.page.locator(".badge.succeeded")).to_be_visible()
        case.comes_to_rest("refunded")
        assert tab.accessible() == [] and fits(tab)
        tab.page.goto(f"{shop.stack.inbox_url}/?to={order.email}")
        assert tab.accessible() == [] and fits(tab)
        tab.page.locator(".rows strong a").click()
        expect(tab.page.frame_locator("iframe").get_by_role("heading", level=1)).to_be_visible()
        assert tab.accessible() == [] and fits(tab)
        for path in ("/", "/find"):
            tab.page.goto(shop.stack.sandbox_url + path)
            assert tab.accessible() == [] and fits(tab)


def fits(tab: Tab) -> bool:
    """Nothing has to be scrolled sideways."""
    return bool(tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
