"""The agents' road in a real browser: found, approved, received and inspected, each by whose work it is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.agents import Agent, delivered
from tests.browser.browsing import DESKTOP, PHONE, Tab
from tests.browser.conftest import OpenTab
from tests.browser.unfold_findings import KNOWN
from tests.stories.road import Road
from tests.stories.shop import Shop

pytestmark = pytest.mark.xdist_group("browser")

SIZES = {"phone": PHONE, "desktop": DESKTOP}
#: The words of each language that tell its reader what came of it.
WORDS = {"en": ("Approve", "Refunded", "What can be done"), "zh-CN": ("批准", "已退款", "可做的操作")}
DAILY = [("zh-CN", "desktop")]
OTHERS = [(language, size) for language in WORDS for size in SIZES if (language, size) not in DAILY]
EVERY = [*DAILY, *(pytest.param(*other, marks=pytest.mark.soak) for other in OTHERS)]


@contextmanager
def at_the_console(open_tab: OpenTab, shop: Shop, language: str, size: str, role: str = "support") -> Iterator[Agent]:
    """Logged in; the login page is looked at on the way."""
    with open_tab(language=language, size=SIZES[size]) as tab:
        agent = Agent(shop, tab.page, role)
        tab.page.goto(f"{agent.console}/")
        is_accessible(tab)
        agent.logs_in()
        is_accessible(tab)
        yield agent
        is_accessible(tab)


def is_accessible(tab: Tab) -> None:
    """Nothing is found in our own part of the page, and nothing unknown around it."""
    assert {found.partition(":")[0] for found in tab.accessible()} <= KNOWN
    if tab.page.locator("#console").count():
        assert tab.found_in("#console") == []


@pytest.mark.parametrize(("language", "size"), EVERY)
def test_delivered_goods_are_approved_received_and_inspected(shop: Shop, open_tab: OpenTab, language: str, size: str):
    road = delivered(shop)
    approve, refunded, heading = WORDS[language]
    with at_the_console(open_tab, shop, language, size) as agent:
        agent.finds(road.case.order.email)
        agent.reads(heading)
        agent.door("assign").click()
        agent.page.wait_for_load_state()
        agent.fills("approve", **{"quantity-0": "2"})
        assert agent.page.locator("[data-send=approve]").inner_text() == approve
        agent.sends("approve")
        agent.door("rebook_pickup").wait_for()
    road.booked()
    with at_the_console(open_tab, shop, language, size, "warehouse") as keeper:
        keeper.opens(f"refunds/{road.case.number}/")
        keeper.door("receive").click()
        keeper.door("inspect").wait_for()
        keeper.fills("inspect", **{"accepted-0": "1", "damaged-0": "1"})
        keeper.sends("inspect")
        ended(road)
        keeper.page.reload()
        keeper.reads(refunded)
        # Of what was damaged it can still be said what becomes of it.
        keeper.door("dispose").wait_for()
        assert keeper.page.locator("#doors button").count() == 1


def ended(road: Road) -> None:
    status = road.ends("refunded")["status"]
    [movement] = status["gateway_refunds"]
    assert movement["amount_minor"] == 1000 and status["assignee"]


def test_what_was_typed_survives_somebody_elses_act(shop: Shop, open_tab: OpenTab):
    road = delivered(shop)
    with open_tab(size=DESKTOP) as tab:
        agent = Agent(shop, tab.page)
        agent.logs_in()
        agent.opens(f"refunds/{road.case.number}/")
        agent.fills("reject", reason="The seal is broken.")
        road.agent("hold")
        agent.sends("reject")
        agent.reads("This refund has changed since you opened it.")
        assert tab.page.locator("#reject-reason").input_value() == "The seal is broken."
        is_accessible(tab)
        tab.told_off("412")
        agent.sends("reject")
        tab.page.wait_for_url(re.compile(r"/console/refunds/[^/]+/$"))
    road.ends("rejected")


def test_a_double_click_is_one_act(shop: Shop, open_tab: OpenTab):
    road = delivered(shop)
    with open_tab(size=DESKTOP) as tab:
        agent = Agent(shop, tab.page)
        agent.logs_in()
        agent.opens(f"refunds/{road.case.number}/")
        agent.door("cancel").dblclick()
        agent.reads("Done: Cancel the refund.")
    assert [event["type"] for event in road.case.trail()].count("refund.cancelled") == 1


def test_many_are_rejected_at_once(shop: Shop, open_tab: OpenTab):
    roads = [delivered(shop, 1), delivered(shop, 1)]
    with open_tab(size=DESKTOP) as tab:
        agent = Agent(shop, tab.page)
        agent.logs_in()
        agent.opens("refunds/?state=in_review")
        for road in roads:
            tab.page.locator(f"input[value^='{road.case.number} ']").check()
        tab.page.locator("button[value=reject]").click()
        tab.page.locator("#reject-reason").wait_for()
        is_accessible(tab)
        tab.page.locator("#reject-reason").fill("The seal is broken.")
        tab.page.locator("main form button").click()
        agent.reads("2 of 2 done")
        is_accessible(tab)
    for road in roads:
        road.ends("rejected")
