"""One way to type an amount, in whichever form of the console: what was paid by hand is read as what is asked for."""

import pytest

from orders.roles import Role
from refunds.models import LedgerEntry, Refund
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


def recorded(typed: str) -> Page:
    refund, person = returns.failed(), Person(Role.FINANCE)
    said = {"amount": typed, "reference": "BANK-1"}
    payment = str(refund.gateway_refunds.get().share.payment)
    return person.act(refund, "record_external", payment=payment, **said)


@pytest.mark.parametrize("typed", ["1,50", "1.50", "€1.50", "1.5", "EUR 1.50"])
def test_what_was_paid_by_hand_is_typed_as_any_amount(typed: str) -> None:
    answer = recorded(typed)
    assert answer.status == 302, answer.text
    assert LedgerEntry.objects.get(kind="external").amount_minor == 150


def offered(typed: str) -> tuple[Refund, Page]:
    case = returns.in_review()
    return case, Person(Role.SUPPORT).act(case, "offer", amount=typed, note="Keep it, and have this.")


@pytest.mark.parametrize("typed", ["1,50", "€1.50", "1.5"])
def test_what_is_offered_is_typed_as_any_amount(typed: str) -> None:
    refund, answer = offered(typed)
    assert answer.status == 302, answer.text
    assert Refund.objects.get(pk=refund.pk).offered_minor == 150


def test_an_offer_of_more_than_the_goods_cost_says_how_much_they_cost() -> None:
    _, answer = offered("9999")
    assert answer.status == 422 and "so much do these goods cost" in answer
    assert "time is not possible" not in answer.text


@pytest.mark.parametrize("typed", ["1e0", "1E0", "-1", "0", "1.234", "NaN", "Infinity", "1,00,0"])
def test_what_is_no_amount_is_said_at_its_field(typed: str) -> None:
    answer = recorded(typed)
    assert answer.status == 422 and "Type an amount above zero, such as €12.50." in answer
    assert not LedgerEntry.objects.filter(kind="external").exists()
