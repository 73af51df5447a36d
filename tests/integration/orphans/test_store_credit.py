"""What store credit lists of itself is known here: none of it is an orphan."""

from typing import Any

import pytest

from orders import clock
from refunds.models import Orphan
from refunds.services.orphan_reports import note_refunds
from refunds.states import RefundTo
from tests.factories import request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS, CREDIT, Crediting, budget
from tests.integration.engine.returns import bought
from workers.ports import RefundPage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


@pytest.fixture(autouse=True)
def accounts(settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS


def test_a_refund_given_as_store_credit_is_no_orphan_of_its_list():
    crediting, since = Crediting(Engine()), clock.now()
    crediting.run(*request(bought(500), refund_to=RefundTo.STORE_CREDIT).refunds)
    page = crediting.credit.list_refunds(since, "", budget=budget())
    assert isinstance(page, RefundPage)
    assert [fact.amount_minor for fact in page.facts] == [500]
    note_refunds(CREDIT, page.facts)
    assert not Orphan.objects.exists()


def test_the_same_number_at_the_payment_s_own_gateway_is_one():
    crediting, since = Crediting(Engine()), clock.now()
    crediting.run(*request(bought(500), refund_to=RefundTo.STORE_CREDIT).refunds)
    page = crediting.credit.list_refunds(since, "", budget=budget())
    assert isinstance(page, RefundPage)
    note_refunds("sandbox", page.facts)
    assert Orphan.objects.count() == 1
