"""A form is refused only when what the agent went by has changed; then it is said what, and nothing typed is lost."""

import pytest

from orders.roles import Role
from refunds.models import Refund
from refunds.services.acts import Parcel, ship_back
from tests.integration.console.people import Person
from tests.integration.engine.conftest import Engine
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db
ALL_FOUND = {"accepted-0": "3", "damaged-0": "0", "wrong_item-0": "0", "missing-0": "0"}


def fresh(refund: Refund) -> Refund:
    return Refund.objects.get(pk=refund.pk)


def test_what_the_engine_does_by_itself_is_no_reason_to_refuse() -> None:
    """Its conditions and the deadline follow what the warehouse said a moment ago."""
    shown, person = fresh(returns.inspecting()), Person(Role.WAREHOUSE)
    Engine().begin(shown)
    assert fresh(shown).resource_version > shown.resource_version
    assert person.act(shown, "inspect", **ALL_FOUND).status == 302
    assert fresh(shown).state == "refunding"


def test_whose_case_it_is_makes_no_page_old_but_that_of_who_gives_it_away() -> None:
    shown, grace, ada = returns.in_review(), Person(Role.SUPPORT), Person(Role.SUPPORT, name="ada")
    assert ada.act(shown, "assign", to=ada.principal.pk).status == 302
    late = grace.act(shown, "assign", to=grace.principal.pk)
    assert late.status == 412 and "What happened since you opened it Given to Ada" in late
    assert fresh(shown).assignee == ada.principal
    assert grace.act(shown, "reject", reason="Worn.").status == 409
    assert ada.act(shown, "reject", reason="Worn.").status == 302


def test_what_somebody_else_decided_is_said_and_what_was_typed_stays() -> None:
    shown, person, ada = returns.in_review(), Person(Role.SUPPORT), Person(Role.SUPPORT, name="ada")
    ada.act(shown, "hold", until="")
    page = person.act(shown, "reject", reason="The seal is broken.")
    assert page.status == 412 and "This refund has changed since you opened it." in page
    since = page.text.partition("What happened since you opened it ")[2].partition("What can be done")[0]
    assert since.startswith("Put on hold until") and since.endswith("Ada (Customer service) ")
    assert "The seal is broken.</textarea>" in page.html and fresh(shown).state == "in_review"
    assert person.act(fresh(shown), "reject", reason="The seal is broken.").status == 302


def test_it_is_said_too_when_what_was_typed_is_wrong_now() -> None:
    shown, person = returns.in_review(), Person(Role.SUPPORT)
    Person(Role.SUPPORT, name="ada").act(shown, "hold", until="")
    page = person.act(shown, "approve", **{"quantity-0": "9", "goods": ""})
    assert page.status == 412 and "What happened since you opened it" in page and "less than or equal to 3" in page


def test_what_was_typed_is_shown_where_its_form_is_gone() -> None:
    shown, person = returns.in_review(), Person(Role.SUPPORT)
    returns.approve(returns.on(shown), returns.Approval(), actor=returns.CUSTOMER_SERVICE)
    page = person.act(shown, "reject", reason="The seal is broken.")
    assert page.status == 412 and "reject" not in page.doors and "Approved: the goods come back first" in page
    assert "What you typed" in page and "The seal is broken." in page


def test_the_parcel_that_travels_meanwhile_is_received_all_the_same() -> None:
    shown, person = fresh(returns.awaiting()), Person(Role.WAREHOUSE)
    Engine().begin(shown)
    assert person.act(shown, "receive").status == 302


def test_an_act_of_the_customer_is_one_of_a_person() -> None:
    shown, person = fresh(returns.awaiting()), Person(Role.SUPPORT)
    ship_back(returns.on(shown), Parcel("post", "X1"), actor=returns.CUSTOMER_SERVICE)
    day = f"{returns.in_days(2):%Y-%m-%d}"
    assert person.act(shown, "rebook_pickup", starts_at=f"{day}T09:00", ends_at=f"{day}T11:00").status == 412


@pytest.mark.parametrize("seen", ["", "x", "1", "99999999999999999999 ", "1 x", "9999999999999999999999 x", "x \x00"])
def test_who_does_not_say_what_he_saw_went_by_something_else(seen) -> None:
    assert Person(Role.SUPPORT).act(returns.in_review(), "reject", reason="Worn.", seen=seen).status == 412
