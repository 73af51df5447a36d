"""Queues hold what waits for people; lists of refunds, orders and incidents."""

from datetime import timedelta
from typing import Any

import pytest

from orders import clock
from orders.roles import Role
from refunds.console import presenter, words
from refunds.models import GatewayRefund, Incident, Pickup, Refund
from refunds.selectors.queues import Queue, queue, queue_counts
from refunds.states import FINAL_STATES
from tests.factories import make_order, request
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


IN_AND_OUT = {
    # queue                  what is in it                                      and what is not, for the same agent
    Queue.UNASSIGNED: (lambda mine, hers: {}, lambda mine, hers: {"assignee": hers}),
    Queue.MINE: (lambda mine, hers: {"assignee": mine}, lambda mine, hers: {"assignee": hers}),
    Queue.DUE_SOON: (lambda mine, hers: within(23), lambda mine, hers: within(25)),
    Queue.OVERDUE: (lambda mine, hers: within(-1), lambda mine, hers: within(1)),
    Queue.SECOND_APPROVAL: (
        lambda mine, hers: {"requested_role": "support"},
        lambda mine, hers: {"requested_role": "shop"},
    ),
    Queue.MONEY: (lambda mine, hers: {"state": "failed"}, lambda mine, hers: {"state": "refunding"}),
}


@pytest.mark.parametrize("name", IN_AND_OUT)
def test_a_queue_lists_and_counts_what_is_in_it_and_nothing_else(person, name) -> None:
    colleague = Person(Role.SUPPORT, name="ada")
    inside, outside = (
        put(returns.in_review(), **columns(person.principal, colleague.principal)) for columns in IN_AND_OUT[name]
    )
    page = person.get("refunds/", queue=name)
    assert f"/{inside.number}/" in page.html and f"/{outside.number}/" not in page.html
    assert f"1 {words.QUEUES[name]}" in person.get("")


def test_the_pages_show_the_queues_with_their_lengths(person) -> None:
    mine, hers = returns.in_review(), returns.in_review(actor=person.actor)
    put(mine, assignee=person.principal)
    front = person.get("")
    assert "1 Mine" in front and "1 Needs a second person" in front
    page = person.get("refunds/", queue="mine")
    assert mine.number in page.html and hers.number not in page.html
    assert "requested by me" in person.get("refunds/", queue="second_approval")
    assert "requested by a colleague" in Person(Role.AUDITOR, name="ada").get("refunds/", queue="second_approval")


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


def test_of_goods_that_never_left_nothing_is_said() -> None:
    [never_left] = request(make_order(1000)).refunds
    agent = Person(Role.SUPPORT)
    assert "The goods come back" not in agent.case(never_left).text
    assert "The goods come back" in agent.case(returns.in_review()).text


def test_a_clock_that_stands_still_is_not_overdue_whatever_the_time(person) -> None:
    now = clock.now()
    held = {"held_from": now - timedelta(hours=3), "held_until": now + timedelta(days=1)}
    refund = put(returns.in_review(), deadline=now - timedelta(hours=1), **held)
    refund = Refund.objects.get(pk=refund.pk)
    told = presenter.deadline_of(refund, now)
    assert (told["left"], told["over"], told["held"]) == ("2 hours left", False, True)
    assert "The clock stands still" in person.case(refund).text
