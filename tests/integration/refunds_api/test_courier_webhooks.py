"""Couriers speak through the gateways' door: once, of what is known, in the order of their own clock."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.locks import lock_orders
from orders.models import Order, OrderLine, Shipment
from refunds.models import InboundWebhook, Pickup, Refund, RefundEvent
from refunds.services.acts import rebook_pickup
from tests.factories import make_order, request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.gateways import ACCOUNTS, SECRET
from workers import bootstrap
from workers.adapters.signing import sign

pytestmark = pytest.mark.django_db
COURIER = "sandbox-courier"


@pytest.fixture(autouse=True)
def accounts(settings) -> Iterator[None]:
    config = {"adapter": "http", "base_url": "http://127.0.0.1:1", "secret": SECRET}
    settings.GATEWAY_ACCOUNTS, settings.COURIER_ACCOUNTS, settings.COURIER = ACCOUNTS, {COURIER: config}, COURIER
    bootstrap.courier.cache_clear()
    yield
    bootstrap.courier.cache_clear()


@pytest.fixture
def pickup() -> Pickup:
    """Asked for, and not answered yet."""
    refund = returns.awaiting()
    slot = returns.in_days(1)
    rebook_pickup(returns.on(refund), slot_from=slot, slot_to=slot + timedelta(hours=2), actor=returns.CUSTOMER_SERVICE)
    return Pickup.objects.get(refund=refund)


def said(status: str, *, waybill: str, number: str = "", event: str = "", at: datetime | None = None) -> bytes:
    parcel = {"number": number, "waybill": waybill, "status": status, "slot": None, "reason": ""}
    stamp = (at or clock.now()).isoformat()
    told = {"id": event or f"{status} {stamp}", "type": "parcel.updated", "parcel": parcel, "occurred_at": stamp}
    return json.dumps(told).encode()


def post(body: bytes, *, account: str = COURIER, secret: str = SECRET) -> Any:
    headers = sign(secret, body, message_id="msg_1", now=time.time())
    client = Client(raise_request_exception=False)
    return client.post(f"/api/v1/webhooks/{account}", body, content_type="application/json", headers=headers)


def heard(body: bytes) -> InboundWebhook:
    """Taken; the newest that is stored."""
    assert post(body).status_code == 204
    return InboundWebhook.objects.latest("id")


def parcel(tracking_number: str) -> str:
    return Shipment.objects.get(tracking_number=tracking_number).state


def test_a_pickup_is_known_by_our_number_before_its_waybill_is(pickup) -> None:
    assert heard(said("booked", number=pickup.number, waybill="W1")).refund_id == pickup.refund_id
    Engine().begin(pickup.refund)
    found = Pickup.objects.get(pk=pickup.pk)
    assert (found.state, found.waybill) == ("booked", "W1")
    assert heard(said("collected", waybill="W1")).refund_id == pickup.refund_id
    Engine().begin(pickup.refund)
    assert Pickup.objects.get(pk=pickup.pk).state == "collected"


def test_copies_are_stored_and_applied_once(pickup) -> None:
    word = said("booked", number=pickup.number, waybill="W1", event="e1")
    for _ in range(3):
        heard(word)
    Engine().begin(pickup.refund)
    heard(word)
    Engine().begin(pickup.refund)
    assert InboundWebhook.objects.count() == 1
    assert RefundEvent.objects.filter(refund=pickup.refund, kind="pickup.booked").count() == 1


def test_an_older_word_that_comes_later_changes_nothing(pickup) -> None:
    now = clock.now()
    heard(said("booked", number=pickup.number, waybill="W1", at=now - timedelta(hours=2)))
    heard(said("collected", waybill="W1", number=pickup.number, at=now))
    heard(said("missed", waybill="W1", number=pickup.number, at=now - timedelta(hours=1)))
    Engine().begin(pickup.refund)
    found = Pickup.objects.get(pk=pickup.pk)
    assert (found.state, found.missed, found.fact_at) == ("collected", 0, now)


def test_a_carrier_whose_clock_is_ahead_is_still_heard_later(pickup) -> None:
    ahead = clock.now() + timedelta(days=300)
    heard(said("booked", number=pickup.number, waybill="W1", at=ahead))
    Engine().begin(pickup.refund)
    heard(said("collected", number=pickup.number, waybill="W1"))
    Engine().begin(pickup.refund)
    assert Pickup.objects.get(pk=pickup.pk).state == "collected"


def test_a_courier_speaks_only_of_its_own_pickups(pickup) -> None:
    Pickup.objects.update(account="another")
    assert heard(said("booked", number=pickup.number, waybill="W1")).refund_id is None


def test_what_the_customer_posted_is_known_by_its_waybill(shop) -> None:
    refund = returns.awaiting()
    shop.post(f"/refunds/{refund.number}/ship_back", {"carrier": "DHL", "tracking_number": "T-9"})
    heard(said("received", waybill="T-9"))
    Engine().begin(refund)
    assert Refund.objects.get(pk=refund.pk).state == "inspecting"


def test_a_parcel_on_its_way_out_is_told_to_the_refund_that_has_units_in_it() -> None:
    order = make_order(1000)
    shipment = ship(order, "shipped")
    [refund] = request(order).refunds
    webhook = heard(said("returned", waybill=shipment.tracking_number))
    assert (webhook.refund_id, webhook.applied_at) == (refund.pk, None)
    assert parcel(shipment.tracking_number) == "shipped"
    Engine().begin(refund)
    assert parcel(shipment.tracking_number) == "returned"


def test_other_refunds_of_the_order_look_again_when_their_parcel_has_moved() -> None:
    """Controller check 51; upstream: TestAddPod, TestUpdatePod, TestDeletePod, TestDeletePodOrphan,
    TestJobPodLookup."""
    order = make_order(1000, quantity=2)
    shipment = ship(order, "shipped")
    first, second = (request(order, ("A", 1)).refunds[0] for _ in range(2))
    for refund in (first, second):
        Engine().begin(refund)
    assert heard(said("delivered", waybill=shipment.tracking_number)).refund_id == second.pk
    Engine().begin(second)
    assert Refund.objects.get(pk=first.pk).next_reconcile_at <= returns.in_days(0) + timedelta(seconds=5)


def test_a_parcel_that_no_refund_is_about_is_brought_up_to_date_at_once() -> None:
    order = make_order(1000, quantity=2)
    shipment = ship(order, "shipped")
    webhook = heard(said("delivered", waybill=shipment.tracking_number))
    assert webhook.refund_id is None and webhook.applied_at
    assert parcel(shipment.tracking_number) == "delivered"
    assert OrderLine.objects.get(order=order).delivered == 2
    assert Order.objects.get(pk=order.pk).state == "delivered"


def test_a_refund_of_other_units_does_not_swallow_the_word() -> None:
    order = make_order(1000, 500)
    shipment = ship(order, "shipped")
    shipment.lines.filter(order_line__sku="B").delete()
    OrderLine.objects.filter(order=order, sku="B").update(shipped=0)
    request(order, ("B", 1))
    heard(said("lost", waybill=shipment.tracking_number))
    assert parcel(shipment.tracking_number) == "lost"


def test_outward_words_keep_the_carriers_order_and_its_copies_count_once() -> None:
    order, now = make_order(1000), clock.now()
    shipment = ship(order, "shipped")
    for _ in range(2):
        heard(said("delivered", waybill=shipment.tracking_number, at=now, event="d"))
    heard(said("returning", waybill=shipment.tracking_number, at=now - timedelta(hours=1)))
    heard(said("lost", waybill=shipment.tracking_number, at=now))
    assert parcel(shipment.tracking_number) == "delivered"
    assert OrderLine.objects.get(order=order).delivered == 1


@pytest.mark.parametrize("status", ["booked", "collected", "delivered", "returned"])
def test_an_unknown_waybill_is_kept_and_changes_nothing(status, fingerprint, shop) -> None:
    ship(make_order(1000), "shipped")
    before = fingerprint()
    webhook = heard(said(status, waybill="nobody's"))
    assert webhook.refund_id is None
    after = fingerprint()
    assert {table for table in before if before[table] != after[table]} == {"refunds_inboundwebhook"}


UNSOUND = (
    b"",
    b"[]",
    b'{"type": "parcel.updated", "id": "e", "parcel": {}}',
    b'{"type": "parcel.updated", "id": "e", "parcel": {"waybill": "W", "status": "eaten"}}',
)


@pytest.mark.parametrize("body", UNSOUND)
def test_what_is_not_understood_stores_nothing(body) -> None:
    assert post(body).status_code == 422
    assert not InboundWebhook.objects.exists()


def test_nobody_else_speaks_for_a_courier() -> None:
    assert post(said("booked", waybill="W1"), secret="whsec_" + "YWJj" * 8).status_code == 401
    assert not InboundWebhook.objects.exists()


@pytest.mark.parametrize("fields", [{"waybill": "W" * 101}, {"waybill": "W", "event": "e" * 201}, {"waybill": ""}])
def test_what_no_row_could_hold_is_refused(fields) -> None:
    assert post(said("booked", **fields)).status_code == 422
    assert not InboundWebhook.objects.exists()


def test_a_courier_is_not_heard_at_a_gateways_account() -> None:
    assert post(said("booked", waybill="W1"), account="sandbox").status_code == 204
    assert not InboundWebhook.objects.exists()
    assert post(said("booked", waybill="W1"), account="nobody").status_code == 404


def test_storing_for_a_refund_is_one_statement_and_takes_no_lock(pickup) -> None:
    word = said("booked", number=pickup.number, waybill="W1")
    with CaptureQueriesContext(connection) as queries:
        post(word)
    statements = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(statements) == 1 and "FOR NO KEY UPDATE" not in statements[0]


@pytest.mark.django_db(transaction=True)
def test_a_busy_order_has_its_parcels_word_sent_again() -> None:
    order = make_order(1000)
    shipment = ship(order, "shipped")
    held, free = threading.Event(), threading.Event()
    other = threading.Thread(target=_hold, args=(order.pk, held, free))
    other.start()
    try:
        assert held.wait(10)
        answer = post(said("delivered", waybill=shipment.tracking_number))
    finally:
        free.set()
        other.join(10)
    assert (answer.status_code, InboundWebhook.objects.count()) == (503, 0)
    heard(said("delivered", waybill=shipment.tracking_number))
    assert parcel(shipment.tracking_number) == "delivered"


def _hold(order_id: int, held: threading.Event, free: threading.Event) -> None:
    try:
        with transaction.atomic():
            lock_orders([order_id])
            held.set()
            free.wait(20)
    finally:
        connection.close()
