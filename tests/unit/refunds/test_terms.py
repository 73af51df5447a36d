"""What a person's decision goes by, and what may change beside it."""

import pytest

from refunds.actions import Action
from refunds.models import GatewayRefund, Refund
from refunds.selectors.terms import other_terms, terms

FAILED = {"state": "failed", "route": "pickup", "generation": 3}


def seen(action: Action = Action.CLOSE, moved: tuple[str, ...] = ("failed", "failed"), **columns: object) -> str:
    movements = [GatewayRefund(id=n, state=state) for n, state in enumerate(moved)]
    return terms(action, Refund(**{**FAILED, **columns}), movements)


@pytest.mark.parametrize("changed", [{"generation": 4}, {"state": "in_review"}, {"route": "intercept"}])
def test_what_is_wanted_how_far_it_is_and_its_way_count(changed) -> None:
    assert seen(**changed) != seen()


def test_money_that_moves_counts() -> None:
    assert seen(moved=("failed", "succeeded")) != seen()


@pytest.mark.parametrize(
    "changed",
    [{"resource_version": 9}, {"conditions": [{"type": "Stalled"}]}, {"event_seq": 9}, {"assignee_id": 7}],
)
def test_what_else_a_client_can_see_does_not(changed) -> None:
    assert seen(**changed) == seen()


def test_to_give_a_case_away_only_whose_it_is_counts() -> None:
    assert seen(Action.ASSIGN, generation=4) == seen(Action.ASSIGN) != seen(Action.ASSIGN, assignee_id=7)


def test_who_says_nothing_of_what_he_saw_goes_by_what_is() -> None:
    assert other_terms(Action.CLOSE, Refund(**FAILED), [], seen=None) is None
    assert other_terms(Action.CLOSE, Refund(**FAILED), [], seen="")
    stale = other_terms(Action.CLOSE, Refund(**FAILED), [], seen="3 refunding pickup ")
    assert stale and (stale.status, stale.code) == (412, "stale_terms")
