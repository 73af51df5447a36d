"""An agent at the console: what he clicks and types; shop, customer and courier act over HTTP."""

import re
from dataclasses import dataclass
from functools import cache

from playwright.sync_api import Locator, Page

from tests.processes import Stack
from tests.stories.road import Road, ship
from tests.stories.shop import Case, Shop, expect

CASE_PAGE = re.compile(r"/console/refunds/[^/?]+/$")

PASSWORD = "correct horse battery"
_MAKE = """
from django.contrib.auth.models import User
from orders.models import Channel, Principal
if not User.objects.filter(username="{name}").exists():
    user = User.objects.create_user("{name}", password="{password}")
    principal = Principal.objects.create(name="{name}", role="{role}", user=user)
    principal.channels.add(Channel.objects.get(is_default=True))
"""


@dataclass(frozen=True)
class Agent:
    """`role` is that of his principal."""

    shop: Shop
    page: Page
    role: str = "support"

    @property
    def console(self) -> str:
        return f"{self.shop.stack.base_url}/console"

    def logs_in(self) -> None:
        user = user_of(self.shop.stack, self.role)
        self.page.goto(f"{self.console}/")
        self.page.locator("#id_username").fill(user)
        self.page.locator("#id_password").fill(PASSWORD)
        self.page.locator("#login-form button[type=submit]").click()
        self.page.locator("#console").wait_for()

    def opens(self, path: str = "") -> None:
        self.page.goto(f"{self.console}/{path}")
        self.page.locator("#console").wait_for()

    def finds(self, text: str) -> None:
        """From the list to the case, by whatever he knows of it."""
        self.opens("refunds/")
        self.page.locator("#q").fill(text)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(re.compile(r"[?&]q="))
        self.page.locator("tbody th a").click()
        self.page.wait_for_url(CASE_PAGE)

    def door(self, action: str) -> Locator:
        return self.page.locator(f"#doors [data-action={action}]")

    def fills(self, action: str, **fields: str) -> None:
        """Opens the form of an act, and types into it."""
        self.door(action).click()
        for name, text in fields.items():
            self.page.locator(f"#{action}-{name}").fill(text)

    def sends(self, action: str) -> None:
        self.page.locator(f"[data-send={action}]").click()

    def opens_order(self, number: str) -> None:
        self.opens(f"orders/?q={number}")
        self.page.locator("tbody th a").first.click()
        self.page.locator("#head-title").wait_for()

    def reads(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()


@cache
def user_of(stack: Stack, role: str) -> str:
    """The name of a user with such a principal; made when he is first wanted."""
    name = f"grace-of-{role}"
    stack.manage("shell", "-v", "0", "-c", _MAKE.format(name=name, password=PASSWORD, role=role))
    return name


def delivered(shop: Shop, quantity: int = 3, *, by: str = "shop") -> Road:
    """The customer has the goods and wants to give them back; a person must look."""
    order = shop.place_order(quantity=quantity)
    ship(order).delivered()
    body = {"lines": "all", "reason": "damaged", "note": "The seal was broken."}
    [refund] = expect(shop.send("POST", f"{order.path}/refunds", body, role=by), 202)["refunds"]
    road = Road(Case(order, refund["metadata"]["number"]))
    road.case.becomes("in_review")
    return road
