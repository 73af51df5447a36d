"""An agent at the console: what he clicks and types; shop, customer and courier act over HTTP."""

import re
from dataclasses import dataclass
from functools import cache

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import Locator, Page

from tests.processes import Stack
from tests.stories.road import Road, ship
from tests.stories.shop import Case, Shop, expect

CASE_PAGE = re.compile(r"/console/refunds/[^/?]+/$")

PASSWORD = "correct horse battery"
_MAKE = """
WITH person AS (
    INSERT INTO auth_user
        (username, password, first_name, last_name, email, is_superuser, is_staff, is_active, date_joined)
    VALUES (%(name)s, %(password)s, '', '', '', false, false, true, now())
    ON CONFLICT (username) DO NOTHING RETURNING id
), principal AS (
    INSERT INTO orders_principal (name, role, left_by, user_id) SELECT %(name)s, %(role)s, '', id FROM person
    RETURNING id
)
INSERT INTO orders_principal_channels (principal_id, channel_id)
SELECT principal.id, channel.id FROM principal, orders_channel channel WHERE is_default
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
    name, hasher = f"grace-of-{role}", PBKDF2PasswordHasher()
    password = hasher.encode(PASSWORD, hasher.salt())
    with stack.connect() as connection:
        connection.execute(_MAKE, {"name": name, "password": password, "role": role})
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
