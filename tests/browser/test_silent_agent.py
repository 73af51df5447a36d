"""An agent is silent for 48 hours over a holiday, seen from both sides: by when the customer has his answer, and how
much time the agent has left.
"""

import re
from datetime import datetime, timedelta

import pytest

from tests.browser.conftest import OpenTab
from tests.browser.customers import roads_of
from tests.browser.test_return_roads import Sides, both_sides, each_way
from tests.processes import Stack
from tests.stories import waits
from tests.stories.road import Road, ship
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("deadlines"), pytest.mark.timeout(400)]
MARGIN = timedelta(minutes=2)
#: The seconds that a link is good for.
LONG = 20 * 24 * 3600


@each_way("en", "phone")
def test_an_agent_is_silent_for_48_hours_over_a_holiday(
    ahead: Stack, open_tab: OpenTab, language: str, size: str
) -> None:
    with both_sides(Shop(ahead), open_tab, language, size) as sides:
        road, asked_at = asked_before_two_days_off(sides), waits.business_time(sides.shop)
        deadline = datetime.fromisoformat(road.case.look()["status"]["deadline"])
        promised(sides, road, deadline)
        waits.until(sides.shop, asked_at + timedelta(hours=48))
        promised(sides, road, deadline)
        sides.agent_looks(road)
        assert sides.agent.page.locator(".rf-deadline:not(.rf-over)").count() == 1
        waits.until(sides.shop, deadline + MARGIN)
        eventually(road.incidents, lambda kinds: kinds == ["review_overdue"])
        sides.agent_looks(road)
        assert sides.agent.page.locator(".rf-deadline.rf-over").count() == 1
        sides.agent.fills("approve")
        sides.agent.page.locator("#approve-goods").select_option("keep")
        sides.agent.sends("approve")
        sides.done()
        road.ends("refunded")
        sides.customer.opens(road.case.order)
        sides.customer.reads("10.00")


def asked_before_two_days_off(sides: Sides) -> Road:
    order = sides.customer.buys(1)
    ship(order).delivered()
    with waits.calendar_in_force(sides.shop, waits.two_days_off(sides.shop)):
        sides.customer.asks(order)
        road = roads_of(order)["pickup"]
        road.case.becomes("in_review")
    return road


def promised(sides: Sides, road: Road, deadline: datetime) -> None:
    """The day stands on the customer's page, in words. The page goes on asking while time passes."""
    request = road.case.look()["metadata"]["request"]
    sides.customer.opens(road.case.order, f"/requests/{request}", expires_in=LONG)
    said = sides.says("You should have an answer by %(deadline)s.").partition("%")[0]
    line = sides.customer.page.get_by_text(said).first.inner_text()
    assert re.search(rf"\b{deadline.astimezone(waits.BERLIN).day}\b|{deadline.astimezone(waits.BERLIN).day}日", line), (
        line
    )
