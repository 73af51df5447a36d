"""What a message about goods on their way back tells, read from real rows as they are when it is claimed."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from orders.clock import now
from orders.models import Order, Shipment
from refunds import records
from refunds.messages.facts import MessageFacts
from refunds.models import Notification, Pickup, Refund, RefundLine
from refunds.selectors.message_facts import message_facts
from tests.integration.notifications.owed import Case, make_case, pass_time

pytestmark = pytest.mark.django_db


def returning(number: str = "1001", **fields: Any) -> Case:
    """A refund that waits for its goods."""
    case = make_case(number)
    given = {"state": "awaiting_return", "route": "pickup", "deadline": now() + timedelta(days=14)} | fields
    Refund.objects.filter(pk=case.refund.pk).update(**given)
    return case


def visit(case: Case, n: int = 1, *, days: int = 1, **fields: Any) -> Pickup:
    at = now()
    given = {"state": "booked", "slot_from": at + timedelta(days=days), "slot_to": at + timedelta(days=days, hours=4)}
    return Pickup.objects.create(
        refund=case.refund, number=f"{case.refund.number}-P{n}", created_at=at, **given | fields
    )


def parcel(order: Order, state: str) -> Shipment:
    at = now()
    return Shipment.objects.create(order=order, state=state, shipped_at=at, fact_at=at, created_at=at)


def facts(row: Notification) -> MessageFacts:
    return message_facts([row])[row.id]


def told(case: Case, template: str = "pickup_booked") -> MessageFacts:
    return facts(case.owe(template))


def test_visit_that_is_booked_is_told_with_the_customers_deadline() -> None:
    case = returning()
    pickup = visit(case)
    said = told(case)
    assert said.visit is not None and (said.visit.starts_at, said.visit.ends_at) == (pickup.slot_from, pickup.slot_to)
    assert (said.deadline, said.waits, said.again) == (
        Refund.objects.get(pk=case.refund.pk).deadline,
        True,
        False,
    )


@pytest.mark.parametrize("fields", [{"state": "intended"}, {"state": "missed"}, {"unwanted": True}, {"slot_to": None}])
def test_visit_that_is_only_wished_for_or_off_is_not_told(fields: dict[str, Any]) -> None:
    case = returning()
    visit(case, **fields)
    assert told(case).visit is None


def test_newest_wanted_visit_counts() -> None:
    case = returning()
    visit(case, state="cancelled")
    second = visit(case, 2, days=3)
    visit(case, 3, unwanted=True)
    said = told(case)
    assert said.visit is not None and said.visit.starts_at == second.slot_from


def test_visit_that_is_over_is_not_told_any_more() -> None:
    case = returning()
    visit(case)
    pass_time(hours=30)
    assert told(case, "reminder").visit is None


def test_second_visit_told_is_a_new_time_and_over_each_channel_alike() -> None:
    case = returning()
    first = case.owe("pickup_booked", event_seq=3)
    mail, sms = case.owe("pickup_booked", event_seq=7), case.owe("pickup_booked", channel="sms", event_seq=7)
    said = message_facts([first, mail, sms])
    assert [said[row.id].again for row in (first, mail, sms)] == [False, True, True]


def test_deadline_of_another_state_is_not_the_customers() -> None:
    said = told(returning(state="in_review"), "pickup_missed")
    assert (said.deadline, said.waits) == (None, False)


def test_findings_are_those_of_the_whole_line() -> None:
    case = returning(state="refunding")
    RefundLine.objects.filter(refund=case.refund, order_line__name="Desk lamp").update(quantity=0, damaged=1, missing=1)
    RefundLine.objects.filter(refund=case.refund, order_line__name="Walnut desk").update(accepted=1)
    desk, lamp = told(case, "parcel_checked").items
    assert (desk.announced, desk.accepted, desk.quantity) == (1, 1, 1)
    assert (lamp.announced, lamp.accepted, lamp.damaged, lamp.wrong_item, lamp.missing) == (2, 0, 1, 0, 1)


def test_units_that_were_not_approved_are_told_before_and_after_the_inspection() -> None:
    case = returning()
    rows = RefundLine.objects.filter(refund=case.refund)
    rows.filter(order_line__name="Walnut desk").update(quantity=0)
    rows.filter(order_line__name="Desk lamp").update(quantity=1)
    assert [(item.name, item.denied) for item in told(case).items] == [("Walnut desk", 1), ("Desk lamp", 1)]
    rows.filter(order_line__name="Desk lamp").update(quantity=0, damaged=1)
    assert [item.denied for item in told(case, "refunded").items] == [1, 1]


def test_units_that_are_not_with_the_customer_are_told_apart() -> None:
    """One never left, of the other line one was delivered and one came back."""
    case = returning()
    lamp = RefundLine.objects.get(refund=case.refund, order_line__name="Desk lamp")
    RefundLine.objects.filter(pk=lamp.pk).update(quantity=1, shipment=parcel(case.order, "delivered"))
    rest = {"quantity": 1, "announced": 1, "amount_minor": 0, "tax_minor": 0}
    RefundLine.objects.create(
        refund=case.refund, order_line=lamp.order_line, shipment=parcel(case.order, "returned"), **rest
    )
    assert [(item.name, item.quantity, item.elsewhere) for item in told(case).items] == [
        ("Walnut desk", 1, 1),
        ("Desk lamp", 2, 1),
    ]


@pytest.mark.parametrize(
    ("state", "fields", "said"),
    [
        ("shipped", {"tracking_number": "T1"}, "stops"),
        ("intercepting", {"tracking_number": "T1", "attempt": 1}, "stops"),
        ("shipped", {"tracking_number": "T1", "attempt": 1, "last_error": "too_late"}, "comes"),
        ("shipped", {"tracking_number": "T1", "attempt": 1, "call": "unknown"}, "stops"),
        ("shipped", {}, "comes"),
        ("returned", {}, "is_back"),
        ("lost", {}, "is_back"),
    ],
)
def test_a_parcel_on_its_way_out_is_told_as_it_is(state: str, fields: dict[str, Any], said: str) -> None:
    case = returning(route="intercept")
    shipment = parcel(case.order, state)
    Shipment.objects.filter(pk=shipment.pk).update(**fields)
    RefundLine.objects.filter(refund=case.refund).update(shipment=shipment)
    facts = told(case, "approved")
    assert [name for name in ("stops", "comes", "is_back") if getattr(facts, name)] == [said]


def test_rejection_carries_its_reason() -> None:
    assert told(returning(state="rejected", rejection="Worn."), "rejected").reason == "Worn."


@pytest.mark.parametrize(
    "fields, asked",
    [
        ({"requested_role": "shop"}, False),
        ({"requested_role": "support"}, False),
        ({"requested_role": "shop", "reason_code": "damaged"}, True),
        ({"requested_role": "shop", "note": "Too small."}, True),
        ({"requested_role": "customer"}, True),
    ],
)
def test_refund_without_a_customers_word_was_not_asked_for(fields: dict[str, str], asked: bool) -> None:
    assert told(returning(**fields), "received").asked is asked


@pytest.mark.parametrize(
    "shipping, pickup, country",
    [
        ({"country": "CN"}, None, "CN"),
        ({"country": "CN"}, {"country": "DE"}, "DE"),
        ({"country": "CN"}, {"city": "Ulm"}, "CN"),
        ({}, None, ""),
    ],
)
def test_clock_is_that_of_where_the_courier_comes(shipping: Any, pickup: Any, country: str) -> None:
    case = returning(pickup_address=pickup)
    Order.objects.filter(pk=case.order.pk).update(shipping_address=shipping)
    assert told(case).country == country


def test_facts_of_any_number_of_returns_take_three_statements() -> None:
    for size in (1, 10):
        rows = []
        for n in range(size):
            case = returning(f"{size}-{n}")
            visit(case)
            rows.append(case.owe("pickup_booked"))
        with records.counted() as statements:
            assert len(message_facts(rows)) == size
        assert len(statements) == 3


def test_a_mail_leads_to_the_page_of_its_request_by_the_same_address_at_every_attempt() -> None:
    case = returning()
    row = case.owe()
    page = facts(row).page
    path = page.removeprefix(settings.BASE_URL)
    assert case.order.number not in path and case.order.customer_email not in path
    assert path.endswith(f"/requests/RFTEST-R{case.refund.pk}") and Client().get(path).status_code == 200
    pass_time(hours=1)
    assert facts(row).page == page
    pass_time(hours=30 * 24)
    assert Client().get(path).status_code == 404
