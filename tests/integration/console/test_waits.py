"""A case says plainly whom its money waits for, and what he has to do."""

from typing import Any

import pytest

from orders.roles import Role
from refunds.models import Refund
from tests.integration.console.people import Person
from tests.integration.refunds_api import returns, rows

pytestmark = pytest.mark.django_db


def test_a_second_person_is_asked_for_and_told_what_to_do() -> None:
    first, second = Person(Role.SUPPORT, name="grace"), Person(Role.SUPERVISOR, name="ada")
    refund = returns.needs_a_second()
    Refund.objects.filter(pk=refund.pk).update(approved_by=first.actor.reference)
    asked, reader = first.case(refund), second.case(refund)
    assert "waits for a second person, who has not taken part before" in asked and "If you agree" not in asked
    assert "If you agree: Approve as the second person." in reader


def test_money_that_a_person_pays_is_said_to_wait_and_where(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = settings.GATEWAY_ACCOUNTS | {"sandbox": {"adapter": "manual"}}
    order = rows.an_order(rows.default_channel(), held=1, withheld=1, refunded_minor=500)
    refund = rows.a_refund(order, state="refunding")
    movement = rows.a_movement(refund, account="sandbox")
    page = Person(Role.FINANCE).case(refund)
    assert f"€5.00 waits to be paid by hand, from sandbox · {movement.share.payment.reference}" in page
    assert "Pay it, then say so below with its proof: Record that it was paid in another way." in page


def test_a_code_that_is_waited_for_is_said_with_where_it_went() -> None:
    page = Person(Role.SUPPORT).case(returns.awaiting_code())
    assert "waits for the customer&#x27;s code: it was sent to ***0001" in page
    assert "enter it below" in page
