"""The table of orphans, row by row."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from refunds.calls import CallPhase, CallState
from refunds.movements import MovementView
from refunds.orphans import Fate, OrphanView, advanced, booked_as, pickup_fate, refund_fate
from refunds.states import MovementState
from tests.unit.refunds.shorthand import replace
from workers.ports import Capabilities, GatewayFact, GatewayStatus

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
S, M = GatewayStatus, MovementState
OUT = CallState(call=CallPhase.SENT, attempt=1, sent_at=NOW, answer_due_at=NOW + timedelta(seconds=10))
UNANSWERED = replace(OUT, answer_due_at=NOW)


def owner(state: MovementState = M.SUCCEEDED, held: str | None = "a", **fields: object) -> MovementView:
    view = MovementView("RF-1-1", state, 1000, "EUR", CallState(), Capabilities(), gateway_refund_id=held)
    return replace(view, **fields)


def seen(by: MovementView | None, status: GatewayStatus = S.SUCCEEDED, **fields: Any) -> OrphanView:
    fact = GatewayFact("a", "RF-1-1", status, 1000, "EUR")
    return OrphanView(fact, by, **{"booked": None, "is_payment_ours": True} | fields)


MATRIX = {
    "it is the owner's own, as it says": (seen(owner()), Fate.KEEP),
    "it is the owner's own, and went back since": (seen(owner(), S.REVERSED), Fate.TELL),
    "it is the owner's own, and an older word of it": (seen(owner(M.REVERSED), S.SUCCEEDED), Fate.KEEP),
    "the owner is asking for it": (seen(owner(M.INTENDED, None, call=OUT)), Fate.WAIT),
    "the owner died while it was asking": (seen(owner(M.INTENDED, None, call=UNANSWERED)), Fate.TELL),
    "the owner has not asked yet": (seen(owner(M.INTENDED, None)), Fate.TELL),
    "the owner ended without it": (seen(owner(M.CANCELLED, None)), Fate.TELL),
    "the owner ended without it, and has booked it": (seen(owner(M.CANCELLED, None), booked=S.SUCCEEDED), Fate.KEEP),
    "the owner has another one": (seen(owner(held="b")), Fate.TELL),
    "the owner has another one, and has booked this": (seen(owner(held="b"), booked=S.SUCCEEDED), Fate.KEEP),
    "the owner has another one, and this moved nothing": (seen(owner(held="b"), S.FAILED), Fate.KEEP),
    "the owner has booked it, and it has gone back": (seen(owner(held="b"), S.REVERSED, booked=S.SUCCEEDED), Fate.TELL),
    "it failed for an earlier key": (seen(owner(held="b", failed_ids=frozenset("a")), S.PENDING), Fate.KEEP),
    "no owner is named, and a call of ours is open": (seen(None, may_be_ours=True), Fate.WAIT),
    "no owner, a payment of ours": (seen(None), Fate.ADOPT),
    "no owner, a payment of others": (seen(None, is_payment_ours=False), Fate.IGNORE),
}


@pytest.mark.parametrize("name", MATRIX)
def test_what_becomes_of_a_refund_when(name: str) -> None:
    """Controller check 72 (TestSyncOrphanPod): owner running, keep; finished, missing or none, it is the ledger's;
    of another kind, keep."""
    view, fate = MATRIX[name]
    assert refund_fate(view, NOW) is fate


def test_what_becomes_of_a_courier_s_visit() -> None:
    """Controller check 72 (TestSyncOrphanPod): known, keep; ours and missing, call it off; of another system, keep."""
    assert pickup_fate(is_known=True, is_ours=True) is Fate.KEEP
    assert pickup_fate(is_known=False, is_ours=True) is Fate.CALL_OFF
    assert pickup_fate(is_known=False, is_ours=False) is Fate.IGNORE


def test_what_was_told_of_an_orphan_never_goes_down() -> None:
    """Controller check 74 (TestGetNewFinshedPods)."""
    for held in S:
        for told in S:
            after = advanced(held, told)
            assert list(S).index(after) >= list(S).index(held)
    assert advanced(S.SUCCEEDED, S.FAILED) is S.REVERSED


@pytest.mark.parametrize(
    ("kinds", "booked"),
    [
        ((), None),
        (("reserve",), S.PENDING),
        (("reserve", "release"), None),
        (("reserve", "release", "external"), S.SUCCEEDED),
        (("refund",), S.SUCCEEDED),
        (("external", "reversal"), None),
    ],
)
def test_money_is_in_the_books_as_it_stands_there(kinds: tuple[str, ...], booked: S | None) -> None:
    assert booked_as(kinds) is booked
