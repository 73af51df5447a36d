"""Search finds by whatever is known of a refund or an order, and each way by an index."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.models import Channel, Order
from orders.roles import Role
from refunds.models import Pickup, Refund
from refunds.selectors.desk import ListWish, order_list, refund_list
from tests.factories import make_order, request, ship
from tests.integration.console.people import Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db
CUSTOMER = {
    "customer_name": "Ada King-Lovelace",
    "customer_email": "Ada@example.org",
    "customer_phone": "+44 20/79460958",
}
OF_THE_ORDER = [
    "A-17",
    "a-17",
    "  A-17 ",
    "\tA-17\n",
    "ada@EXAMPLE.org",
    "Ada King-Lovelace",
    "lovelace",
    "LOVELACE ada",
    "+44 2079460958",
    "TRACK-9",
    "track-9",
]
OF_THE_REFUND = ["{number}", "{lower}", "{prefix}-R{request}", "wb77", "{number}-P1"]
NOBODY = [
    "nothing like it",
    "A-1",
    "lovel",
    "ada@example",
    "\x00%",
    "\x01\x02",
    "-R1",
    "'\"<",
    "& | ! :*",
    "\\",
    "%",
    "_",
    "9" * 99,
    "王",
]


@pytest.fixture
def order(db) -> Order:
    order = make_order(number="A-17", quantity=2, **CUSTOMER)
    parcel = ship(order)
    parcel.tracking_number = "TRACK-9"
    parcel.save()
    return order


@pytest.fixture
def refund(order) -> Refund:
    [refund] = request(order).refunds
    now, booked = clock.now(), {"state": "booked", "account": "sandbox-courier", "waybill": "WB77"}
    Pickup.objects.create(refund=refund, number=f"{refund.number}-P1", created_at=now, **booked)
    return refund


@pytest.fixture
def other(db) -> Refund:
    return returns.in_review()


def test_it_is_found_by_whatever_is_known_of_it_and_by_nothing_else(refund, other) -> None:
    person, prefix = Person(Role.SUPPORT), refund.number.rpartition("-")[0]
    facts = {"number": refund.number, "lower": refund.number.lower(), "prefix": prefix, "request": refund.request_id}
    for text in [*OF_THE_ORDER, *(text.format(**facts) for text in OF_THE_REFUND)]:
        page = person.get("refunds/", q=text)
        assert f"/{refund.number}/" in page.html and f"/{other.number}/" not in page.html, text
    for text in NOBODY:
        page = person.get("refunds/", q=text)
        assert page.status == 200 and f"/{refund.number}/" not in page.html, text


def test_an_order_is_found_by_its_number_its_customer_and_its_parcel(order, other) -> None:
    person = Person(Role.SUPPORT)
    for text in OF_THE_ORDER:
        page = person.get("orders/", q=text)
        assert f"/orders/{order.pk}/" in page.html and f"/orders/{other.order_id}/" not in page.html, text
    for text in NOBODY:
        page = person.get("orders/", q=text)
        assert page.status == 200 and f"/orders/{order.pk}/" not in page.html, text


@pytest.mark.parametrize("name", ["王小明", "O'Brien", "Zoë Müller"])
def test_names_are_found_as_they_are_written(name) -> None:
    order = make_order(customer_name=name)
    assert f"/orders/{order.pk}/" in Person(Role.SUPPORT).get("orders/", q=name).html


def test_a_foreign_channel_is_not_searched(refund) -> None:
    outsider = Person(Role.SUPPORT, Channel.objects.create(slug="other", name="Other"))
    for text in ("A-17", "lovelace", "TRACK-9", refund.number):
        assert f"/{refund.number}/" not in outsider.get("refunds/", q=text).html
        assert f"/orders/{refund.order_id}/" not in outsider.get("orders/", q=text).html


@pytest.mark.parametrize("text", ["Ada Lovelace", "ada@example.org", "+44 2079460958", "RT-R17", "RT-17"])
def test_no_way_looks_at_every_row(db, text) -> None:
    """With sequential scans forbidden a plan has one only where no index would do."""
    channels = [Channel.objects.get(is_default=True).pk]
    with CaptureQueriesContext(connection) as asked:
        list(refund_list(ListWish(channels, principal_id=1, text=text)))
        list(order_list(channels=channels, text=text))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for query in asked:
            cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"))
            plan = [line for (line,) in cursor.fetchall()]
            assert not any("Seq Scan" in line for line in plan), plan
