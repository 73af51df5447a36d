"""Another time for the courier: an agent chooses among those he names, asked when the page is opened; else he types."""

import pytest

from orders.models import Channel
from orders.roles import Role
from refunds.models import Pickup, Refund
from tests.integration.console.people import Person
from tests.integration.pages.test_slots import a_courier, choices, naming
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund() -> Refund:
    return returns.awaiting()


@pytest.fixture
def agent() -> Person:
    return Person(Role.SUPPORT)


def test_he_chooses_among_what_the_courier_names(settings, refund: Refund, agent: Person) -> None:
    assert f"/console/refunds/{refund.number}/slots/" in agent.case(refund).html
    with a_courier(settings, says=naming(3, 2, -1)):
        page = agent.get(f"refunds/{refund.number}/slots/")
    sooner, later = choices(page.html)
    assert sooner < later and page.status == 200
    assert agent.act(refund, "rebook_pickup", slot=later).status == 302
    visit = Pickup.objects.filter(refund=refund).latest("id")
    assert visit.slot_from and visit.slot_to
    assert later == f"{visit.slot_from:%Y-%m-%dT%H:%M:%S}/{visit.slot_to:%Y-%m-%dT%H:%M:%S}"


@pytest.mark.parametrize("says", ['{"slots": []}', "no json"], ids=["none", "nonsense"])
def test_a_courier_who_names_none_leaves_it_to_be_typed(settings, refund: Refund, agent: Person, says: str) -> None:
    with a_courier(settings, says=says):
        page = agent.get(f"refunds/{refund.number}/slots/")
    assert page.status == 200 and "The courier names no times" in page and not choices(page.html)


@pytest.mark.parametrize("slot", ["", "/", "tomorrow/never", "2020-01-01T09:00:00/2020-01-01T13:00:00"])
def test_what_is_no_time_to_come_is_told_and_books_nothing(refund: Refund, agent: Person, slot: str) -> None:
    before = Pickup.objects.count()
    assert agent.act(refund, "rebook_pickup", slot=slot).status == 422
    assert Pickup.objects.count() == before


def test_who_may_not_move_him_is_shown_the_case(refund: Refund) -> None:
    answer = Person(Role.AUDITOR).get(f"refunds/{refund.number}/slots/")
    assert (answer.status, answer.headers["Location"]) == (302, f"/console/refunds/{refund.number}/")


def test_another_channel_s_refund_is_not_there(refund: Refund) -> None:
    outsider = Person(Role.SUPPORT, Channel.objects.create(slug="other", name="Other"))
    assert outsider.get(f"refunds/{refund.number}/slots/").status == 404
