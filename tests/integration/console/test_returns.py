"""A parcel without a case at the console: noted, matched to its refund, or set aside."""

import pytest

from orders.models import Channel
from orders.roles import Role
from refunds.models import Incident, Refund, RefundEvent
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db
READ = {"tracking_number": "X9", "note": "Two red shoes.", "once": "a"}


def unknown(person: Person) -> Incident:
    person.post("returns/", READ)
    return Incident.objects.get(kind="unknown_parcel")


def match(person: Person, incident: Incident, **said: str) -> Page:
    return person.post(f"incidents/{incident.pk}/match/", {"once": "m"} | said)


def state(refund: Refund) -> str:
    return Refund.objects.get(pk=refund.pk).state


def test_what_is_awaited_leads_to_its_case() -> None:
    refund, person = returns.awaiting(), Person(Role.WAREHOUSE)
    assert "/console/returns/" in person.get("").html and "Take the parcel" in person.get("returns/")
    page = person.post("returns/", {"order": refund.order.number, "once": "a"})
    assert (page.status, page.headers["Location"]) == (302, f"/console/refunds/{refund.number}/")
    assert state(refund) == "inspecting"


def test_what_leads_to_nobody_is_one_incident_that_is_matched() -> None:
    refund, person = returns.awaiting(), Person(Role.WAREHOUSE)
    incident = unknown(person)
    assert Incident.objects.count() == 1
    page = person.get(f"incidents/{incident.pk}/")
    assert "It is this refund's" in page and "Close the incident" not in page and "q=X9" in page.html
    agent = Person(Role.SUPPORT, name="ada")
    assert "Close the incident" in agent.get(f"incidents/{incident.pk}/")
    for _ in range(2):
        done = match(agent, incident, refund=refund.number, note="He wrote.")
        assert (done.status, done.headers["Location"]) == (302, f"/console/refunds/{refund.number}/")
    incident.refresh_from_db()
    assert (state(refund), incident.refund_id, incident.note) == ("inspecting", refund.pk, "He wrote.")
    assert RefundEvent.objects.filter(kind="refund.parcel_matched", refund=refund).count() == 1
    assert "A parcel nobody knew of is of this refund" in person.case(refund)


def test_a_number_of_nothing_and_a_refund_that_awaits_nothing_are_refused() -> None:
    person = Person(Role.SUPPORT)
    incident, paid = unknown(Person(Role.WAREHOUSE, name="wally")), returns.refunded()
    for once, number, status, words in (
        ("a", "RF-0", 422, "There is no such refund."),
        ("b", paid.number, 409, "No goods were to"),
        ("c", "", 422, "This field is required."),
    ):
        page = match(person, incident, refund=number, once=once, note="His handwriting.")
        assert page.status == status and words in page and "His handwriting." in page, number
    assert Incident.objects.get(pk=incident.pk).closed_at is None


def test_who_comes_second_is_told() -> None:
    person, first = Person(Role.SUPPORT), returns.awaiting()
    incident = unknown(Person(Role.WAREHOUSE, name="wally"))
    match(person, incident, refund=first.number)
    page = match(person, incident, refund=returns.awaiting().number, once="n", note="Mine.")
    assert page.status == 409 and "Somebody else has closed this incident already." in page and "Mine." in page


def test_it_is_set_aside_with_a_note() -> None:
    person = Person(Role.SUPPORT)
    incident = unknown(Person(Role.WAREHOUSE, name="wally"))
    assert person.post(f"incidents/{incident.pk}/", {"note": "Given to charity.", "once": "b"}).status == 302
    assert "It is this refund's" not in person.get(f"incidents/{incident.pk}/")


def test_nothing_read_is_refused_and_others_do_not_take_parcels() -> None:
    warehouse, agent = Person(Role.WAREHOUSE), Person(Role.SUPPORT, name="ada")
    page = warehouse.post("returns/", {"note": "A box.", "once": "a"})
    assert page.status == 422 and "Say what can be read on the parcel." in page and "A box." in page
    assert agent.get("returns/").status == agent.post("returns/", READ).status == 403
    assert "/console/returns/" not in agent.get("").html


def test_whoever_may_not_match_is_refused() -> None:
    refund, incident = returns.awaiting(), unknown(Person(Role.WAREHOUSE, name="wally"))
    auditor = Person(Role.AUDITOR)
    assert "Your role may not do this." in match(auditor, incident, refund=refund.number)
    outsider = Person(Role.SUPPORT, Channel.objects.create(slug="other", name="Other"), name="eve")
    assert "There is no such refund." in match(outsider, incident, refund=refund.number)
    assert state(refund) == "awaiting_return"
