"""The hard roads of the way back, each from both sides in a real browser: what the customer sees and does on a phone,
what the agent sees and does at a desk. Carrier, gateway and time act from outside.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.utils import translation

from tests.browser.agents import Agent
from tests.browser.browsing import DESKTOP, PHONE, Tab
from tests.browser.conftest import OpenTab
from tests.browser.customers import LOCALES, REQUEST_PAGE, Customer, roads_of
from tests.browser.test_agent import is_accessible
from tests.browser.test_customer_roads import is_fine
from tests.stories.courier import Courier
from tests.stories.road import Road, ship
from tests.stories.shop import Shop
from tests.stories.test_money_bounced import BOUNCES, IBAN, code_told
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")
SIZES = {"phone": PHONE, "desktop": DESKTOP}


def each_way(language: str, size: str) -> Any:
    """Every day one language, and one width at both sides; the others on a long day."""
    return pytest.mark.parametrize(
        ("language", "size"),
        [
            pytest.param(*how, marks=[] if how == (language, size) else [pytest.mark.soak])
            for how in product(LOCALES, SIZES)
        ],
    )


@dataclass(frozen=True)
class Sides:
    """Both read the same language, each in a browser of his own."""

    shop: Shop
    language: str
    customer: Customer
    agent: Agent
    customers_tab: Tab
    agents_tab: Tab

    def customer_reads(self, text: str, **facts: Any) -> None:
        self.customer.looks_again()
        self.customer.reads(self.says(text) % facts)
        self.customer.shows_all()
        is_fine(self.customers_tab)

    def agent_looks(self, road: Road) -> None:
        self.agent.opens(f"refunds/{road.case.number}/")
        is_accessible(self.agents_tab)

    def agent_does(self, road: Road, action: str, **fields: str) -> None:
        self.agent_looks(road)
        self.agent.fills(action, **fields)
        self.agent.sends(action)
        self.done()

    def agent_presses(self, road: Road, action: str) -> None:
        """What is done by one click."""
        self.agent_looks(road)
        self.agent.door(action).click()
        self.done()

    def done(self) -> None:
        self.agent.reads(self.says("Done: %(action)s.").partition("%")[0])

    def says(self, text: str) -> str:
        with translation.override(LOCALES[self.language]):
            return translation.gettext(text)


@contextmanager
def both_sides(shop: Shop, open_tab: OpenTab, language: str, size: str) -> Iterator[Sides]:
    """The agent is a supervisor, and has logged in."""
    of = {"language": language, "size": SIZES[size]}
    with open_tab(**of) as customers, open_tab(**of) as agents:
        agent = Agent(shop, agents.page, "supervisor")
        agent.logs_in()
        yield Sides(shop, language, Customer(shop, customers.page, language), agent, customers, agents)


@pytest.fixture
def sides(shop: Shop, open_tab: OpenTab, language: str, size: str) -> Iterator[Sides]:
    with both_sides(shop, open_tab, language, size) as both:
        yield both


def asked_back(sides: Sides, quantity: int = 1) -> Road:
    """He has the goods, and asks at his order's page."""
    order = sides.customer.buys(quantity)
    ship(order).delivered()
    sides.customer.asks(order, quantity)
    road = roads_of(order)["pickup"]
    road.case.becomes("in_review")
    return road


@each_way("en", "phone")
def test_missed_twice_then_lost(sides: Sides) -> None:
    road = asked_back(sides)
    courier = Courier(road)
    sides.agent_does(road, "approve")
    first = road.booked()
    sides.customer_reads("A courier comes to fetch the goods")
    chooses_another_time(sides)
    chosen = eventually(road.booked, lambda pickup: pickup["slot"] != first["slot"])
    for _ in range(2):
        courier.tells("missed")
        chosen = eventually(road.booked, lambda pickup, before=chosen: pickup["waybill"] != before["waybill"])
        sides.customer_reads("The courier did not get the parcel")
    road.courier("collected")
    sides.customer_reads("Your parcel is on its way back to us")
    road.courier("lost")
    road.ends("refunded")
    sides.customer_reads("Your refund has been sent")
    sides.agent_looks(road)
    assert len(road.case.order.gateway_refunds()) == 1


