"""A whole return as its customer reads it: the engine's own acts and facts in, finished mails out."""

from datetime import timedelta

import pytest

from orders import clock
from refunds.messages.render import render_message
from refunds.models import Notification, Pickup, Refund
from refunds.parcels import ParcelAct
from refunds.selectors.message_facts import message_facts
from refunds.services.acts import Approval, Inspected, approve, inspect, receive
from refunds.services.reconcile import ParcelTold
from tests.factories import make_order, request, ship
from tests.integration.engine.conftest import Engine, engine
from tests.integration.engine.returns import AGENT, WAREHOUSE, Courier, fact, only_call, target, work
from workers.ports import Booked, ParcelsFound, ParcelStatus, Slot

__all__ = ["engine"]

pytestmark = pytest.mark.django_db(transaction=True)


def book(engine: Engine, refund: Refund, waybill: str, *, days: int) -> None:
    out = only_call(engine, refund, ParcelAct.BOOK)
    start = clock.now() + timedelta(days=days)
    slot = Slot(start, start + timedelta(hours=4))
    engine.record([ParcelTold(out, Booked(fact(out.subject, waybill, ParcelStatus.BOOKED, slot)))])


def newest_mail(refund: Refund) -> tuple[str, str]:
    row = Notification.objects.filter(refund=refund, channel="email").latest("id")
    return row.template, render_message(message_facts([row])[row.id]).text


def test_return_with_a_missed_visit_reads_as_it_went(engine: Engine) -> None:
    order = make_order(1000, quantity=3, customer_locale="en", shipping_address={"country": "CN"})
    ship(order)
    [refund] = request(order).refunds
    engine.begin(refund)
    assert "A refund of €30.00 for order" in newest_mail(refund)[1]
    approve(target(refund), Approval(), actor=AGENT)
    book(engine, refund, "W1", days=1)
    template, text = newest_mail(refund)
    assert template == "pickup_booked" and "Your refund of €30.00" in text and "UTC+8" in text and "3 × " in text
    Pickup.objects.filter(refund=refund).update(retry_at=clock.now())
    out = only_call(engine, refund, ParcelAct.TRACK)
    missed = fact(out.subject, "W1", ParcelStatus.MISSED)
    engine.record([ParcelTold(out, ParcelsFound((missed,)))])
    template, text = newest_mail(refund)
    assert template == "pickup_missed" and "A new visit is being booked." in text
    book(engine, refund, "W2", days=3)
    template, text = newest_mail(refund)
    assert template == "pickup_booked" and text.startswith("The courier comes at a new time")
    receive(target(refund), actor=WAREHOUSE)
    inspect(target(refund), [Inspected("A", accepted=2, damaged=1)], actor=WAREHOUSE)
    template, text = newest_mail(refund)
    assert template == "parcel_checked" and "now €20.00" in text and "3 announced: 2 accepted, 1 damaged" in text
    work(engine, Courier(), refund)
    template, text = newest_mail(refund)
    assert template == "refunded" and "- 2 × " in text
