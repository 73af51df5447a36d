"""The ledger is checked by hand and every night: each difference is named, and is somebody's case."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from orders import clock
from orders.models import PaymentShare
from refunds.models import Incident, LedgerCheck, LedgerEntry
from refunds.selectors.ledger_check import check_page
from refunds.services.ledger_check import check_ledger
from tests.factories import request
from tests.integration.engine.returns import bought

pytestmark = pytest.mark.django_db(transaction=True)


def verify() -> str:
    said = StringIO()
    call_command("ledger", "verify", stdout=said, stderr=StringIO())
    return said.getvalue()


def captured(n: int) -> list[PaymentShare]:
    """So many paid orders, with their captures in the ledger."""
    shares = [PaymentShare.objects.get(order=bought(1000)) for _ in range(n)]
    for share in shares:
        if not share.entries.exists():
            now = clock.now()
            LedgerEntry.objects.create(share=share, kind="capture", amount_minor=1000, occurred_at=now, recorded_at=now)
    return shares


def test_a_ledger_that_adds_up_is_said_to() -> None:
    for share in captured(2):
        request(share.order)
    assert "2 payment shares: all columns are the sums" in verify()


def test_each_difference_is_named() -> None:
    one, two = captured(2)
    PaymentShare.objects.filter(pk=one.pk).update(refunded_minor=300)
    PaymentShare.objects.filter(pk=two.pk).update(captured_minor=1200, disputed_minor=10)
    said = StringIO()
    with pytest.raises(CommandError, match="3 differences in 2 payment shares"):
        call_command("ledger", "verify", stdout=said, stderr=StringIO())
    assert f"{one.payment}: refunded is 300, its entries 0" in said.getvalue()
    assert f"{two.payment}: captured is 1200, its entries 1000" in said.getvalue()


def test_pages_follow_each_other() -> None:
    captured(3)
    first = check_page(0, limit=2)
    assert (first.count, check_page(first.last_id, limit=2).count) == (2, 1)


def test_the_nightly_check_makes_a_difference_one_persons_case_and_rests_for_a_day() -> None:
    share = captured(1)[0]
    PaymentShare.objects.filter(pk=share.pk).update(refunded_minor=300)
    assert (check_ledger(), check_ledger()) == (1, 0)
    LedgerCheck.objects.update(next_at=clock.now())
    assert check_ledger() == 1
    case = Incident.objects.get(kind="ledger_difference")
    assert (case.order_id, case.data["share"]) == (share.order_id, share.pk)
