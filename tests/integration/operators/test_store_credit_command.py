"""`manage.py store_credit verify`: what does not add up is named, and fails the command."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from refunds.models import StoreCreditAccount
from refunds.states import RefundTo
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, Crediting

pytestmark = pytest.mark.django_db(transaction=True)
_FORGET = """
SET session_replication_role = replica; DELETE FROM refunds_storecreditentry; RESET session_replication_role
"""


@pytest.fixture(autouse=True)
def given(settings: Any) -> None:
    """Somebody has 5.00."""
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    [refund] = request(make_order(500, customer_reference="c-7"), refund_to=RefundTo.STORE_CREDIT).refunds
    Crediting(Engine()).run(refund)


def verify() -> str:
    out = StringIO()
    call_command("store_credit", "verify", stdout=out)
    return out.getvalue()


def test_right_books_are_counted():
    assert verify() == "1 account and 1 entry: all adds up.\n"


def test_a_balance_that_is_no_sum_is_told_with_both_figures():
    StoreCreditAccount.objects.update(balance_minor=400)
    with pytest.raises(CommandError, match=r"c-7: the balance is 400 EUR, its entries add up to 500"):
        verify()


def test_credit_that_never_came_is_told():
    with connection.cursor() as cursor:
        cursor.execute(_FORGET)
    with pytest.raises(CommandError, match=r"500 were told to have been given, and were not"):
        verify()
