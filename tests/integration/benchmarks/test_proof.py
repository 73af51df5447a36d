"""The benchmark believes no contender: what must hold of every refund is looked up in the rows."""

import pytest
from django.db import connection

from benchmarks import intake
from benchmarks.clones import Seed, clone
from benchmarks.load import Door
from benchmarks.moments import moments
from benchmarks.parties import Party
from benchmarks.passes import run_through
from benchmarks.peers.bare import make_table
from benchmarks.proof import NotTrue, prove
from tests.factories import make_order, request

pytestmark = pytest.mark.django_db(transaction=True)

LIES = [
    ("UPDATE refunds_refund SET state = 'cancelled'", "refunds that are not refunded"),
    ("UPDATE orders_order SET refund_state = 'none'", "orders that do not show it"),
    ("UPDATE orders_orderline SET refunded_unshipped = 0", "lines with wrong counts"),
    ("UPDATE refunds_gatewayrefund SET attempt = 2", "movements not sent exactly once"),
    ("UPDATE orders_paymentshare SET refunded_minor = refunded_minor - 1", "payment shares"),
    ("UPDATE refunds_refund SET event_head = 'x'", "whose head is another"),
    ("UPDATE refunds_notification SET state = 'pending', next_reconcile_at = now()", "customers not told"),
]


@pytest.fixture
def refunded() -> list[int]:
    ids = [refund.id for _ in range(3) for refund in request(make_order()).refunds]
    run_through(ids, batch=2)
    return ids


def test_what_the_product_does_is_believed(refunded: list[int]) -> None:
    prove(refunded)


@pytest.mark.parametrize(("lie", "broken"), LIES)
def test_a_lie_is_found(refunded: list[int], lie: str, broken: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(lie)
    with pytest.raises(NotTrue, match=f"3 .*{broken}"):
        prove(refunded)


def test_a_clone_is_as_true_as_what_it_was_made_of() -> None:
    order = make_order(2500, 1500)
    request(order)
    ids = clone(Seed.of(order), 3)
    run_through(ids, batch=3)
    prove(ids)


def test_a_missing_refund_is_found(refunded: list[int]) -> None:
    with pytest.raises(NotTrue, match="1 refunds that are not refunded"):
        prove([*refunded, max(refunded) + 1])


def test_a_refund_that_an_order_should_have_is_missed() -> None:
    with pytest.raises(NotTrue, match="0 refunds of 1 wanted"):
        moments(["S-none"])


def test_a_row_that_the_bare_view_has_not_written_is_missed() -> None:
    make_table()
    nobody = Party("bare", Door("bare", 1, "/bare"), None, None, [])  # type: ignore[arg-type]
    with pytest.raises(NotTrue, match="0 rows of 1 requests"):
        intake._check(nobody, ["S-1"])
