"""Several payments in a stated order (public report 32)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refunds.money import Purse, split, split_in_turns
from refunds.policy import PolicySpec

CARD, GIFT = 1, 2
PURSES = st.lists(
    st.builds(Purse, id=st.integers(), free_minor=st.integers(0, 10**6), turn=st.integers(0, 3)),
    max_size=6,
    unique_by=lambda purse: purse.id,
)


def given_back(order: str, amount: int, *, card: int = 6000, gift: int = 4000) -> dict[int, int]:
    policy = PolicySpec(payment_order=order)
    purses = [Purse(CARD, card, policy.turn_of("card")), Purse(GIFT, gift, policy.turn_of("gift_card"))]
    return dict(split_in_turns(amount, purses))


@pytest.mark.parametrize(
    ("order", "parts"),
    [
        ("proportional", {CARD: 4800, GIFT: 3200}),
        ("card_first", {CARD: 6000, GIFT: 2000}),
        ("gift_card_first", {GIFT: 4000, CARD: 4000}),
    ],
)
def test_row_32_60_by_card_and_40_by_gift_card_give_80_in_the_stated_order(order, parts):
    assert given_back(order, 8000) == parts


@pytest.mark.parametrize(
    ("order", "parts"), [("card_first", {CARD: 5000}), ("gift_card_first", {GIFT: 4000, CARD: 1000})]
)
def test_a_payment_that_is_not_needed_gives_nothing(order, parts):
    assert given_back(order, 5000) == parts


@pytest.mark.parametrize("method", ["gift_card", "points"])
def test_what_can_be_spent_at_the_shop_only_is_a_gift(method):
    assert PolicySpec(payment_order="card_first").turn_of(method) > PolicySpec(payment_order="card_first").turn_of(
        "cash"
    )


@given(PURSES, st.data())
def test_all_of_it_is_given_and_no_purse_below_zero_nor_before_its_turn(purses, data):
    amount = data.draw(st.integers(0, sum(purse.free_minor for purse in purses)))
    parts = dict(split_in_turns(amount, purses))
    assert sum(parts.values()) == amount
    assert all(0 < parts[purse.id] <= purse.free_minor for purse in purses if purse.id in parts)
    last = max((purse.turn for purse in purses if purse.id in parts), default=0)
    assert all(parts.get(p.id, 0) == p.free_minor for p in purses if p.turn < last)


@given(PURSES, st.data())
def test_less_is_taken_back_from_the_last_to_give(purses, data):
    amount = data.draw(st.integers(0, sum(purse.free_minor for purse in purses)))
    parts = dict(split_in_turns(amount, purses))
    turns = {purse.id: purse.turn for purse in purses}
    less = data.draw(st.integers(0, amount))
    kept = dict(split_in_turns(less, [Purse(i, minor, turns[i]) for i, minor in parts.items()]))
    lost = {i: minor - kept.get(i, 0) for i, minor in parts.items()}
    first = min((turns[i] for i, minor in lost.items() if minor), default=9)
    assert all(kept.get(i, 0) == 0 for i in parts if turns[i] > first)


@given(PURSES, st.lists(st.integers(0, 10**5), max_size=8))
def test_any_sequence_ends_at_exactly_what_each_purse_had(purses, wishes):
    left = {purse.id: purse.free_minor for purse in purses}
    for wish in [*wishes, None]:
        amount = min(wish, sum(left.values())) if wish is not None else sum(left.values())
        for i, minor in split_in_turns(amount, [Purse(p.id, left[p.id], p.turn) for p in purses]):
            left[i] -= minor
    assert not any(left.values())


@given(st.lists(st.integers(0, 10**6), max_size=6), st.data())
def test_in_one_turn_all_give_in_proportion(free, data):
    amount = data.draw(st.integers(0, sum(free)))
    shares = list(enumerate(free))
    assert split_in_turns(amount, [Purse(i, minor) for i, minor in shares]) == split(amount, shares)


def test_more_than_there_is_is_refused():
    with pytest.raises(ValueError, match="3 asked, 2 free"):
        split_in_turns(3, [Purse(1, 1), Purse(2, 1, turn=1)])
