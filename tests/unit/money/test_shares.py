"""Splitting: nothing lost, nobody gets too much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refunds.money import allocate, split
from refunds.money.shares import part_of

amounts = st.integers(min_value=0, max_value=10**24)


@pytest.mark.parametrize(
    ("total", "weights", "parts"),
    [
        (1000, [1, 1, 1], [334, 333, 333]),
        (100, [600, 400], [60, 40]),
        (2, [1, 1, 1], [1, 1, 0]),
        (1, [1, 2], [0, 1]),
        (5, [0, 3, 0], [0, 5, 0]),
        (0, [0, 0], [0, 0]),
        (0, [], []),
        (10**30 + 1, [1, 1], [5 * 10**29 + 1, 5 * 10**29]),
    ],
)
def test_largest_remainder_goes_first_and_ties_keep_their_order(total, weights, parts):
    assert allocate(total, weights) == parts


@pytest.mark.parametrize(
    ("total", "weights"), [(-1, [1]), (1, [-1, 3]), (1, []), (1, [0, 0]), (1.0, [1]), (1, [0.5]), (True, [1])]
)
def test_what_cannot_be_spread_is_refused(total, weights):
    with pytest.raises(ValueError):
        allocate(total, weights)


@given(amounts, st.lists(amounts, min_size=1).filter(any))
def test_parts_add_up_and_are_within_one_of_their_exact_share(total, weights):
    parts = allocate(total, weights)
    assert sum(parts) == total
    off = [part * sum(weights) - total * weight for part, weight in zip(parts, weights, strict=True)]
    assert all(abs(remainder) < sum(weights) for remainder in off)


@given(amounts, st.integers(1, 200))
def test_more_units_are_never_worth_less_and_all_are_worth_the_total(total, quantity):
    worth = [part_of(total, n, of=quantity) for n in range(quantity + 1)]
    assert worth == sorted(worth)
    assert (worth[0], worth[-1]) == (0, total)


@pytest.mark.parametrize(
    ("amount", "free", "parts"),
    [
        (80, [(1, 60), (2, 40)], [(1, 48), (2, 32)]),
        (100, [(1, 60), (2, 40)], [(1, 60), (2, 40)]),
        (1, [(1, 60), (2, 40)], [(1, 1)]),
        (50, [(1, 0), (2, 100)], [(2, 50)]),
        (0, [(1, 60)], []),
        (0, [], []),
    ],
)
def test_row_32_a_refund_over_several_payments_follows_what_is_free(amount, free, parts):
    assert split(amount, free) == parts


@given(st.lists(amounts, max_size=8), st.data())
def test_row_32_no_payment_ever_gives_more_than_is_free_on_it(free, data):
    amount = data.draw(st.integers(0, sum(free)))
    parts = split(amount, list(enumerate(free)))
    assert sum(part for _, part in parts) == amount
    assert all(0 < part <= free[share_id] for share_id, part in parts)
    assert [share_id for share_id, _ in parts] == sorted(share_id for share_id, _ in parts)


@pytest.mark.parametrize(
    ("amount", "free", "said"),
    [
        (101, [(1, 60), (2, 40)], "^101 asked, 100 free$"),
        (1, [], "^1 asked, 0 free$"),
        (-1, [(1, 60)], "^amount_minor must"),
        (1, [(1, -1)], "^a free amount must"),
    ],
)
def test_more_than_is_free_is_refused(amount, free, said):
    with pytest.raises(ValueError, match=said):
        split(amount, free)


def test_what_is_spread_and_over_what_are_named_where_they_are_no_amounts():
    with pytest.raises(ValueError, match="^total must"):
        allocate(-1, [1])
    with pytest.raises(ValueError, match="^a weight must"):
        allocate(1, [-1])
    with pytest.raises(ValueError, match="^1 cannot be spread over nothing$"):
        allocate(1, [])


def test_of_no_units_there_is_nothing():
    assert part_of(7, 0, of=0) == 0