def chooses_another_time(sides: Sides) -> None:
    """Of those that the courier names: the last."""
    page = sides.customer.page
    page.locator("a[href$='/slots']").click()
    page.locator("input[name=slot]").last.check()
    is_fine(sides.customers_tab)
    page.locator("form[action$='/rebook_pickup'] button").click()
    page.wait_for_url(REQUEST_PAGE)


@each_way("zh-CN", "desktop")
def test_three_announced_two_arrive_one_damaged(sides: Sides) -> None:
    """The customer reads what was found, and does not agree; somebody else is to look."""
    road = asked_back(sides, 3)
    sides.agent_does(road, "approve")
    road.booked()
    road.courier("collected", "in_transit", "received")
    road.case.becomes("inspecting")
    sides.customer_reads("We have your goods and are checking them")
    sides.agent_does(road, "inspect", **{"accepted-0": "1", "damaged-0": "1", "missing-0": "1"})
    road.ends("refunded")
    sides.customer_reads("Your refund has been sent")
    form = sides.customer.page.locator("form[action$='/contest']")
    form.locator("textarea").fill("I sent three. 我寄了三件。")
    form.locator("button").click()
    sides.customer.reads(sides.says("You said that you do not agree"))
    sides.agent_looks(road)
    sides.agent.reads("我寄了三件。")


@each_way("en", "desktop")
def test_an_offer_is_declined_and_the_refund_approved(sides: Sides) -> None:
    road = asked_back(sides)
    sides.agent_does(road, "offer", amount="3.00", note="For the scratch.")
    sides.customer_reads("We have made you an offer")
    sides.customer.looks_again()
    sides.customer.does("decline_offer")
    road.case.becomes("in_review")
    sides.customer_reads("Customer service is looking at your request")
    sides.agent_does(road, "approve")
    road.fetched()
    sides.agent_does(road, "inspect", **{"accepted-0": "1"})
    road.ends("refunded")
    sides.customer_reads("Your refund has been sent")
    assert [paid["amount_minor"] for paid in road.case.order.gateway_refunds()] == [1000]


@each_way("zh-CN", "phone")
def test_the_customer_cancels_while_the_courier_is_at_the_door(sides: Sides) -> None:
    """The courier has it already: both read that the wish came too late, and what he has is refunded."""
    road = asked_back(sides)
    Courier(road).answers(cancel=["already_collected"])
    sides.agent_does(road, "approve")
    road.booked()
    sides.customer.looks_again()
    sides.customer.does("cancel")
    eventually(road.trail, lambda trail: "refund.cancel_dropped" in trail)
    sides.customer_reads("Your parcel is on its way back to us")
    road.courier("in_transit", "received")
    road.case.becomes("inspecting")
    sides.agent_does(road, "inspect", **{"accepted-0": "1"})
    road.ends("refunded")
    sides.customer_reads("Your refund has been sent")


@each_way("en", "phone")
def test_money_bounced_by_the_bank_is_sent_elsewhere(sides: Sides) -> None:
    """An agent names the account, the customer has the code, and a second person agrees."""
    order = sides.shop.place_order(BOUNCES, locale=LOCALES[sides.language])
    sides.customer.asks(order)
    road = roads_of(order)["instant"]
    road.ends("refunded")
    road.ends("failed")
    sides.customer_reads("Money of your refund has come back to us")
    road.agent("set_target", account="sandbox", payee=IBAN, payee_name="Ada", proof="letter 7")
    code = code_told(road)
    sides.customer.looks_again()
    form = sides.customer.page.locator("form[action$='/confirm_target']")
    form.locator("input[name=code]").fill(f"{(int(code) + 1) % 10**6:06d}")
    form.locator("button").click()
    sides.customer.reads(sides.says("This is not the code we sent you. Please look at the newest message."))
    is_fine(sides.customers_tab)
    sides.customers_tab.told_off("422", "409")
    form.locator("input[name=code]").fill(code)
    form.locator("button").click()
    sides.customer.reads(sides.says("Your refund is being checked once more"))
    sides.agent_presses(road, "second_approve")
    road.ends("refunded")
    sides.customer_reads("Your refund has been sent")
    assert [paid["status"] for paid in order.gateway_refunds()] == ["reversed", "succeeded"]
