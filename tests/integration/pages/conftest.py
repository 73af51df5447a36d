"""A customer with a link to his order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from orders.models import Order
from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from refunds.models import Refund
from tests.factories import make_order

HOME = {"name": "Ada", "street": "Hauptstr. 1", "postal_code": "10115", "city": "Berlin", "country": "DE"}


@dataclass
class Customer:
    """His browser at the pages of one order; it keeps cookies and follows nothing by itself."""

    order: Order
    back: str = ""
    browser: Client = field(default_factory=lambda: Client(raise_request_exception=False, enforce_csrf_checks=True))

    def __post_init__(self) -> None:
        wish = LinkWish(self.order.number, "order", timedelta(days=1), self.back)
        self.token = make_link(wish, channel_id=self.order.channel_id, actor=SYSTEM).token

    def get(self, path: str = "", **headers: str) -> HttpResponse:
        return self.browser.get(f"/r/{self.token}{path}", headers={"accept-language": "en"} | headers)

    def post(self, path: str, **fields: Any) -> HttpResponse:
        return self.browser.post(f"/r/{self.token}{path}", fields, headers={"accept-language": "en"})

    def choose(self, **fields: Any) -> HttpResponse:
        """Step one with these quantities by sku, and other fields."""
        return self.post("/refund", **self.named(fields))

    def named(self, fields: dict[str, Any]) -> dict[str, Any]:
        keys = {line.sku: f"units-{line.pk}" for line in self.order.lines.all()}
        return {keys.get(name, name): value for name, value in fields.items()}

    def confirm(self, **fields: Any) -> HttpResponse:
        """Both steps."""
        return self.post("/refund/confirm", **hidden(self.choose(**fields), "/refund/confirm"))

    def refund(self) -> Refund:
        return Refund.objects.get(order=self.order)

    def act(self, refund: Refund, action: str, **fields: Any) -> HttpResponse:
        token = {"form_token": fields.pop("form_token", "token1")}
        return self.post(f"/refunds/{refund.number}/{action}", **token, **fields)


def hidden(page: HttpResponse, action: str) -> dict[str, str]:
    """The hidden fields of the form that goes there."""
    for form in re.findall(r"<form.*?</form>", page.content.decode(), re.S):
        if f'{action}"' in form:
            found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
            return {name: unescape(value) for name, value in found}
    raise AssertionError(f"no form goes to {action}: {text_of(page)}")


def text_of(page: HttpResponse) -> str:
    """What a reader sees, in one line."""
    html = re.sub(r"<(head|noscript)>.*?</\1>", "", page.content.decode(), flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


MakeCustomer = Callable[..., Customer]


@pytest.fixture
def customer_of(db: None) -> MakeCustomer:
    """A customer whose order has lines at these prices; fields as in `make_order`."""

    def make(*prices: int, back: str = "", **fields: Any) -> Customer:
        order = make_order(*prices, **{"customer_locale": "en", "shipping_address": HOME} | fields)
        return Customer(Order.objects.get(pk=order.pk), back)

    return make


@pytest.fixture
def customer(customer_of: MakeCustomer) -> Customer:
    """Three things at 10.00, none of them sent yet."""
    return customer_of(1000, quantity=3)
