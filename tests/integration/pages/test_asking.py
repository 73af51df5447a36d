"""From the order's page to a request, as a browser without script does it."""

from tests.integration.pages.conftest import Customer, MakeCustomer, hidden, text_of
from tests.factories import ship


def test_smoke(customer: Customer) -> None:
    page = customer.get()
    print(page.status_code, text_of(page))
    page = customer.get("/refund")
    print(page.status_code, text_of(page))
    page = customer.choose(A=2)
    print(page.status_code, text_of(page))
    done = customer.confirm(A=2)
    print(done.status_code, done.headers.get("Location"), text_of(done))
    page = customer.browser.get(done.headers["Location"])
    print(page.status_code, text_of(page))
    assert 0
