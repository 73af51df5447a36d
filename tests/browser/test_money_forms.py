"""An agent's road through money without a return: a price lowered, a payment made by hand recorded, a day closed."""

from collections.abc import Iterator

import pytest

from tests.browser.agents import CASE_PAGE, Agent
from tests.browser.browsing import Tab
from tests.browser.conftest import OpenTab
from tests.browser.test_agent import SIZES, at_the_console, is_accessible
from tests.processes import Stack
from tests.stories.road import Road
from tests.stories.shop import Case, Shop, ShopOrder, expect

pytestmark = pytest.mark.xdist_group("browser")

DAY = 24 * 3600
#: What an amount has to be, and what came of a refund, as it is read.
WORDS = {"en": ("Type an amount above zero", "Refunded"), "zh-CN": ("请输入大于零的金额", "已退款")}
DAILY = [("en", "phone")]
OTHERS = [(language, size) for language in WORDS for size in SIZES if (language, size) not in DAILY]
EVERY = [*DAILY, *(pytest.param(*other, marks=pytest.mark.soak) for other in OTHERS)]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Of its own: a day goes by in it, and the sandbox's courier lives by the real clock."""
    with Stack().running() as running:
        yield running


@pytest.fixture(scope="module")
def shop(stack: Stack) -> Shop:
    return Shop(stack)


@pytest.mark.parametrize(("language", "size"), EVERY)
def test_a_price_is_lowered_paid_by_hand_and_the_day_closed(shop: Shop, open_tab: OpenTab, language: str, size: str):
    order = shop.place_order("decline", quantity=2)
    no_amount, refunded = WORDS[language]
    with at_the_console(open_tab, shop, language, size) as agent:
        lowers_the_price(agent, order, "1.50")
    road = declined(order)
    with open_tab(language=language, size=SIZES[size]) as tab:
        keeper = Agent(shop, tab.page, "finance")
        keeper.logs_in()
        keeper.opens(f"refunds/{road.case.number}/")
        keeper.fills("record_external", amount="1e0", reference="Statement 17")
        keeper.sends("record_external")
        keeper.reads(no_amount)
        tab.told_off("422")
        is_accessible(tab)
        pays_by_hand(keeper, "1,50")
        [movement] = road.ends("refunded")["status"]["gateway_refunds"]
        assert (movement["state"], movement["amount_minor"]) == ("external", 150)
        keeper.page.reload()
        keeper.reads(refunded)
        finds_the_day_closed(keeper, tab)


def lowers_the_price(agent: Agent, order: ShopOrder, amount: str) -> None:
    agent.opens_order(order.number)
    agent.door("adjust").click()
    agent.page.locator("input[id^=adjust-off-]").fill(amount)
    agent.sends("adjust")
    agent.page.locator("[name=confirmed]").click()
    agent.page.locator("#refunds-title").wait_for()


def declined(order: ShopOrder) -> Road:
    """A colleague approves it, and the gateway does not pay."""
    road = Road(Case(order, order.look()["refunds"][0]["number"]))
    road.case.becomes("in_review")
    expect(road.act("approve", "supervisor"), 200)
    road.case.becomes("failed")
    return road


def pays_by_hand(keeper: Agent, amount: str) -> None:
    keeper.page.locator("#record_external-amount").fill(amount)
    keeper.sends("record_external")
    keeper.page.wait_for_url(CASE_PAGE)


def finds_the_day_closed(keeper: Agent, tab: Tab) -> None:
    keeper.shop.stack.pass_time(DAY)
    keeper.shop.stack.manage("books", "close")
    keeper.opens("books/")
    is_accessible(tab)
    assert keeper.page.locator(".rf-balances tbody tr", has_text="sandbox · EUR").first.is_visible()
