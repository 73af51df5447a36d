"""Proof of a delivery that the customer denies: when it is asked for, and what follows where there is none."""

import pytest

from refunds.decide import next_look
from refunds.goods import GoodsSeen
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.services.rows import TIMING
from refunds.states import Goods, Place, Proof, RefundState, Route
from tests.unit.refunds.homeward import DAY, HOUR, at, plan, returning
from tests.unit.refunds.shorthand import replace

ASKED = [
    # the units are   the goods        the refund is   asked before   it is asked for
    ("delivered", "not_received", "in_review", "", True),
    ("delivered", "not_received", "in_review", "awaited", False),
    ("delivered", "not_received", "in_review", "given", False),
    ("delivered", "not_received", "in_review", "missing", False),
    ("delivered", "not_received", "refunding", "", False),
    ("delivered", "keep", "in_review", "", False),
    ("delivered", "return", "in_review", "", False),
    ("in_transit", "not_received", "in_review", "", False),  # nobody has said that it arrived
]


def denied(place: str = "delivered", goods: str = "not_received", state: str = "in_review", proof: str = "") -> Seen:
    seen = GoodsSeen(wanted=Goods(goods), units=(UnitsAt("A", Place(place), 1, 1),))
    before = returning(
        state=RefundState(state), route=Route.REFUND_ONLY, deadline=at(30 * DAY), approved=state == "refunding"
    )
    return replace(before, goods=seen, proof=Proof(proof), proof_until=at(5 * DAY) if proof else None)


@pytest.mark.parametrize(("place", "goods", "state", "proof", "asks"), ASKED)
def test_it_is_asked_for_once_where_it_counts_as_delivered(
    place: str, goods: str, state: str, proof: str, *, asks: bool
) -> None:
    """Situation 26."""
    assert plan(denied(place, goods, state, proof)).asks_proof is asks


ENDS = [
    # proof     outcome    takes                  opens
    ("missing", "wait", (), ("proof_missing",)),
    ("missing", "approve", ("approve_refund",), ()),
    ("given", "wait", (), ()),
    ("given", "approve", (), ()),
    ("awaited", "approve", (), ()),
    ("overdue", "approve", ("approve_refund",), ()),
    ("overdue", "wait", (), ("proof_missing",)),
]


@pytest.mark.parametrize(("proof", "outcome", "verbs", "cases"), ENDS)
def test_what_follows_is_the_policys(proof: str, outcome: str, verbs: tuple[str, ...], cases: tuple[str, ...]) -> None:
    is_overdue = proof == "overdue"
    seen, now = denied(proof="awaited" if is_overdue else proof), 6 * DAY if is_overdue else HOUR
    done = plan(seen, policy=PolicySpec(proof_outcome=outcome), now=now)
    assert (done.verbs, done.incidents, done.proof_over) == (verbs, cases, is_overdue)


@pytest.mark.parametrize(
    "but",
    [{"held_until": at(9 * DAY), "held_from": at(0)}, {"cancel_wanted": True}, {"contested": True}],
    ids=["on hold", "to be cancelled", "refused before"],
)
def test_the_clock_alone_approves_nothing_that_somebody_has_stopped(but: dict[str, object]) -> None:
    seen = replace(denied(proof="missing"), **but)
    assert "approve_refund" not in plan(seen, policy=PolicySpec(proof_outcome="approve"), now=HOUR).verbs


def test_it_is_over_at_its_time_and_looked_at_then() -> None:
    seen = denied(proof="awaited")
    assert not plan(seen, now=5 * DAY - 1).proof_over and plan(seen, now=5 * DAY).proof_over
    assert next_look(seen, PolicySpec(), now=at(5 * DAY - 10), timing=TIMING) == at(5 * DAY)
