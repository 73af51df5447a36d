"""What becomes of goods that were refused: told once, of what is here, whoever changes his mind and how often."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from orders.errors import Problem
from orders.roles import Actor, Role
from orders.services.lines import Sku
from refunds.models import Refund, RefundEvent
from refunds.services.acts import (
    Approval,
    Disposed,
    Inspected,
    approve,
    contest,
    dispose,
    inspect,
    receive,
    reject,
    reopen,
)
from refunds.services.wishes import LineWish
from refunds.states import Disposition
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import (
    AGENT,
    CUSTOMER,
    WAREHOUSE,
    Courier,
    bought,
    in_force,
    pass_time,
    target,
    work,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
A = Sku("A")


def contested(refund: Refund) -> Refund:
    return contest(target(refund), note="It was whole.", actor=CUSTOMER)


def approved(refund: Refund) -> Refund:
    return approve(target(refund), Approval(), actor=AGENT)


def approved_one(refund: Refund) -> Refund:
    return approve(target(refund), Approval([LineWish(A, 1)]), actor=AGENT)


def rejected(refund: Refund) -> Refund:
    return reject(target(refund), reason="It was not.", actor=_other(refund))


def reopened(refund: Refund) -> Refund:
    return reopen(target(refund), note="Once more.", actor=AGENT)


def _other(refund: Refund) -> Actor:
    """Whoever refused it before does not decide again."""
    return Actor(
        "principal:8" if Refund.objects.get(pk=refund.pk).rejected_by != "principal:8" else "principal:6", Role.SUPPORT
    )


#: Three were sent: what was found, what happened then, and what the warehouse was told.
SEND_BACK = ("send_back", 1)
STORIES: list[tuple[dict[str, int], Sequence[Callable[[Refund], Refund]], list[tuple[str, int]]]] = [
    ({"accepted": 1, "wrong_item": 1, "missing": 1}, [], [("restock", 1), SEND_BACK]),
    ({"accepted": 1, "wrong_item": 1, "missing": 1}, [contested, rejected], [("restock", 1), SEND_BACK]),
    ({"accepted": 1, "wrong_item": 1, "missing": 1}, [contested, approved], [("restock", 1), ("write_off", 1)]),
    ({"accepted": 1, "damaged": 2}, [contested, approved_one], [("restock", 1), ("write_off", 1), SEND_BACK]),
    ({"missing": 3}, [], []),
    ({"missing": 3}, [contested, approved], []),
    ({"damaged": 2, "missing": 1}, [], [("send_back", 2)]),
    ({"damaged": 2, "missing": 1}, [contested, approved], [("write_off", 2)]),
    ({"damaged": 2, "missing": 1}, [contested, approved_one], [("write_off", 1), SEND_BACK]),
    ({"damaged": 3}, [contested, rejected, reopened, rejected], [("send_back", 3)]),
    ({"damaged": 3}, [contested, rejected, reopened, approved], [("send_back", 3)]),
]


@pytest.mark.parametrize(("found", "then", "told"), STORIES)
def test_it_is_told_once_of_what_is_here(
    engine: Engine, found: dict[str, int], then: Sequence[Callable[[Refund], Refund]], told: list[tuple[str, int]]
) -> None:
    refund, courier = looked_at(engine, **found), Courier()
    for act in then:
        refund = act(refund)
        work(engine, courier, refund)
    assert let_it_end(engine, courier, refund) == told


def test_sent_back_when_the_time_to_contest_is_over_it_is_not_sent_back_again(engine: Engine) -> None:
    refund, courier = looked_at(engine, damaged=3), Courier()
    assert let_it_end(engine, courier, refund) == [("send_back", 3)]
    rejected(reopened(refund))
    assert let_it_end(engine, courier, refund) == [("send_back", 3)]
    approve(target(reopened(refund)), Approval(), actor=Actor("principal:4", Role.SUPPORT))
    assert let_it_end(engine, courier, refund) == [("send_back", 3)]


def test_contested_twice_where_the_policy_lets_him_they_are_here_all_the_time(engine: Engine) -> None:
    in_force(contest_attempts=2)
    refund, courier = looked_at(engine, accepted=1, damaged=2), Courier()
    rest = contested(refund)
    work(engine, courier, refund, rest)
    rest = approved_one(rest)
    last = contested(rest)
    work(engine, courier, refund, rest, last)
    assert last.inspected_at is not None, "nobody is sent to fetch what is here"
    rejected(last)
    assert let_it_end(engine, courier, last) == [("restock", 1), ("write_off", 1), SEND_BACK]


def test_the_warehouse_says_what_becomes_of_refused_goods_and_nobody_else_does_after(engine: Engine) -> None:
    refund, courier = looked_at(engine, accepted=1, damaged=1, wrong_item=1), Courier()
    says(refund, (1, Disposition.REFURBISH))
    assert refused(refund, (2, Disposition.WRITE_OFF)) == "more_than_refused"
    assert refused(refund, (1, Disposition.SEND_BACK)) == "still_contestable"
    assert let_it_end(engine, courier, refund) == [("restock", 1), ("refurbish", 1), SEND_BACK]
    assert refused(refund, (1, Disposition.WRITE_OFF)) == "disposed_already"


def test_kept_before_they_are_contested_they_are_told_of_once(engine: Engine) -> None:
    refund, courier = looked_at(engine, accepted=1, damaged=2), Courier()
    says(refund, (1, Disposition.WRITE_OFF))
    rest = contested(refund)
    work(engine, courier, refund, rest)
    assert refused(refund, (1, Disposition.SEND_BACK)) == "still_contestable"
    approved(rest)
    assert let_it_end(engine, courier, rest) == [("restock", 1), ("write_off", 1), ("write_off", 1)]


@pytest.mark.parametrize("disposition", [Disposition.SEND_BACK, Disposition.WRITE_OFF])
def test_what_was_paid_before_anybody_looked_is_said_of_as_well(engine: Engine, disposition: Disposition) -> None:
    in_force(pay_on="receipt")
    refund, courier = looked_at(engine, accepted=1, damaged=1, missing=1), Courier()
    assert let_it_end(engine, courier, refund) == [("restock", 1)]
    says(refund, (1, disposition))
    assert refused(refund, (1, disposition)) == "disposed_already"
    assert let_it_end(engine, courier, refund) == [("restock", 1), (disposition, 1)]


def test_of_what_was_accepted_or_is_missing_nothing_more_is_said(engine: Engine) -> None:
    assert refused(looked_at(engine, accepted=2, missing=1), (1, Disposition.WRITE_OFF)) == "nothing_refused"


def says(refund: Refund, *units: tuple[int, Disposition]) -> Refund:
    return dispose(target(refund), [Disposed(A, *each) for each in units], actor=WAREHOUSE)


def refused(refund: Refund, *units: tuple[int, Disposition]) -> str:
    with pytest.raises(Problem) as problem:
        says(refund, *units)
    return problem.value.code


def looked_at(engine: Engine, **found: int) -> Refund:
    order, courier = bought(1000, quantity=3), Courier()
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    receive(target(refund), actor=WAREHOUSE)
    work(engine, courier, refund)
    inspect(target(refund), [Inspected(A, **found)], actor=WAREHOUSE)
    work(engine, courier, refund)
    return refund


def let_it_end(engine: Engine, courier: Courier, refund: Refund) -> list[tuple[str, int]]:
    """What the warehouse was told of the order's goods once nobody can contest anything any more."""
    everything = list(Refund.objects.filter(order_id=refund.order_id))
    for _ in range(2):
        pass_time(timedelta(days=30))
        work(engine, courier, *everything)
    events = RefundEvent.objects.filter(refund__in=everything, kind="goods.disposed").order_by("id")
    return [(e.data["disposition"], line["quantity"]) for e in events for line in e.data["lines"]]
