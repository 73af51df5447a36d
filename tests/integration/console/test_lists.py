"""Queues hold what waits for people, search finds by whatever is known, and no page's statements grow with its rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders import clock
from orders.roles import Role
from refunds.models import GatewayRefund, Incident, Pickup, Refund
from refunds.selectors.queues import Queue, queue, queue_counts
from refunds.states import FINAL_STATES
from tests.factories import make_order, request, ship
from tests.integration.console.people import Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


def put(refund: Refund, **columns: Any) -> Refund:
    Refund.objects.filter(pk=refund.pk).update(**columns)
    return refund


def an_incident(refund: Refund, kind: str) -> Incident:
    now = clock.now()
    return Incident.objects.create(kind=kind, order=refund.order, refund=refund, opened_at=now, due_at=now)


def a_pickup(refund: Refund, state: str, **facts: Any) -> Pickup:
    number = f"{refund.number}-P{Pickup.objects.count() + 1}"
    return Pickup.objects.create(
        refund=refund, number=number, state=state, account="sandbox-courier", created_at=clock.now(), **facts
    )


def within(hours: float) -> dict[str, Any]:
    return {"deadline": clock.now() + timedelta(hours=hours)}


def queues_of(refund: Refund, person: Person) -> set[str]:
    """Where the case is, listed and counted alike."""
    assert person.principal
    me = {"channels": [refund.order.channel_id], "principal_id": person.principal.pk}
    counts = queue_counts(**me)
    listed = {name for name in Queue if refund in queue(name, **me)}
    assert {name for name, length in counts.items() if length} == listed
    return {str(name) for name in listed}


@pytest.fixture
def person(db) -> Person:
    return Person(Role.SUPPORT)


def test_a_review_waits_for_somebody_until_it_is_mine(person) -> None:
    refund = returns.in_review()
    assert queues_of(refund, person) == {"unassigned"}
    put(refund, assignee=person.principal)
    assert queues_of(refund, person) == {"mine"}


def test_what_the_engine_carries_on_waits_for_nobody(person) -> None:
    [refund] = request(make_order()).refunds
    assert queues_of(refund, person) == set()


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (lambda: within(1), {"unassigned", "due_soon"}),
        (lambda: within(25), {"unassigned"}),
        (lambda: within(-1), {"unassigned", "overdue"}),
        (lambda: within(-1) | {"held_until": clock.now(), "held_from": clock.now()}, {"unassigned"}),
        (lambda: {"requested_role": "supervisor"}, {"unassigned", "second_approval"}),
        (lambda: {"requested_role": "supervisor", "state": "refunding"}, set()),
        (lambda: {"state": "failed"}, {"unassigned", "money"}),
    ],
)
def test_deadlines_requesters_and_failures_put_it_into_their_queues(person, columns, expected) -> None:
    assert queues_of(put(returns.in_review(), **columns()), person) == expected


@pytest.mark.parametrize("state", sorted(FINAL_STATES))
def test_what_has_ended_is_in_no_queue_but_for_an_open_case_of_money(person, state) -> None:
    refund = put(returns.in_review(), state=state, assignee=person.principal, next_reconcile_at=None, **within(-1))
    assert queues_of(refund, person) == set()
    incident = an_incident(refund, "shipped_after_refund")
    assert queues_of(refund, person) == {"money"}
    Incident.objects.filter(pk=incident.pk).update(closed_at=clock.now())
    assert queues_of(refund, person) == set()


def test_an_unknown_outcome_is_money_trouble(person) -> None:
    refund = returns.in_review()
    GatewayRefund.objects.filter(refund=refund).update(call="unknown")
    assert queues_of(refund, person) == {"unassigned", "money"}


@pytest.mark.parametrize("kind", ["review_overdue", "message_refused", "message_undelivered"])
def test_an_incident_about_something_else_is_no_money_trouble(person, kind) -> None:
    refund = returns.in_review()
    an_incident(refund, kind)
    assert queues_of(refund, person) == {"unassigned"}


@pytest.mark.parametrize("state", ["missed", "refused", "lost"])
def test_the_latest_parcel_tells_whether_the_courier_is_in_trouble(person, state) -> None:
    refund = returns.awaiting()
    a_pickup(refund, state)
    assert queues_of(refund, person) == {"courier"}
    a_pickup(refund, "booked", unwanted=True)
    assert queues_of(refund, person) == {"courier"}
    a_pickup(refund, "booked")
    assert queues_of(refund, person) == set()


def test_no_courier_to_be_had_is_trouble_and_so_is_a_return_that_failed(person) -> None:
    refund = returns.awaiting()
    pickup = a_pickup(refund, "intended", refusal="none_available")
    assert queues_of(refund, person) == {"courier"}
    Pickup.objects.filter(pk=pickup.pk).update(refusal="")
    assert queues_of(refund, person) == set()
    an_incident(refund, "return_failed")
    assert queues_of(refund, person) == {"courier"}


def test_the_pages_show_the_queues_with_their_lengths(person) -> None:
    mine, hers = returns.in_review(), returns.in_review(actor=person.actor)
    put(mine, assignee=person.principal)
    front = person.get("")
    assert "1 Mine" in front and "1 Needs a second person" in front
    page = person.get("refunds/", queue="mine")
    assert mine.number in page.html and hers.number not in page.html
    assert "requested by me" in person.get("refunds/", queue="second_approval")
    assert "requested by a colleague" in Person(Role.AUDITOR, name="ada").get("refunds/", queue="second_approval")


def test_it_is_found_by_whatever_is_known_of_it(person) -> None:
    order = make_order(number="A-17", customer_name="Ada Lovelace", customer_email="ada@example.org", quantity=2)
    parcel = ship(order)
    [refund] = request(order).refunds
    a_pickup(refund, "booked", waybill="WB77")
    other = returns.in_review()
    prefix = refund.number.rpartition("-")[0]
    known = [
        refund.number,
        refund.number.lower(),
        f"{prefix}-R{refund.request_id}",
        "A-17",
        "ada@EXAMPLE.org",
        "lovelace",
    ]
    known += [order.customer_phone, parcel.tracking_number, "wb77", f"{refund.number}-P1", "  A-17 "]
    for text in known:
        page = person.get("refunds/", q=text)
        assert f"/{refund.number}/" in page.html and f"/{other.number}/" not in page.html, text
    for text in ("A-17", "lovelace", parcel.tracking_number):
        assert f"/console/orders/{order.pk}/" in person.get("orders/", q=text).html
    for text in ("nothing like it", "\x00%", "-R1", "'\"<", "9" * 99):
        assert refund.number not in person.get("refunds/", q=text), text


def test_state_and_route_narrow_a_list_and_odd_words_do_not(person) -> None:
    review = returns.in_review()
    [instant] = request(make_order()).refunds
    assert review.number in person.get("refunds/", state="in_review") and instant.number not in person.get(
        "refunds/", state="in_review"
    )
    assert instant.number in person.get("refunds/", route="instant")
    odd = person.get("refunds/", state="eaten", route="1", queue="x", page="none")
    assert odd.status == 200 and review.number in odd and instant.number in odd


def test_an_order_shows_its_refunds_and_nothing_to_press(person) -> None:
    refund = returns.in_review()
    page = person.get(f"orders/{refund.order_id}/")
    assert refund.number in page and refund.order.customer_email in page and page.doors == set()


def test_incidents_are_listed_the_most_urgent_first(person) -> None:
    late, later = returns.in_review(), returns.in_review()
    an_incident(late, "refund_failed")
    an_incident(later, "excess")
    page = person.get("incidents/")
    assert page.text.index(late.number) < page.text.index(later.number)
    assert "Payment failed" in page and "More paid back than was captured" in page


def statements(person: Person, path: str, **said: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert person.get(path, **said).status == 200
    return len(queries)


@pytest.mark.parametrize(
    ("path", "said", "most"),
    [
        ("", {}, 5),
        ("refunds/", {}, 8),
        ("refunds/", {"queue": "unassigned"}, 8),
        ("refunds/", {"q": "customer"}, 8),
        ("orders/", {}, 7),
        ("incidents/", {}, 8),
    ],
)
def test_a_list_takes_the_same_statements_whatever_is_on_it(person, path, said, most) -> None:
    counts = []
    for _ in range(2):
        for refund in (returns.in_review(), returns.awaiting(), returns.failed()):
            an_incident(refund, "refund_failed")
            put(refund, assignee=person.principal if counts else None)
        returns.in_review()
        counts.append(statements(person, path, **said))
    assert counts[0] == counts[1] <= most, counts


def test_a_case_and_an_order_take_the_same_statements_however_much_has_happened(person) -> None:
    counts = []
    for quantity in (1, 2):
        order = make_order(*[1000] * quantity, quantity=quantity)
        for _ in range(quantity):
            ship(order) if quantity == 1 else None
        refund = request(order).refunds[0]
        for n in range(quantity):
            a_pickup(refund, "missed")
            an_incident(refund, f"kind_{n}")
            Person(Role.SUPPORT, name=f"colleague{quantity}{n}")
        counts.append((statements(person, f"refunds/{refund.number}/"), statements(person, f"orders/{order.pk}/")))
    assert counts[0] >= counts[1] and counts[0][0] <= 18 and counts[0][1] <= 16, counts
