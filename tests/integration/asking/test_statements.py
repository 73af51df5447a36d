"""What a preview costs: as many statements for 50 lines and 10 earlier refunds as for 2 lines and one."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders.models import Order, OrderLine
from orders.roles import Role
from tests.integration.asking.conftest import Bought, Shop, line, units
from tests.integration.console.people import Person

pytestmark = pytest.mark.django_db
#: The most that any preview takes.
MOST = 40


def counted(do: Callable[..., Any], *said: object) -> int:
    with CaptureQueriesContext(connection) as asked:
        answer = do(*said)
    assert 200 in (getattr(answer, "status", None), getattr(answer, "status_code", None)), answer
    return len(asked)


def with_history(shop: Shop, *, lines: int, refunds: int) -> Bought:
    """Half of it delivered, and so many refunds of a unit each."""
    bought = shop.order(*(line(f"L{n}", 1000 + n, quantity=20) for n in range(lines)), shipping_minor=500)
    for n in range(refunds):
        bought.refund(units(L0=1) | {"note": f"No. {n}"})
    parcel = {"lines": [{"sku": f"L{n}", "quantity": 1} for n in range(lines)], "reference": "p"}
    shop.by(Role.SHOP).post(f"/orders/{bought.number}/shipments", parcel)
    return bought


@pytest.fixture
def small_and_large(shop: Shop) -> tuple[Bought, Bought]:
    return with_history(shop, lines=2, refunds=1), with_history(shop, lines=50, refunds=10)


def test_a_preview_over_the_api(small_and_large: tuple[Bought, Bought]) -> None:
    bodies = ({"lines": "all"}, {"adjustments": [{"sku": "L1", "amount_minor": 5}]}, {"amount_minor": 700})
    for body in bodies:
        few, many = (counted(one.preview, body) for one in small_and_large)
        assert few == many <= MOST, (few, many)


def test_a_preview_on_the_customers_page(small_and_large: tuple[Bought, Bought]) -> None:
    counts = []
    for bought in small_and_large:
        link = bought.shop.by(Role.SHOP).post(f"/orders/{bought.number}/links", {"purpose": "order"}).body["url"]
        pks = OrderLine.objects.filter(order__number=bought.number).values_list("pk", flat=True)
        said = {f"units-{pk}": "1" for pk in pks} | {"reason": "", "goods": "return"}
        page, client = f"{urlsplit(link).path}/refund", Client()
        counts.append(counted(client.post, page, said))
    assert counts[0] == counts[1] <= MOST, counts


def test_a_preview_at_the_console(small_and_large: tuple[Bought, Bought]) -> None:
    person, counts = Person(Role.SUPERVISOR), []
    for bought in small_and_large:
        path = f"orders/{Order.objects.get(number=bought.number).pk}/refund/amount/"
        counts.append(counted(person.post, path, {"amount": "7.50"}))
    assert counts[0] == counts[1] <= MOST, counts
