"""Supervisors change a policy in a real browser, and one agrees to what another has loosened."""

import pytest

from tests.browser.agents import Agent
from tests.browser.browsing import DESKTOP, PHONE
from tests.browser.conftest import OpenTab
from tests.browser.policy_scenes import declared
from tests.browser.test_agent import EVERY, is_accessible
from tests.stories.shop import Shop
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")
SIZES = {"phone": PHONE, "desktop": DESKTOP}
_DAYS = "SELECT spec->'window'->>'days' FROM refunds_manifest WHERE name = 'electronics'"
_APPROVED = "SELECT c->>'reason' FROM refunds_manifest, jsonb_array_elements(conditions) c WHERE name = 'marketplace'"


@pytest.mark.parametrize(("language", "size"), EVERY)
def test_a_supervisor_changes_a_rule_and_agrees_to_a_policy(
    shop: Shop, open_tab: OpenTab, language: str, size: str
) -> None:
    declared(shop.stack)
    with open_tab(language=language, size=SIZES[size]) as tab:
        agent = Agent(shop, tab.page, "supervisor")
        agent.logs_in()
        agent.opens("policies/")
        is_accessible(tab)
        tab.page.locator("a[href$='/policies/electronics/']").click()
        days = tab.page.locator("#policy-window")
        wanted = str(int(days.input_value()) - 1)
        days.fill(wanted)
        tab.page.locator("section[aria-labelledby=rules-title] button").click()
        eventually(lambda: shop.stack.query(_DAYS) == [(wanted,)])
        agent.opens("policies/wrong/")
        tab.page.locator("#policy-faults_error").wait_for()
        is_accessible(tab)
        agent.opens("policies/marketplace/")
        is_accessible(tab)
        if tab.page.locator("#approve-said").count():
            tab.page.locator("#approve-said").fill("https://tickets.example/REF-1")
            tab.page.locator("section[aria-labelledby=approve-title] button").click()
        eventually(lambda: ("Approved",) in shop.stack.query(_APPROVED))
