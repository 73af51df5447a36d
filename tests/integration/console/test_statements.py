"""No page's statements grow with what is on it: as many for 30 rows of everything as for 3."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.models import Order, OrderLine, Principal, Shipment
from orders.roles import Role
from refunds.models import Incident, Pickup, Refund, RefundLine
from refunds.selectors.queues import Queue
from tests.integration.console.people import Person
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db
LISTS = [
    "",
    "refunds/",
    *(f"refunds/?queue={name}" for name in Queue),
    "refunds/?state=in_review&route=pickup",
    "refunds/?q=lovelace",
    "orders/",
    "orders/?q=lovelace",
    "incidents/",
]
#: The most that any page takes; far from what a statement for each row would come to.
MOST = 20
_serial = count(1)


def statements(person: Person, path: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert person.get(path).status == 200
    return len(asked)


def an_incident(refund: Refund, **columns: object) -> Incident:
    times = {"opened_at": clock.now(), "due_at": clock.now()}
    return Incident.objects.create(order=refund.order, refund=refund, **times | columns)


def a_pickup(refund: Refund, **columns: object) -> Pickup:
    number = f"{refund.number}-P{next(_serial)}"
    return Pickup.objects.create(refund=refund, number=number, created_at=clock.now(), **columns)


def in_every_queue(person: Person) -> None:
    """Two refunds that are in all the queues between them, each with a movement and a parcel."""
    columns = {"state": "in_review", "route": "pickup", "requested_role": "support"}
    facts = ({"assignee": person.principal, "deadline": clock.now() + timedelta(hours=1)}, {"deadline": clock.now()})
    for more in facts:
        order = rows.an_order(rows.default_channel(), held=1, withheld=1, refunded_minor=500)
        Order.objects.filter(pk=order.pk).update(customer_name="Ada Lovelace")
        refund = rows.a_refund(order, **columns, **more)
        rows.a_movement(refund, account="sandbox")
        a_pickup(refund, state="missed")
        an_incident(refund, kind="shipped_after_refund")


def test_a_list_takes_as_many_for_thirty_rows_as_for_three() -> None:
    person = Person(Role.SUPERVISOR)
    for _ in range(3):
        in_every_queue(person)
    few = {path: statements(person, path) for path in LISTS}
    for _ in range(27):
        in_every_queue(person)
    assert {path: statements(person, path) for path in LISTS} == few
    assert max(few.values()) <= MOST, few


def much_happens(refund: Refund, n: int) -> None:
    """One more of whatever can belong to a refund, or to its order."""
    now, order = clock.now(), refund.order
    line = OrderLine.objects.create(
        order=order, line_id=f"l{n}", position=n, sku=f"S{n}", name="Mug", quantity=9, list_minor=0
    )
    parcel = Shipment.objects.create(order=order, shipped_at=now, fact_at=now, created_at=now)
    RefundLine.objects.create(
        refund=refund, order_line=line, shipment=parcel, quantity=1, announced=1, amount_minor=0, tax_minor=0
    )
    colleague = Principal.objects.create(name=f"Colleague {n}", role=Role.SUPPORT, user=Person(None, name=f"c{n}").user)
    colleague.channels.add(order.channel)
    rows.a_movement(refund, account="sandbox", number=f"{refund.number}-{n}")
    rows.a_message(refund, event_seq=n)
    rows.an_event(refund, "refund.assigned", to=f"principal:{colleague.pk}")
    a_pickup(refund, state="missed")
    an_incident(refund, kind="excess", closed_at=now, closed_by=f"principal:{colleague.pk}")
    Refund.objects.create(order=order, number=f"RS-{n}", **{name: getattr(refund, name) for name in _COPIED})


_COPIED = ("request_id", "state", "route", "requested_by", "requested_role", "currency", "amount_minor", "sheet")
_COPIED += ("policy_version", "next_reconcile_at", "created_at", "updated_at")


def test_a_page_takes_as_many_for_thirty_of_everything_as_for_three() -> None:
    person = Person(Role.SUPERVISOR)
    refund = rows.a_refund(rows.an_order(rows.default_channel()), state="in_review", route="pickup")
    incident = an_incident(refund, kind="shipped_after_refund")
    pages = [f"refunds/{refund.number}/", f"orders/{refund.order_id}/", f"incidents/{incident.pk}/"]
    for n in range(2, 5):
        much_happens(refund, n)
    assert statements(person, pages[0])  # whatever a process reads once and keeps, it has read
    few = {path: statements(person, path) for path in pages}
    for n in range(5, 32):
        much_happens(refund, n)
    assert {path: statements(person, path) for path in pages} == few
    assert max(few.values()) <= MOST, few


def test_asking_about_many_at_once_takes_as_many_for_thirty_as_for_three() -> None:
    person, counts = Person(Role.SUPPORT), []
    for many in (3, 30):
        with CaptureQueriesContext(connection) as asked:
            said = {"action": "approve", "refund": [f"RF-{n} 1" for n in range(many)]}
            assert person.post("refunds/bulk/", said).status == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= MOST, counts
