"""What a pass over returns costs: as many statements for a hundred refunds as for three, at each station of the way."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from refunds import records
from refunds.models import Notification, Refund
from refunds.services.acts import Approval, approve
from refunds.services.reconcile import ParcelOut, ParcelTold
from refunds.services.requests import request_refunds
from tests.factories import ship, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, booked, bought, fact, fresh, pass_time, target
from tests.sizes import size
from workers.ports import Booked, Intercepting, ParcelsFound, ParcelStatus, Refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
Answer = Callable[[ParcelOut], Booked | Intercepting | ParcelsFound | Refused]


class Returns:
    """Refunds of so many orders whose goods are all in one place, approved; `took` has the statements of each step."""

    def __init__(self, n: int, place: str) -> None:
        self.engine, self.took = Engine(), dict[str, int]()
        orders = [bought(1000) for _ in range(n)]
        for order in orders:
            ship(order, place)
        self.refunds: list[Refund] = [r.refunds[0] for r in request_refunds([wish(order) for order in orders])]
        self.count("review", lambda: self.engine.begin(*self.refunds))
        for refund in self.refunds:
            approve(target(refund), Approval(), actor=AGENT)

    def count(self, step: str, act: Callable[[], object]) -> None:
        with CaptureQueriesContext(connection) as by_django, records.counted() as by_records:
            act()
        self.took[step] = len(by_django) + len(by_records)

    def call(self, step: str, answer: Answer) -> None:
        """T1 claims one call of each refund; T2 records the answers."""
        calls: list[ParcelOut] = []
        self.count(f"{step}: claimed", lambda: calls.extend(self.engine.begin(*self.refunds).calls))
        assert len(calls) == len(self.refunds)
        told = [ParcelTold(out, answer(out)) for out in calls]
        self.count(f"{step}: told", lambda: self.engine.record(told))

    def states(self) -> set[str]:
        return {fresh(r).state for r in self.refunds}


def word(status: ParcelStatus) -> Answer:
    return lambda out: ParcelsFound((fact(out.subject, out.waybill, status),))


def fetched(n: int) -> dict[str, int]:
    returns = Returns(n, "delivered")
    returns.count("a pickup is wanted", lambda: returns.engine.begin(*returns.refunds))
    returns.call("book", lambda out: booked(out, f"W-{out.subject}"))
    for status in (ParcelStatus.MISSED, ParcelStatus.COLLECTED, ParcelStatus.RECEIVED):
        pass_time(timedelta(hours=2))
        returns.call(status, word(status))
        if status is ParcelStatus.MISSED:
            returns.call("book again", lambda out: booked(out, f"W2-{out.subject}"))
    assert returns.states() == {"inspecting"}
    return returns.took


def stopped(n: int, *, back: bool) -> dict[str, int]:
    returns = Returns(n, "shipped")
    returns.call("stop", lambda out: Intercepting(fact("", out.waybill, ParcelStatus.IN_TRANSIT)))
    pass_time(timedelta(hours=2))
    returns.call("where", word(ParcelStatus.RETURNED if back else ParcelStatus.DELIVERED))
    assert returns.states() == {"refunding" if back else "awaiting_return"}
    return returns.took


def not_stopped(n: int) -> dict[str, int]:
    returns = Returns(n, "shipped")
    returns.call("stop", lambda out: Refused("too_late"))
    assert Notification.objects.filter(template="not_stopped", refund__in=returns.refunds).count() == n
    return returns.took


@pytest.mark.sized
@pytest.mark.parametrize(
    "life",
    [fetched, lambda n: stopped(n, back=True), lambda n: stopped(n, back=False), not_stopped],
    ids=["fetched", "stopped and back", "stopped and delivered all the same", "not stopped"],
)
def test_a_hundred_returns_take_as_many_statements_as_three(life: Callable[[int], dict[str, int]]) -> None:
    life(1)  # reads the policy, which is remembered
    three, hundred = life(3), life(size(100))
    assert three == hundred
    assert max(three.values()) < 45, three
