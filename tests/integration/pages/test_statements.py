"""Every page takes a constant number of statements, however much there is to the order."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from refunds import records
from tests.factories import request, ship
from tests.integration.pages.conftest import Customer, MakeCustomer

Look = Callable[[Customer], HttpResponse]


def number(customer: Customer) -> str:
    return customer.order.refunds.first().number


def withdraw(customer: Customer) -> HttpResponse:
    refund = customer.order.refunds.latest("id")
    return customer.act(refund, "cancel", form_token=f"t{refund.pk}")


def looked_up(customer: Customer) -> HttpResponse:
    return customer.browser.post("/r/", {"number": customer.order.number, "email": customer.order.customer_email})


def dead(customer: Customer) -> HttpResponse:
    return customer.browser.get(f"/r/{customer.token[:-1]}")


LOOKS: dict[str, tuple[Look, int]] = {
    "order": (lambda customer: customer.get(), 200),
    "ask": (lambda customer: customer.get("/refund"), 200),
    "preview": (lambda customer: customer.choose(A=1), 200),
    "confirm": (lambda customer: customer.confirm(A=1), 303),
    "request": (lambda customer: customer.get(f"/requests/{number(customer)}"), 200),
    "live": (lambda customer: customer.get(f"/requests/{number(customer)}/live"), 200),
    "cancel": (lambda customer: withdraw(customer), 303),
    "cancel an order": (lambda customer: customer.post("/cancel", form_token="1"), 409),
    "state.json": (lambda customer: customer.get("/state.json"), 200),
    "dead link": (dead, 404),
    "look-up": (lambda customer: customer.browser.get("/r/"), 200),
    "looked up": (looked_up, 303),
}


@pytest.mark.usefixtures("redis_client")
def test_no_page_takes_more_statements_for_a_larger_order(customer_of: MakeCustomer) -> None:
    small, large = customer_of(1000, quantity=9), customer_of(*[1000] * 12, quantity=9)
    for customer in (small, large):
        ship(customer.order)
    for sku in "ABCDEFGHIJKL":
        request(large.order, (sku, 1))
    request(small.order, ("A", 1))
    taken = {name: (statements(small, *look), statements(large, *look)) for name, look in LOOKS.items()}
    assert {name: counts for name, counts in taken.items() if counts[0] != counts[1]} == {}


def statements(customer: Customer, look: Look, status: int) -> int:
    """Of one look, when whatever is kept in memory is there."""
    look(customer)
    with records.counted() as ours, CaptureQueriesContext(connection) as djangos:
        assert look(customer).status_code == status
    return len(ours) + len(djangos)
