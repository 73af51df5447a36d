"""Incidents at the console: each has a page, on which it is closed with a note, or it says why not."""

import pytest

from orders import clock
from orders.models import Channel
from orders.roles import Role
from refunds.models import Incident, Refund
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db
NOTE = "The carrier brings it back."


def an_incident(about: Refund, kind: str = "shipped_after_refund", **columns: object) -> Incident:
    now = clock.now()
    facts = {"order": about.order, "refund": about, "opened_at": now, "due_at": now} | columns
    return Incident.objects.create(kind=kind, **facts)


def close(person: Person, incident: Incident, **said: str) -> Page:
    return person.post(f"incidents/{incident.pk}/", {"note": NOTE, "once": "a"} | said)


@pytest.fixture
def refund() -> Refund:
    return returns.refunded()


def test_it_is_closed_from_the_list_and_the_case_says_so(refund) -> None:
    incident, person = an_incident(refund), Person(Role.SUPPORT)
    address = f"/console/incidents/{incident.pk}/"
    assert address in person.get("incidents/").html and address in person.case(refund).html
    assert "Close the incident" in person.get(f"incidents/{incident.pk}/")
    assert close(person, incident).headers["Location"] == "/console/incidents/"
    assert address not in person.get("incidents/").html
    case = person.case(refund)
    assert "Incident closed: Shipped although refunded" in case and NOTE in case
    page = person.get(f"incidents/{incident.pk}/")
    assert NOTE in page and "Closed Grace," in page and "Close the incident" not in page


def test_one_about_money_of_an_order_is_closed_by_finance(refund) -> None:
    incident = an_incident(refund, "excess", refund=None, data={"amount_minor": 500})
    page = Person(Role.SUPPORT).get(f"incidents/{incident.pk}/")
    assert "€5.00" in page and "Your role may not close it." in page and "<textarea" not in page.html
    assert close(Person(Role.AUDITOR, name="eve"), incident).status == 403
    assert close(Person(Role.FINANCE, name="ada"), incident).status == 302


def test_who_comes_second_is_told_and_what_he_typed_stays(refund) -> None:
    incident, grace, ada = an_incident(refund), Person(Role.SUPPORT), Person(Role.SUPPORT, name="ada")
    assert close(ada, incident).status == 302
    page = close(grace, incident, note="It never left.")
    assert page.status == 409 and "Somebody else has closed this incident already." in page
    assert "It never left." in page and "Closed Ada," in page
    assert Incident.objects.get(pk=incident.pk).note == NOTE


def test_a_second_click_tells_nothing_odd(refund) -> None:
    incident, person = an_incident(refund), Person(Role.SUPPORT)
    assert {close(person, incident).status for _ in range(2)} == {302}


def test_without_a_note_it_stays_open(refund) -> None:
    incident, person = an_incident(refund), Person(Role.SUPPORT)
    page = close(person, incident, note=" ")
    assert page.status == 422 and "This field is required." in page
    assert Incident.objects.get(pk=incident.pk).closed_at is None


def test_what_lasts_says_that_it_ends_by_itself() -> None:
    incident, person = an_incident(returns.failed(), "refund_failed"), Person(Role.FINANCE)
    page = person.get(f"incidents/{incident.pk}/")
    assert "What caused it is not over yet" in page and "<textarea" not in page.html
    refused = close(person, incident)
    assert refused.status == 409 and NOTE in refused


def test_a_foreign_one_is_not_there(refund) -> None:
    incident = an_incident(refund)
    outsider = Person(Role.SUPERVISOR, Channel.objects.create(slug="other", name="Other"))
    assert outsider.get(f"incidents/{incident.pk}/").status == close(outsider, incident).status == 404
