"""Another time for the courier: among those that he offers, asked when the page is opened; else whatever suits."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html import escape, unescape
from re import findall

import pytest

from orders import clock
from orders.roles import Role
from refunds.models import Pickup, Refund
from refunds.services.acts import Parcel, ship_back
from tests.integration.adapters.peers import SECRET, answering, free_port, raw_server
from tests.integration.pages.conftest import Customer
from tests.integration.refunds_api import returns, rows
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund() -> Refund:
    return returns.awaiting()


@contextmanager
def a_courier(settings, *, says: str, status: str = "200 OK") -> Iterator[None]:
    with raw_server(answering(status, says.encode())) as address:
        settings.COURIER = f"courier-{address.rsplit(':', 1)[1]}"
        settings.COURIER_ACCOUNTS = {settings.COURIER: {"adapter": "http", "base_url": address, "secret": SECRET}}
        yield


def naming(*days: int) -> str:
    midnight = clock.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    begins: list[datetime] = [midnight + timedelta(days=day, hours=9) for day in days]
    slots = [{"starts_at": b.isoformat(), "ends_at": (b + timedelta(hours=4)).isoformat()} for b in begins]
    return json.dumps({"slots": slots})


def choices(page: str) -> list[str]:
    return [unescape(value) for value in findall(r'type="radio"[^>]* value="([^"]+)"', page)]


def test_he_chooses_among_what_the_courier_offers(settings, refund) -> None:
    customer = Customer(refund.order)
    assert f"/refunds/{refund.number}/slots" in customer.get(f"/requests/{refund.number}").content.decode()
    with a_courier(settings, says=naming(3, 2, -1)):
        page = customer.get(f"/refunds/{refund.number}/slots").content.decode()
    sooner, later = choices(page)
    assert sooner < later
    assert customer.act(refund, "rebook_pickup", slot=later).status_code == 303
    visit = Pickup.objects.filter(refund=refund).latest("id")
    assert visit.slot_from and visit.slot_to
    assert f"{visit.slot_from.isoformat()}/{visit.slot_to.isoformat()}" == later


@pytest.mark.parametrize(
    ("status", "says"), [("200 OK", '{"slots": []}'), ("503 Service Unavailable", ""), ("200 OK", "nonsense")]
)
def test_where_he_names_none_any_time_can_be_asked_for(settings, refund, status, says) -> None:
    with a_courier(settings, says=says, status=status):
        page = Customer(refund.order).get(f"/refunds/{refund.number}/slots")
    text = page.content.decode()
    assert (page.status_code, choices(text)) == (200, []) and 'name="day"' in text and 'name="hours"' in text


@pytest.mark.parametrize("slot", ["", "tomorrow", "2027-01-01T09:00:00/2027-01-01T13:00:00", "2027-01-01T09:00:00Z/"])
def test_what_is_no_time_is_asked_again(refund, slot) -> None:
    answer = Customer(refund.order).act(refund, "rebook_pickup", slot=slot)
    assert answer.status_code == 302 and answer.headers["Location"].endswith("/slots")


def test_a_time_that_is_over_is_refused(refund) -> None:
    over = clock.now() - timedelta(days=1)
    slot = f"{over.isoformat()}/{(over + timedelta(hours=1)).isoformat()}"
    assert Customer(refund.order).act(refund, "rebook_pickup", slot=slot).status_code == 422


def test_nobody_is_asked_once_the_goods_are_on_their_way(settings, refund) -> None:
    ship_back(returns.on(refund), Parcel("post", "X1"), actor=returns.CUSTOMER_SERVICE)
    settings.COURIER_ACCOUNTS = {"nobody": {"adapter": "http", "base_url": f"http://127.0.0.1:{free_port()}"}}
    assert Customer(refund.order).get(f"/refunds/{refund.number}/slots").status_code == 302


def test_the_shop_reads_them_too(settings, refund) -> None:
    with a_courier(settings, says=naming(2)):
        answer = Caller(rows.default_channel()).get(f"/refunds/{refund.number}/pickup-slots")
    assert answer.status == 200 and len(answer.body["slots"]) == 1
    warehouse = Caller(rows.default_channel(), role=Role.WAREHOUSE)
    assert warehouse.get(f"/refunds/{refund.number}/pickup-slots").status == 403


def test_he_takes_a_label_instead_and_finds_it_on_his_page(refund) -> None:
    customer = Customer(refund.order)
    assert "I would rather hand the parcel in" in customer.get(f"/requests/{refund.number}").content.decode()
    assert customer.act(refund, "drop_off").status_code == 303
    label = "https://labels.example/WB1?a=1&b=2"
    made = Pickup.objects.filter(refund=refund).latest("id")
    Pickup.objects.filter(pk=made.pk).update(state="booked", waybill="WB1", label_url=label)
    page = customer.get(f"/requests/{refund.number}").content.decode()
    assert f'href="{escape(label)}"' in page and "Print the label" in page
    assert "I would rather hand the parcel in" not in page
    Pickup.objects.filter(pk=made.pk).update(state="in_transit", collected_at=clock.now())
    assert label not in unescape(customer.get(f"/requests/{refund.number}").content.decode())
